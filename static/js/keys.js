// The keys of every page. "/" focuses the search field of the page (data-search; an empty one is left out of the address), or else opens the
// palette (data-palette), as Ctrl/Cmd+K does, whose field gets what is typed until it is there; "?" opens the list of keys (data-shortcuts); "g" and then another key opens the link with that
// key in data-go. A box with data-single-keys switches shortcuts of one character off: the browser remembers it, and scripts and the
// style sheet read it at the root.
(() => {
  "use strict";
  const SETTING = "single-keys";
  const root = document.documentElement.dataset;
  const isTyping = (target) => target.matches?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");

  root.singleKeys = document.cookie.includes(`${SETTING}=off`) ? "off" : "on";

  const restore = (within) => {
    for (const box of within.querySelectorAll?.("input[data-single-keys]") ?? []) box.checked = root.singleKeys === "on";
  };
  restore(document);
  document.addEventListener("htmx:load", (event) => restore(event.detail.elt));

  document.addEventListener("change", ({ target }) => {
    if (!target.matches?.("input[data-single-keys]")) return;
    root.singleKeys = target.checked ? "on" : "off";
    // A cookie, since signing out clears the storage of the browser.
    document.cookie = `${SETTING}=${root.singleKeys}; path=/; max-age=31536000; samesite=lax`;
  });

  const open = (selector) => {
    const link = document.querySelector(selector);
    link?.click();
    return Boolean(link);
  };

  // What is typed while the palette is on its way; null if it isn't.
  let typed = null;
  const openPalette = () => {
    const isComing = open("[data-palette]");
    typed = isComing ? "" : null;
    return isComing;
  };
  const keep = (key) => {
    if (key.length > 1 && key !== "Backspace") return false;
    typed = key === "Backspace" ? typed.slice(0, -1) : typed + key;
    return true;
  };
  document.addEventListener("focusin", ({ target }) => {
    if (typed === null || !target.matches("dialog input")) return;
    target.value = typed;
    if (typed) target.dispatchEvent(new Event("input", { bubbles: true }));
    typed = null;
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (!detail.successful && detail.elt.matches("[data-palette]")) typed = null;
  });

  const search = () => {
    const field = [...document.querySelectorAll("[data-search]")].find((one) => one.checkVisibility());
    field?.focus();
    field?.select();
    return Boolean(field) || openPalette();
  };

  let prefix = "";
  const act = (key) => {
    const isSecond = prefix === "g";
    prefix = !isSecond && key === "g" ? key : "";
    if (isSecond && /^[a-z]$/.test(key)) return open(`[data-go="${key}"]`);
    if (key === "/") return search();
    return key === "?" && open("[data-shortcuts]");
  };

  document.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    const isPlain = !ctrlKey && !metaKey && !altKey;
    const isPalette = key.toLowerCase() === "k" && (ctrlKey || metaKey) && !shiftKey && !altKey;
    const isSingle = key.length === 1 && root.singleKeys === "on" && isPlain && !isTyping(event.target);
    const isMeant = typed !== null && isPlain ? keep(key) : isPalette ? openPalette() : isSingle && act(key);
    if (isMeant) event.preventDefault();
  });

  document.addEventListener("htmx:configRequest", ({ target, detail }) => {
    const field = target.matches?.("form[role=search]") && target.querySelector("[data-search]");
    if (field && !field.value) delete detail.parameters[field.name];
  });
})();
