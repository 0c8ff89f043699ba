// What asks again and again (data-poll) rests while nobody looks: a hidden tab sends nothing.
(() => {
  "use strict";
  document.addEventListener("htmx:beforeRequest", (event) => {
    const asking = event.detail.elt;
    if (document.hidden && asking.hasAttribute("data-poll") && !event.detail.requestConfig.triggeringEvent) event.preventDefault();
  });
})();
