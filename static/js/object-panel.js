// The details beside the list of objects: the row of the open object is marked, the page's title follows the folder, changes in the list
// refresh the details, and closing them gives the focus back to the row.
// Marks: data-panel (the key of the open object), data-panel-title, data-panel-close, data-panel-gone, data-title (of the folder).
(() => {
  "use strict";
  // The object whose details are being closed.
  let closing = "";
  let isListStale = false;
  // The size and time of the open object in the list, when its details were loaded.
  let version = "";

  const rowOf = (key) => document.querySelector(`[data-rows] input[name=key][value="${CSS.escape(key)}"]`)?.closest("tr");
  const openKey = () => document.querySelector("[data-panel]")?.dataset.panel;
  const closeButton = () => document.querySelector("[data-panel-close]");

  const listedVersion = () => {
    const row = openKey() && rowOf(openKey());
    return row ? `${row.querySelector("input").dataset.bytes} ${row.querySelector("time")?.dateTime}` : "";
  };

  const markRow = () => {
    const row = openKey() === undefined ? null : rowOf(openKey());
    for (const marked of document.querySelectorAll("[data-rows] tr[aria-current]")) if (marked !== row) marked.removeAttribute("aria-current");
    row?.setAttribute("aria-current", "true");
  };

  // The page itself asks for them when the list has changed, without an event.
  const loaded = (isAsked) => {
    version = listedVersion();
    if (!isAsked && document.querySelector("[data-panel-gone]")) closeButton()?.click();
    else if (isAsked || document.activeElement === document.body) document.querySelector("[data-panel-title]")?.focus();
  };

  // The new list shows whether the open object has changed. Where it doesn't show the object, that may be gone.
  const refresh = () => {
    isListStale = false;
    if (openKey() === undefined || (version && listedVersion() === version)) return;
    htmx.ajax("GET", location.pathname + location.search, { target: "#objects-details", swap: "outerHTML" });
  };

  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[data-panel-close]")) closing = openKey();
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    if (!document.querySelector("dialog[open], :popover-open, [data-path-box][open]")) closeButton()?.click();
  });

  document.addEventListener("htmx:afterSettle", ({ detail: { requestConfig, target } }) => {
    markRow();
    if (target.id === "objects-details") loaded(Boolean(requestConfig?.triggeringEvent));
    else if (isListStale && target.id === "objects-list") refresh();
    const title = document.querySelector("[data-title]")?.dataset.title;
    if (title && document.title !== title) document.title = title;
    if (closing && openKey() === undefined) {
      rowOf(closing)?.querySelector("th a").focus();
      closing = "";
    }
  });

  document.addEventListener("objects:changed", () => (isListStale = true), true);
  document.addEventListener("DOMContentLoaded", () => (version = listedVersion()));
})();
