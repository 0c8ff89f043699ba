// The details beside a list: the open row is marked, the page's title follows the folder, and closing gives the focus back to the row.
(() => {
  "use strict";
  let opener = "";
  let changed = false;
  let told = "";
  let again = false;

  const rowOf = (key) => document.querySelector(`[data-rows] input[name=key][value="${CSS.escape(key)}"]`)?.closest("tr");
  const open = () => document.querySelector("[data-panel]")?.dataset.panel;
  const close = () => document.querySelector("[data-panel-close]");

  // What its row says of the open object; nothing where the list does not show it.
  const face = () => {
    const row = open() && rowOf(open());
    return row ? `${row.querySelector("input").dataset.bytes} ${row.querySelector("time")?.dateTime}` : "";
  };

  const mark = () => {
    const row = open() === undefined ? null : rowOf(open());
    for (const marked of document.querySelectorAll("[data-rows] tr[aria-current]")) if (marked !== row) marked.removeAttribute("aria-current");
    row?.setAttribute("aria-current", "true");
  };

  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-panel-close]")) opener = open();
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open], :popover-open, [data-path-box][open]")) close()?.click();
  });

  document.addEventListener("htmx:afterSettle", ({ detail: { target } }) => {
    mark();
    if (target.id === "objects-details") settled();
    else if (changed && target.id === "objects-list") follow();
    const title = document.querySelector("[data-title]")?.dataset.title;
    if (title && document.title !== title) document.title = title;
    if (opener && open() === undefined) {
      rowOf(opener)?.querySelector("th a").focus();
      opener = "";
    }
  });

  const settled = () => {
    told = face();
    if (again && document.querySelector("[data-panel-gone]")) close()?.click();
    else if (!again || document.activeElement === document.body) document.querySelector("[data-panel-title]")?.focus();
    again = false;
  };

  // The fresh list tells whether the open object is another one now. Where it does not show it, the object may be gone.
  const follow = () => {
    changed = false;
    if (open() === undefined || (told && face() === told)) return;
    again = true;
    htmx.ajax("GET", location.pathname + location.search, { target: "#objects-details", swap: "outerHTML" });
  };

  document.addEventListener("objects:changed", () => (changed = true), true);
  document.addEventListener("DOMContentLoaded", () => (told = face()));
})();
