// Fetches the script of a custom element that names it (data-script, data-integrity): most pages and dialogs don't need it.
(() => {
  "use strict";
  document.addEventListener("htmx:load", ({ detail }) => {
    for (const { dataset } of detail.elt.querySelectorAll?.(":not(:defined)[data-script]") ?? []) {
      document.head.append(Object.assign(document.createElement("script"), { src: dataset.script, integrity: dataset.integrity }));
    }
  });
})();
