// Keeps open what somebody opened when htmx replaces the part around it: the fold with the same heading in the answer is opened, too.
(() => {
  "use strict";
  const FOLD = "details:not([data-path-box])";
  // What stands beside a heading, such as a number, may change.
  const headingOf = (fold) => (fold.querySelector("summary :is(h2, h3)") ?? fold.querySelector("summary"))?.textContent;
  // By request: another answer may come before this one has settled.
  const opened = new WeakMap();

  document.addEventListener("htmx:beforeSwap", ({ detail: { target, xhr } }) => {
    opened.set(xhr, [...target.querySelectorAll(`${FOLD}[open]`)].map(headingOf));
  });
  document.addEventListener("htmx:afterSettle", ({ target, detail: { xhr } }) => {
    for (const fold of target.querySelectorAll(FOLD)) fold.open ||= opened.get(xhr)?.includes(headingOf(fold));
  });
})();
