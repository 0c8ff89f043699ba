// The details beside a list: the open row is marked, the page's title follows the folder, and closing gives the focus back to the row.
(() => {
  "use strict";
  let opener = "";
  let changed = false;

  const rowOf = (key) => document.querySelector(`[data-rows] input[name=key][value="${CSS.escape(key)}"]`)?.closest("tr");
  const open = () => document.querySelector("[data-panel]")?.dataset.panel;
  const close = () => document.querySelector("[data-panel-close]");

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

  document.addEventListener("htmx:afterSettle", (event) => {
    mark();
    if (event.detail.target.id === "objects-details") document.querySelector("[data-panel-title]")?.focus();
    const title = document.querySelector("[data-title]")?.dataset.title;
    if (title && document.title !== title) document.title = title;
    if (opener && open() === undefined) {
      rowOf(opener)?.querySelector("th a").focus();
      opener = "";
    }
  });

  // A deleted object leaves the panel: the fresh list, where it is whole, shows whether it is still there.
  document.addEventListener("htmx:afterSettle", (event) => {
    if (open() === undefined || event.detail.target.id !== "objects-list" || !changed) return;
    changed = false;
    if (!document.querySelector("tbody:last-child > .more") && !rowOf(open())) close()?.click();
  });
  document.addEventListener("objects:changed", () => (changed = true), true);
})();
