// An element that polls (data-poll) pauses in a hidden tab. Its answer is dropped while a button inside waits for its own: replacing the
// button would lose that answer, which updates the element anyway.
(() => {
  "use strict";
  document.addEventListener("htmx:beforeRequest", (event) => {
    const element = event.detail.elt;
    if (document.hidden && element.hasAttribute("data-poll") && !event.detail.requestConfig.triggeringEvent) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const element = event.detail.requestConfig.elt;
    if (element.hasAttribute("data-poll") && element.querySelector(".htmx-request")) event.detail.shouldSwap = false;
  });
})();
