// After a refused form (422, 409) its first error takes the focus, since on a phone it may be out of sight: on a new page, and where the part
// that was replaced had the focus. The dialog does this itself, and so does a page with `autofocus`. A part that was asked for may mark the
// field to type in (data-focus).
(() => {
  "use strict";
  const isRefused = (status) => status === 422 || status === 409;
  const focusError = (root) => root.querySelector?.("form :is([role=alert][tabindex], [aria-invalid=true]:not(:disabled))")?.focus();

  const { responseStatus } = performance.getEntriesByType("navigation")[0] ?? {};
  if (isRefused(responseStatus) && !document.querySelector("[autofocus]")) focusError(document);

  document.addEventListener("htmx:afterSettle", (event) => {
    if (!event.target.closest("dialog")) event.target.querySelector("[data-focus]")?.focus();
    if (isRefused(event.detail.xhr?.status) && document.activeElement === document.body) focusError(event.target);
  });
})();
