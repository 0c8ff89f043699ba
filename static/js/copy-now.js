// A copy button with data-copy-now, which arrives after a click, is pressed at once.
(() => {
  "use strict";
  document.addEventListener("htmx:load", (event) => event.detail.elt.querySelector?.("[data-copy-now]")?.click());
})();
