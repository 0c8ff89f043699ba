// The tray of jobs stays open while it renews itself; Escape and a click elsewhere fold it.
(() => {
  "use strict";
  const fold = () => document.querySelector("[data-job-tray] > details");
  let open = false;

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target?.matches?.("[data-job-tray]")) open = Boolean(fold()?.open);
  });

  document.addEventListener("htmx:load", (event) => {
    if (open && event.detail.elt.matches?.("[data-job-tray]") && fold()) fold().open = true;
  });

  document.addEventListener("keydown", (event) => {
    const shown = fold();
    if (event.key !== "Escape" || !shown?.open || document.querySelector("dialog[open]")) return;
    if (shown.contains(document.activeElement)) shown.firstElementChild.focus();
    shown.open = false;
  });

  document.addEventListener("click", (event) => {
    const shown = fold();
    if (shown?.open && event.target.isConnected && !event.target.closest("[data-job-tray], dialog")) shown.open = false;
  });
})();
