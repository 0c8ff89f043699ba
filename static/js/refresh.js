// What somebody does, such as a click or typing, and the page's own requests, such as those of a list that follows changes (hx-trigger
// "… from:body"), may replace the same part of the page: an element with an id. What somebody did last is answered: earlier answers are
// dropped, and until then the page's own requests for this part wait. An answer that finds its part replaced goes to the new one. A change
// that comes while the part is being read is read after it, by the new part.
(() => {
  "use strict";
  const missed = new Set();
  const underway = new Set();
  const dropped = new WeakSet();

  // Scripts cause events of this kind, or none.
  const isAsked = ({ requestConfig: { triggeringEvent: event } }) => Boolean(event) && !(event instanceof CustomEvent);
  // The answer to an element that is gone goes nowhere.
  const isHeard = ({ requestConfig: { elt } }) => elt.isConnected;
  const besides = ({ requestConfig, target }) =>
    requestConfig.verb === "get" && target.id ? [...underway].filter((one) => one.target.id === target.id && isHeard(one)) : [];
  const follows = (element) => element.id && element.getAttribute("hx-trigger")?.includes("from:body");

  document.addEventListener("htmx:trigger", ({ target }) => {
    if (follows(target) && target.classList.contains("htmx-request")) missed.add(target.id);
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { detail } = event;
    missed.delete(detail.elt.id);
    if (isAsked(detail) || !besides(detail).some(isAsked)) return;
    event.preventDefault();
    if (follows(detail.elt)) missed.add(detail.elt.id);
  });
  document.addEventListener("htmx:beforeSend", ({ detail }) => {
    if (detail.requestConfig.verb !== "get") return;
    if (isAsked(detail)) for (const { xhr } of besides(detail)) dropped.add(xhr);
    underway.add(detail);
    detail.xhr.addEventListener("loadend", () => underway.delete(detail));
  });
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    const { detail } = event;
    underway.delete(detail);
    if (dropped.has(detail.xhr)) event.preventDefault();
    else if (!detail.target.isConnected) detail.target = document.getElementById(detail.target.id) ?? detail.target;
  });
  document.addEventListener("htmx:afterSettle", ({ target }) => {
    if (missed.delete(target.id)) htmx.ajax("GET", target.getAttribute("hx-get"), { source: target });
  });
})();
