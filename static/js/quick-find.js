// <quick-find>: a field and a list of links that changes as one types. Arrow keys move between them, Enter in the field opens the first link,
// as soon as the list belongs to what was typed.
(() => {
  "use strict";

  class QuickFind extends HTMLElement {
    #isChosen = false;

    connectedCallback() {
      this.addEventListener("keydown", (event) => this.#pressed(event));
      this.addEventListener("htmx:afterSettle", () => this.#isChosen && this.#open());
    }

    get #field() {
      return this.querySelector("input[type=search]");
    }

    get #links() {
      return [...this.querySelectorAll(".find__list a")];
    }

    #open() {
      const typed = this.#field.value.trim().replace(/\s+/g, " ");
      if (this.querySelector(".find__list").dataset.query !== typed) return;
      this.#isChosen = false;
      this.#links[0]?.click();
    }

    #pressed(event) {
      if (event.isComposing) return;
      const places = [this.#field, ...this.#links];
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        places[(places.indexOf(document.activeElement) + step + places.length) % places.length].focus();
      } else if (event.key === "Enter" && event.target === this.#field) {
        event.preventDefault();
        this.#isChosen = true;
        this.#open();
      } else if (event.target !== this.#field && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && event.key !== " ") {
        this.#field.focus();
      }
    }
  }

  customElements.define("quick-find", QuickFind);
})();
