// "/" and Ctrl/Cmd+K focus the search field of the page (data-search); an empty one is left out of the address. A box with
// data-single-keys switches shortcuts of one character off: the browser remembers it, and scripts and the style sheet read it at the root.
(() => {
  "use strict";
  const SETTING = "single-keys";
  const root = document.documentElement.dataset;
  const isTyping = (target) => target.matches?.("input, textarea, select, [contenteditable]");

  // Where the browser blocks storage, the choice holds for this page.
  const stored = (act) => {
    try {
      return act(localStorage);
    } catch {
      return null;
    }
  };
  root.singleKeys = stored((store) => store.getItem(SETTING)) ?? "on";

  const restore = (within) => {
    for (const box of within.querySelectorAll?.("input[data-single-keys]") ?? []) box.checked = root.singleKeys === "on";
  };
  restore(document);
  document.addEventListener("htmx:load", (event) => restore(event.detail.elt));

  document.addEventListener("change", ({ target }) => {
    if (!target.matches?.("input[data-single-keys]")) return;
    root.singleKeys = target.checked ? "on" : "off";
    stored((store) => store.setItem(SETTING, root.singleKeys));
  });

  document.addEventListener("keydown", (event) => {
    const slash = event.key === "/" && root.singleKeys === "on" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
    const k = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!slash && !k) return;
    if (document.querySelector("dialog[open]")) return;
    const field = document.querySelector("[data-search]");
    if (!field) return;
    event.preventDefault();
    field.focus();
    field.select();
  });

  document.addEventListener("htmx:configRequest", ({ target, detail }) => {
    const field = target.matches?.("form[role=search]") && target.querySelector("[data-search]");
    if (field && !field.value) delete detail.parameters[field.name];
  });
})();
