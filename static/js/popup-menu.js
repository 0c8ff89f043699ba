// <popup-menu popover>: stands beside the button that opens it (data-menu with popovertarget, or the one given to openFrom), moves
// through its entries by arrow keys, and closes after a choice and when the page is scrolled.
// Method: openFrom(button).
(() => {
  "use strict";
  const GAP = 4;

  class PopupMenu extends HTMLElement {
    #button = null;
    #isPlaced = false;
    #listeners;

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      this.addEventListener("toggle", ({ newState }) => this.#toggled(newState === "open"), { signal });
      this.addEventListener("click", ({ target }) => this.#isOpen && target.closest(".menu__item") && this.hidePopover(), { signal });
      document.addEventListener("keydown", (event) => this.#walk(event), { signal });
      // A scroll that brought the button into sight may be reported after the menu opened, but before it was placed.
      addEventListener("scroll", () => this.#isPlaced && this.hidePopover(), { signal, passive: true, capture: true });
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    openFrom(button) {
      this.#button = button;
      this.showPopover();
    }

    get #isOpen() {
      return this.matches(":popover-open");
    }

    #toggled(isOpen) {
      const button = this.#button ?? document.querySelector(`[data-menu][popovertarget="${CSS.escape(this.id)}"]`);
      if (!button) return;
      button.setAttribute("aria-expanded", String(isOpen));
      if (isOpen) this.#place(button.getBoundingClientRect());
      this.#isPlaced = isOpen;
    }

    #place(button) {
      this.dataset.placed = "";
      const width = this.offsetWidth;
      const height = this.offsetHeight;
      const isBelow = button.bottom + GAP + height <= innerHeight || button.top < height;
      this.style.top = `${Math.max(GAP, isBelow ? button.bottom + GAP : button.top - GAP - height)}px`;
      this.style.left = `${Math.max(GAP, Math.min(button.right - width, innerWidth - width - GAP))}px`;
    }

    #walk(event) {
      if (!this.#isOpen || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
      const entries = [...this.querySelectorAll(":is(a, button):not([hidden])")];
      const step = event.key === "ArrowDown" ? 1 : -1;
      event.preventDefault();
      entries[(entries.indexOf(document.activeElement) + step + entries.length) % entries.length]?.focus();
    }
  }

  customElements.define("popup-menu", PopupMenu);
})();
