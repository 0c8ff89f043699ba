// What asks again and again (data-poll) rests while nobody looks: a hidden tab sends nothing. What it brings does not replace what a
// person has just pressed in it: that answer would be lost with the button, and it renews the place by itself.
(() => {
  "use strict";
  document.addEventListener("htmx:beforeRequest", (event) => {
    const asking = event.detail.elt;
    if (document.hidden && asking.hasAttribute("data-poll") && !event.detail.requestConfig.triggeringEvent) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const asking = event.detail.requestConfig.elt;
    if (asking.hasAttribute("data-poll") && asking.querySelector(".htmx-request")) event.detail.shouldSwap = false;
  });
})();
