// The job tray stays open while htmx replaces it; Escape and a click elsewhere close it.
(() => {
  "use strict";
  const details = () => document.querySelector("[data-job-tray] > details");
  let isOpen = false;

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target?.matches?.("[data-job-tray]")) isOpen = Boolean(details()?.open);
  });

  document.addEventListener("htmx:load", (event) => {
    if (isOpen && event.detail.elt.matches?.("[data-job-tray]") && details()) details().open = true;
  });

  document.addEventListener("keydown", (event) => {
    const shown = details();
    if (event.key !== "Escape" || !shown?.open || document.querySelector("dialog[open]")) return;
    if (shown.contains(document.activeElement)) shown.firstElementChild.focus();
    shown.open = false;
  });

  document.addEventListener("click", (event) => {
    const shown = details();
    if (shown?.open && event.target.isConnected && !event.target.closest("[data-job-tray], dialog")) shown.open = false;
  });
})();
