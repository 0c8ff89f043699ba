// "/" and Ctrl/Cmd+K go to the page's search field, where there is one. Escape empties it; what is empty is not asked for.
(() => {
  "use strict";
  const typing = (target) => target.matches?.("input, textarea, select, [contenteditable]");

  document.addEventListener("keydown", (event) => {
    const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target);
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
