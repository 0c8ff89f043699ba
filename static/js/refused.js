// What was refused takes the focus: on a phone it may stand far below. On a page that came back so, and in a part that took the
// focus away with it. The dialog does this by itself, and so does a page with `autofocus`.
(() => {
  "use strict";
  const show = (place) => place.querySelector?.("form :is([role=alert][tabindex], [aria-invalid=true]:not(:disabled))")?.focus();

  const { responseStatus } = performance.getEntriesByType("navigation")[0] ?? {};
  if (responseStatus === 422 && !document.querySelector("[autofocus]")) show(document);

  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.xhr?.status === 422 && document.activeElement === document.body) show(event.target);
  });
})();
