// The list by mouse and keyboard: one row at a time is a tab stop, keys act on it or on the selection, all rows share one menu.
(() => {
  "use strict";
  const ROW = "[data-rows] tbody > tr:not(.more)";
  const seen = new WeakSet();
  let current = "";
  let at = 0;
  let inside = false;
  let menuRow = null;

  const browser = () => document.getElementById("objects");
  const table = () => document.querySelector("[data-rows]");
  const menu = () => document.querySelector("[data-row-menu]");
  const linkOf = (row) => row?.querySelector("th a");
  const rows = () => [...document.querySelectorAll(ROW)].filter(linkOf);
  const rowOf = (element) => element?.closest?.(ROW) ?? null;
  const boxOf = (row) => row?.querySelector("input");
  const idOf = (row) => `${boxOf(row).name}\n${boxOf(row).value}`;
  const controls = (root) => root.querySelectorAll("th a, input, [data-more]");

  const stop = (row) => {
    const before = table().querySelector("[data-stop]");
    if (before && before !== row) {
      before.removeAttribute("data-stop");
      for (const control of controls(before)) control.tabIndex = -1;
    }
    row.setAttribute("data-stop", "");
    for (const control of controls(row)) control.tabIndex = 0;
    current = idOf(row);
  };

  // What a row's controls act on is said to those who hear one of them alone.
  const name = (row) => {
    const text = linkOf(row)?.textContent;
    if (!text || !boxOf(row)) return;
    for (const control of controls(row)) {
      control.tabIndex = -1;
      if (control.hasAttribute("aria-label")) control.setAttribute("aria-label", `${control.getAttribute("aria-label")} ${text}`);
      else control.title = text;
    }
  };

  // Rows that came get in line, and say that they are rows: as grids they would be none to some browsers; the stop stays with its entry, or with its place where the entry is gone.
  const settle = () => {
    for (const body of table()?.tBodies ?? []) {
      if (seen.has(body)) continue;
      seen.add(body);
      for (const row of body.rows) {
        for (const cell of row.cells) cell.setAttribute("role", cell.scope ? "rowheader" : "cell");
        row.setAttribute("role", "row");
        name(row);
      }
      body.setAttribute("role", "rowgroup");
    }
    let row = table()?.querySelector("[data-stop]");
    if (!row) {
      const all = rows();
      row = all.find((one) => idOf(one) === current) ?? all[Math.min(at, all.length - 1)];
      if (row) stop(row);
      at = Math.max(0, all.indexOf(row));
    }
    const main = document.getElementById("main");
    const lost = [document.body, main].includes(document.activeElement);
    if (inside && lost) (linkOf(row) ?? main).focus();
    inside = false;
  };

  const open = (link) => {
    const folder = boxOf(rowOf(link))?.name === "folder";
    if (folder) at = 0;
    htmx.ajax("GET", link.pathname + link.search, { source: link, target: folder ? "#objects" : "#objects-details", swap: "outerHTML", push: "true" });
  };

  const act = (entry, row) => {
    const box = boxOf(row);
    const address = entry.dataset[box.name === "key" ? "forKey" : "forFolder"];
    if (!address) return;
    const whole = `${address}?${box.name}=${encodeURIComponent(box.value)}`;
    if ("goes" in entry.dataset) location.assign(whole);
    else htmx.ajax("GET", whole, { source: linkOf(row), target: "#dialog" });
  };

  const actions = (row) => {
    menuRow = row;
    const name = boxOf(row).name;
    menu().querySelector("[data-row-name]").textContent = linkOf(row).textContent;
    for (const entry of menu().querySelectorAll("[data-for-key], [data-for-folder]")) entry.hidden = !entry.dataset[name === "key" ? "forKey" : "forFolder"];
    document.dispatchEvent(new CustomEvent("menu:open", { detail: { menu: menu(), button: row.querySelector("[data-more]") } }));
    menu().querySelector("[data-row-open]").focus();
  };

  const perform = (name) => {
    const button = document.querySelector(`[data-selection][data-chosen] [data-act="${name}"]`);
    const entry = menu()?.querySelector(`[data-row-act="${name}"]`);
    const row = rowOf(document.activeElement);
    if (button) button.click();
    else if (row && entry) act(entry, row);
  };

  const tick = (row, shiftKey) => boxOf(row).dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey }));

  const walk = (choose, extend) => {
    const all = rows();
    if (!all.length) return;
    const here = rowOf(document.activeElement);
    const row = here ? all[Math.max(0, Math.min(all.length - 1, choose(all.indexOf(here), all.length)))] : (all.find((one) => idOf(one) === current) ?? all[0]);
    linkOf(row).focus();
    if (!extend || !here || row === here) return;
    if (!boxOf(here).checked) tick(here, false);
    tick(boxOf(row).checked ? here : row, false);
  };

  const up = () => {
    const above = [...document.querySelectorAll("[data-steps] a")].at(-1);
    if (!above) return;
    current = `folder\n${browser().dataset.path}`;
    at = 0;
    above.click();
    inside = true;
  };

  const all = () => {
    const head = document.querySelector("[data-select-all]");
    if (head && !head.checked) head.click();
  };

  const path = () => {
    document.querySelector("[data-path-box]").open = true;
    document.getElementById("path-typed").select();
  };

  // Keys of one character, which a person may have switched off.
  const ANYWHERE = {
    j: () => walk((place) => place + 1),
    k: () => walk((place) => place - 1),
    u: () => document.querySelector("[data-pick=pick-files]")?.click(),
    p: path,
    m: () => perform("move"),
    c: () => perform("copy"),
    "?": () => document.querySelector("[data-keys]")?.click(),
  };
  const IN_LIST = {
    ArrowDown: (event) => walk((place) => place + 1, event.shiftKey),
    ArrowUp: (event) => walk((place) => place - 1, event.shiftKey),
    Home: () => walk(() => 0),
    End: () => walk((_, length) => length - 1),
    Delete: () => perform("delete"),
    F2: () => perform("rename"),
    Backspace: up,
  };
  const ON_ROW = {
    " ": (event, row) => tick(row, event.shiftKey),
    ".": (_, row) => actions(row),
  };

  const escape = (event) => {
    const box = document.querySelector("[data-path-box][open]");
    const filter = document.querySelector("#objects [data-search]");
    if (box) {
      box.open = false;
      box.querySelector("summary").focus();
    } else if (filter?.value && !document.querySelector("[data-panel-close]") && event.target !== filter) {
      filter.value = "";
      filter.form.requestSubmit();
    }
  };

  document.addEventListener("keydown", (event) => {
    if (!browser() || event.defaultPrevented || event.isComposing || document.querySelector("dialog[open], :popover-open")) return;
    if (event.key === "Escape") return escape(event);
    const { target, key } = event;
    if (target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]")) return;
    const row = rowOf(target);
    // Where a dialog gave the focus back to a button of the bar, the keys of the list go on.
    const free = row || target === document.body || target.id === "main" || target.closest("[data-act]");
    const control = event.ctrlKey || event.metaKey;
    const onLink = row && target === linkOf(row);
    const alone = document.documentElement.dataset.singleKeys === "on";
    const does = control ? (key.toLowerCase() === "a" && free ? all : null) : ((alone && ANYWHERE[key]) || (free && IN_LIST[key]) || (onLink && ON_ROW[key]));
    if (!does || event.altKey) return;
    event.preventDefault();
    does(event, row);
  });

  document.addEventListener("focusin", (event) => {
    const row = rowOf(event.target);
    if (!row || !boxOf(row)) return;
    stop(row);
    at = rows().indexOf(row);
  });

  document.addEventListener("click", (event) => {
    const element = event.target;
    if (!(element instanceof Element) || event.defaultPrevented) return;
    const link = element.closest(`${ROW} > th > a`);
    const entry = element.closest("[data-row-menu] button");
    if (link && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) {
      event.preventDefault();
      open(link);
    } else if (element.closest("[data-more]")) actions(rowOf(element));
    else if (entry && "rowOpen" in entry.dataset) open(linkOf(menuRow));
    else if (entry) act(entry, menuRow);
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target } = event.detail;
    const here = document.activeElement;
    // The bar of a selection goes with what was chosen.
    inside ||= target.contains(target === browser() ? here : (rowOf(here) ?? here?.closest("[data-selection] .selection")));
  });
  document.addEventListener("htmx:afterSettle", (event) => event.detail.target.closest("dialog") || settle());
  document.addEventListener("DOMContentLoaded", settle);
})();
