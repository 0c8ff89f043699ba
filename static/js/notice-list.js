// <notice-list>: success leaves after five seconds, or ten where it has a link, unless pointed at or focused; errors stay; equal ones merge
// with a number; at most three are shown. While the dialog is open the list stands inside it, otherwise it would be out of reach.
// Method: say(text, tone), with tone "good", "danger" or "info". The server appends notices of its own.
(() => {
  "use strict";
  const LIFE_MS = 5000;
  const SHOWN_MAX = 3;

  const textOf = (notice) => notice.querySelector(".notice__text").textContent.trim();
  const isError = (notice) => notice.matches(".notice--danger");

  class NoticeList extends HTMLElement {
    #isReady = false;

    // It moves in and out of the dialog, and is connected each time.
    connectedCallback() {
      if (this.#isReady) return;
      this.#isReady = true;
      this.addEventListener("click", ({ target }) => {
        if (target.closest("[data-notice-close]")) this.#dismiss(target);
      });
      // What was undone can't be undone again.
      this.addEventListener("htmx:afterRequest", ({ target, detail }) => detail.successful && this.#dismiss(target));
      new MutationObserver(() => this.#tidy()).observe(this, { childList: true });
      const dialog = document.querySelector("[data-dialog]");
      if (dialog) new MutationObserver(() => (dialog.open ? dialog : document.body).append(this)).observe(dialog, { attributeFilter: ["open"] });
      this.#tidy();
    }

    say(text, tone = "good") {
      const notice = document.querySelector(`template[data-notice-of="${tone}"]`).content.firstElementChild.cloneNode(true);
      notice.querySelector(".notice__text").textContent = text;
      this.append(notice);
    }

    #dismiss(within) {
      within.closest("[data-notice]")?.remove();
      document.getElementById("main")?.focus({ preventScroll: true });
    }

    #all() {
      return [...this.querySelectorAll("[data-notice]")];
    }

    #tidy() {
      for (const notice of this.#all().filter((one) => !one.dataset.seen)) {
        notice.dataset.seen = "1";
        const twin = this.#all().find((other) => other !== notice && other.dataset.notice === notice.dataset.notice && textOf(other) === textOf(notice));
        if (twin) {
          notice.dataset.seen = String(Number(twin.dataset.seen || 1) + 1);
          notice.querySelector("[data-times]").textContent = `× ${notice.dataset.seen}`;
          twin.remove();
        }
        this.#expire(notice);
      }
      const shown = this.#all();
      const oldest = [...shown.filter((notice) => !isError(notice)), ...shown.filter(isError)];
      oldest.slice(0, Math.max(0, shown.length - SHOWN_MAX)).forEach((notice) => notice.remove());
    }

    #expire(notice) {
      if (isError(notice)) return;
      const leave = () => (notice.matches(":hover, :focus-within") ? setTimeout(leave, 1000) : notice.remove());
      setTimeout(leave, notice.querySelector(".notice__text a") ? 2 * LIFE_MS : LIFE_MS);
    }
  }

  customElements.define("notice-list", NoticeList);
})();
