// The details beside a list: the open row is marked, the page's title follows the folder, and closing gives the focus back to the row.
(() => {
  let opener = "";
  let changed = false;

  const links = () => Array.from(document.querySelectorAll("[data-open]"));
  const keyOf = (link) => link.closest("tr").querySelector("[name=key]").value;

  const mark = () => {
    const key = document.querySelector("[data-panel]")?.dataset.panel;
    for (const link of links()) {
      const row = link.closest("tr");
      if (key !== undefined && keyOf(link) === key) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  };

  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-panel-close]")) opener = event.target.closest("[data-panel]").dataset.panel;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    const close = document.querySelector("[data-panel-close]");
    if (close && !document.querySelector("[data-selection] input[data-bytes]:checked")) close.click();
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    mark();
    if (event.detail.target.id === "objects-details") document.querySelector("[data-panel-title]")?.focus();
    const title = document.querySelector("[data-title]")?.dataset.title;
    if (title && document.title !== title) document.title = title;
    if (opener && !document.querySelector("[data-panel]")) {
      links().find((link) => keyOf(link) === opener)?.focus();
      opener = "";
    }
  });

  // A deleted object leaves the panel: the fresh list, where it is whole, shows whether it is still there.
  document.addEventListener("htmx:afterSettle", (event) => {
    const key = document.querySelector("[data-panel]")?.dataset.panel;
    if (key === undefined || event.detail.target.id !== "objects-list" || !changed) return;
    changed = false;
    const shown = links().map(keyOf);
    if (!document.querySelector("tbody:last-child > .more") && !shown.includes(key)) document.querySelector("[data-panel-close]")?.click();
  });
  document.addEventListener("objects:changed", () => (changed = true), true);
})();
