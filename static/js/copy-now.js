// Presses a copy button with data-copy-now as soon as it arrives.
(() => {
  "use strict";
  document.addEventListener("htmx:load", (event) => event.detail.elt.querySelector?.("[data-copy-now]")?.click());
})();
