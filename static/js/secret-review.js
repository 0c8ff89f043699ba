// <secret-review>: the button data-review-save says how many of the ticked secrets will be saved and deleted.
(() => {
  "use strict";
  class SecretReview extends HTMLElement {
    #listeners;

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      this.addEventListener("change", () => this.#count(), { signal });
      // A browser may bring back ticks of an earlier visit.
      addEventListener("pageshow", () => this.#count(), { signal });
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    #count() {
      const button = this.querySelector("[data-review-save]");
      if (!button) return;
      const writes = this.querySelectorAll("input[name=write]:checked").length;
      const deletes = this.querySelectorAll("input[name=delete]:checked").length;
      const parts = [];
      if (writes || !deletes) parts.push(`Save ${writes} secret${writes === 1 ? "" : "s"}`);
      if (deletes) parts.push(`${writes ? "delete" : "Delete"} ${deletes}`);
      button.textContent = parts.join(", ");
    }
  }

  customElements.define("secret-review", SecretReview);
})();
