// The details beside a list: the open row is marked, the page's title follows the folder, and closing gives the focus back to the row.
(() => {
  let opener = "";

  const mark = () => {
    const key = document.querySelector("[data-panel]")?.dataset.panel;
    for (const link of document.querySelectorAll("[data-open]")) {
      const row = link.closest("tr");
      if (key !== undefined && link.dataset.open === key) row.setAttribute("aria-current", "true");
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
      document.querySelector(`[data-open="${CSS.escape(opener)}"]`)?.focus();
      opener = "";
    }
  });

  // A deleted object leaves the panel: the list goes on without it.
  document.addEventListener("objects:changed", () => {
    const key = document.querySelector("[data-panel]")?.dataset.panel;
    if (key === undefined) return;
    document.addEventListener("htmx:afterSettle", () => {
      const shown = Array.from(document.querySelectorAll("[data-open]"), (link) => link.dataset.open);
      if (shown.length < 200 && !shown.includes(key)) document.querySelector("[data-panel-close]")?.click();
    }, { once: true });
  });
})();
