// An element that polls (data-poll) pauses in a hidden tab. Its answer is dropped while a button inside waits for its own: replacing the
// button would lose that answer, which updates the element anyway. When the session ends, a poll says so and leaves the page as it is,
// with what was typed or is being uploaded. An error card that nobody sees isn't retried.
(() => {
  "use strict";
  let isSignedOut = false;

  document.addEventListener("htmx:beforeRequest", (event) => {
    const element = event.detail.elt;
    if (event.detail.requestConfig.triggeringEvent) return;
    const isPaused = document.hidden && element.hasAttribute("data-poll");
    if (isPaused || (element.matches(".problem") && !element.checkVisibility())) event.preventDefault();
  });
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    const { elt: element, requestConfig, xhr } = event.detail;
    if (!element.hasAttribute("data-poll") || requestConfig.triggeringEvent) return;
    const wasSignedOut = isSignedOut;
    isSignedOut = xhr.getResponseHeader("X-Problem") === "SignedOut";
    if (isSignedOut) event.preventDefault();
    if (isSignedOut && !wasSignedOut) document.querySelector("notice-list").say("You are signed out. Sign in again in another tab.", "danger");
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const element = event.detail.requestConfig.elt;
    if (element.hasAttribute("data-poll") && element.querySelector(".htmx-request")) event.detail.shouldSwap = false;
  });
})();
