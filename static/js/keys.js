// "/" and Ctrl/Cmd+K go to the page's search field, where there is one. Escape empties it; what is empty is not asked for. Shortcuts of
// one character can be switched off (a box with data-single-keys); the browser remembers it, and the root tells other scripts and the
// style sheet.
(() => {
  "use strict";
  const NAME = "single-keys";
  const root = document.documentElement.dataset;
  const typing = (target) => target.matches?.("input, textarea, select, [contenteditable]");

  // Where the browser keeps nothing for us the choice holds for this page.
  const stored = (act) => {
    try {
      return act(localStorage);
    } catch {
      return null;
    }
  };
  root.singleKeys = stored((store) => store.getItem(NAME)) ?? "on";

  const furnish = (within) => {
    for (const box of within.querySelectorAll?.("input[data-single-keys]") ?? []) box.checked = root.singleKeys === "on";
  };
  furnish(document);
  document.addEventListener("htmx:load", (event) => furnish(event.detail.elt));

  document.addEventListener("change", ({ target }) => {
    if (!target.matches?.("input[data-single-keys]")) return;
    root.singleKeys = target.checked ? "on" : "off";
    stored((store) => store.setItem(NAME, root.singleKeys));
  });

  document.addEventListener("keydown", (event) => {
    const slash = event.key === "/" && root.singleKeys === "on" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target);
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
