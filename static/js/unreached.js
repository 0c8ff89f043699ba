// A request of htmx that Pilothouse didn't answer: the connection was lost, or a proxy answered with a page of its own. The page stays as it
// is, and a notice says so. An element that waits for its first content (data-waits) shows a way to try again.
(() => {
  "use strict";
  // Every answer of Pilothouse has it, and no page of a proxy (dashboard/web/http/headers.py).
  const OURS = "Cross-Origin-Embedder-Policy";

  const wordsFor = (verb, status) => {
    const code = status ? ` (${status})` : "";
    if (verb === "get") return `Pilothouse could not be reached${code}. Try again in a moment.`;
    if (status >= 400 && status < 500) return `The request was refused before it reached Pilothouse${code}. Nothing was changed.`;
    return `Pilothouse did not answer${code}, so it isn't known whether anything was changed. Check before you try again.`;
  };

  const offer = (element, path) => {
    const line = Object.assign(document.createElement("p"), { className: "alert alert--attention", textContent: "Pilothouse could not be reached. " });
    const again = Object.assign(document.createElement("a"), { href: path, textContent: "Try again" });
    again.addEventListener("click", (event) => {
      event.preventDefault();
      htmx.ajax("GET", path, { source: element });
    });
    line.append(again);
    element.replaceChildren(line);
  };

  const report = ({ detail: { elt: element, requestConfig, xhr } }) => {
    document.querySelector("notice-list").say(wordsFor(requestConfig.verb, xhr.status), "danger");
    if (element.matches("[data-waits]")) offer(element, requestConfig.path);
  };

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.getResponseHeader(OURS)) return;
    event.preventDefault();
    report(event);
  });
  document.addEventListener("htmx:sendError", report);
  document.addEventListener("htmx:timeout", report);
})();
