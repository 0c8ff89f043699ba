// A list that refreshes when something changes (hx-trigger "… from:body") and replaces itself. htmx puts off a change that comes while the
// list is being refreshed, and forgets it with the element that the answer replaces: the new element asks again. An answer that
// finds its list replaced, such as the filter's, goes to the new list.
(() => {
  "use strict";
  const missed = new Set();

  document.addEventListener("htmx:trigger", ({ target }) => {
    const refreshes = target.id && target.getAttribute("hx-trigger")?.includes("from:body");
    if (refreshes && target.classList.contains("htmx-request")) missed.add(target.id);
  });
  document.addEventListener("htmx:beforeRequest", (event) => missed.delete(event.detail.elt.id));
  document.addEventListener("htmx:afterSettle", ({ target }) => {
    if (missed.delete(target.id)) htmx.ajax("GET", target.getAttribute("hx-get"), { source: target });
  });
  document.addEventListener("htmx:beforeOnLoad", ({ detail }) => {
    if (!detail.target.isConnected) detail.target = document.getElementById(detail.target.id) ?? detail.target;
  });
})();
