// <file-viewer>: one file of a list. ArrowLeft and ArrowRight, or a swipe, open the file before or after it; Escape leads back to the list.
// Marks: data-title (of the page), data-step="before", data-step="after" and data-back (links). It has no methods.
(() => {
  "use strict";
  const STEPS = { ArrowLeft: "before", ArrowRight: "after" };
  const LEAST_SWIPE = 60;
  // The link by which this file was opened keeps the focus.
  let pressed = "";

  class FileViewer extends HTMLElement {
    #start = null;
    #listeners;

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      document.title = this.dataset.title;
      document.addEventListener("keydown", (event) => this.#pressed(event), { signal });
      this.addEventListener("click", ({ target }) => (pressed = target.closest("[data-step]")?.dataset.step ?? ""), { signal });
      this.addEventListener("touchstart", (event) => this.#touched(event), { signal, passive: true });
      this.addEventListener("touchend", (event) => this.#swiped(event), { signal, passive: true });
      this.addEventListener("htmx:afterSettle", () => this.#focus(), { signal });
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    #link(step) {
      return this.querySelector(`[data-step="${step}"]`);
    }

    #focus() {
      if (document.activeElement === document.body) (this.#link(pressed) ?? this.querySelector("h1")).focus();
      pressed = "";
    }

    #pressed(event) {
      const { key, target } = event;
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (document.querySelector("dialog[open], :popover-open")) return;
      if (target.matches("input, textarea, select, audio, video, [role=region]") && key !== "Escape") return;
      const link = key === "Escape" ? this.querySelector("[data-back]") : this.#link(STEPS[key]);
      if (!link) return;
      event.preventDefault();
      link.click();
      if (key !== "Escape") pressed = document.activeElement?.dataset.step ?? "";
    }

    // A player and what scrolls sideways have swipes of their own.
    #touched({ target, touches }) {
      const isOwn = target.closest("audio, video, [role=region]") || touches.length > 1 || visualViewport.scale > 1;
      this.#start = isOwn ? null : { x: touches[0].clientX, y: touches[0].clientY };
    }

    #swiped({ changedTouches: [{ clientX, clientY }] }) {
      if (!this.#start) return;
      const [x, y] = [clientX - this.#start.x, clientY - this.#start.y];
      this.#start = null;
      if (Math.abs(x) >= LEAST_SWIPE && Math.abs(x) > 2 * Math.abs(y)) this.#link(x > 0 ? "before" : "after")?.click();
    }
  }

  customElements.define("file-viewer", FileViewer);
})();
