// What somebody does, such as a click or typing, and the page's own requests, such as those of a list that follows changes (hx-trigger
// "… from:body"), may replace the same part of the page: an element with an id, or one inside it. What somebody did last is answered: earlier
// requests are cancelled, and until then the page's own ones for this part wait. An answer that finds its part replaced goes to the new one.
// A change that comes while the part is being read is read after it, by the new part.
(() => {
  "use strict";
  const missed = new Set();
  const underway = new Set();

  // Scripts cause events of this kind, or none.
  const isAsked = ({ requestConfig: { triggeringEvent: event } }) => Boolean(event) && !(event instanceof CustomEvent);
  const isSame = ({ target }, { target: other }) => target.id && target.id === other.id;
  const overlap = ({ target }, { target: other }) => target.contains(other) || other.contains(target);
  const follows = (element) => element.id && element.getAttribute("hx-trigger")?.includes("from:body");

  // Heard at the element, which may be gone with its part.
  const arrive = ({ detail }) => {
    underway.delete(detail);
    if (!detail.target.isConnected) detail.target = document.getElementById(detail.target.id) ?? detail.target;
  };

  document.addEventListener("htmx:trigger", ({ target }) => {
    if (follows(target) && target.classList.contains("htmx-request")) missed.add(target.id);
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { detail } = event;
    missed.delete(detail.elt.id);
    if (isAsked(detail) || ![...underway].some((one) => isAsked(one) && isSame(one, detail))) return;
    event.preventDefault();
    if (follows(detail.elt)) missed.add(detail.elt.id);
  });
  document.addEventListener("htmx:beforeSend", ({ detail }) => {
    if (detail.requestConfig.verb !== "get") return;
    const earlier = [...underway];
    underway.add(detail);
    detail.xhr.addEventListener("loadend", () => underway.delete(detail));
    if (!isAsked(detail)) return;
    detail.elt.addEventListener("htmx:beforeOnLoad", arrive);
    for (const one of earlier) if (isSame(one, detail) || (isAsked(one) && overlap(one, detail))) one.xhr.abort();
  });
  document.addEventListener("htmx:afterSettle", ({ target }) => {
    if (missed.delete(target.id)) htmx.ajax("GET", target.getAttribute("hx-get"), { source: target });
  });
})();
