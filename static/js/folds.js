// Keeps open what somebody opened when htmx replaces the part around it: the fold with the same heading in the answer is opened, too.
(() => {
  "use strict";
  const FOLD = "details:not([data-path-box])";
  const headingOf = (fold) => fold.querySelector("summary")?.textContent;
  let opened = [];

  document.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
    opened = [...target.querySelectorAll(`${FOLD}[open]`)].map(headingOf);
  });
  document.addEventListener("htmx:load", ({ target }) => {
    for (const fold of target.querySelectorAll(FOLD)) fold.open ||= opened.includes(headingOf(fold));
  });
})();
