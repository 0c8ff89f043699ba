// <bundle-fields>: shows what concerns bundles alone only once the chosen file is one, or where it was refused.
(() => {
  "use strict";
  const START_BYTES = 512;
  // A known bundle, or anything else that isn't text.
  const BUNDLE = /^(ESZIP|EZBR)|[\0\uFFFD]/u;

  class BundleFields extends HTMLElement {
    connectedCallback() {
      this.addEventListener("change", ({ target }) => target.type === "file" && this.#show());
      this.#show();
    }

    async #show() {
      const [file] = this.querySelector("[type=file]").files;
      const isBundle = BUNDLE.test((await file?.slice(0, START_BYTES).text()) ?? "");
      for (const field of this.querySelectorAll("[name=import_map], [name=entrypoint_path], [name=import_map_path]")) {
        field.closest(".field").hidden = !isBundle && field.getAttribute("aria-invalid") !== "true";
      }
    }
  }

  customElements.define("bundle-fields", BundleFields);
})();
