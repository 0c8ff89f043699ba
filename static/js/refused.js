// After a refused form (422) its first error takes the focus, since on a phone it may be out of sight: on a new page, and where the part
// that was replaced had the focus. The dialog does this itself, and so does a page with `autofocus`. A part that was asked for may mark the
// field to type in (data-focus).
(() => {
  "use strict";
  const focusError = (root) => root.querySelector?.("form :is([role=alert][tabindex], [aria-invalid=true]:not(:disabled))")?.focus();

  const { responseStatus } = performance.getEntriesByType("navigation")[0] ?? {};
  if (responseStatus === 422 && !document.querySelector("[autofocus]")) focusError(document);

  document.addEventListener("htmx:afterSettle", (event) => {
    if (!event.target.closest("dialog")) event.target.querySelector("[data-focus]")?.focus();
    if (event.detail.xhr?.status === 422 && document.activeElement === document.body) focusError(event.target);
  });
})();
