// Boxes of a list: shift takes a range, the header box takes all that are shown, the bar counts.
// What was chosen stays chosen through sorting, paging and, where data-selection names a place, in other lists of that place:
// what is not shown goes along when the form is sent.
(() => {
  "use strict";
  const BOXES = "input:is([data-bytes], [data-pick])";
  const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const basket = new Map();
  let place = "";
  let last = null;
  let sent = [];
  let changed = false;

  const list = () => document.querySelector("[data-selection]");
  const boxes = () => [...(list()?.querySelectorAll(BOXES) ?? [])];
  const idOf = (box) => `${box.name}\n${box.value}`;
  const everything = () => list()?.querySelector("[data-select-everything]:checked");
  const amount = (bytes) => {
    let step = 0;
    for (; bytes >= 1024 && step < UNITS.length - 1; step += 1) bytes /= 1024;
    return bytes === 1 ? "1 byte" : `${step ? bytes.toFixed(1) : bytes} ${UNITS[step]}`;
  };

  const words = (sums, elsewhere) => {
    const objects = [...basket].filter(([id]) => !id.startsWith("folder\n"));
    const folders = basket.size - objects.length;
    const bytes = objects.reduce((sum, [, size]) => sum + Number(size), 0);
    const only = folders === 1 ? " folder" : " folders";
    const parts = [`${basket.size.toLocaleString("en")}${objects.length ? "" : only} selected`];
    if (folders && objects.length) parts.push(folders === 1 ? "one of them a folder" : `${folders.toLocaleString("en")} of them folders`);
    if (sums && objects.length) parts.push(`${amount(bytes)}${folders ? " in objects" : ""}`);
    if (elsewhere) parts.push(`${elsewhere.toLocaleString("en")} not in this list`);
    return [parts.join(", "), folders ? "" : bytes];
  };

  const count = () => {
    const form = list();
    if (!form) return;
    const all = boxes();
    let here = 0;
    for (const box of all) {
      if (!box.checked) basket.delete(idOf(box));
      else {
        basket.set(idOf(box), box.dataset.bytes);
        here += 1;
      }
    }
    const sum = form.querySelector("[data-selected-bytes]");
    const [chosen, bytes] = words(sum, basket.size - here);
    const whole = everything();
    const text = whole ? `${whole.closest("label").textContent.trim()}: selected` : basket.size ? chosen : "";
    for (const words of form.querySelectorAll("[data-selected]")) if (words.textContent !== text) words.textContent = text;
    if (sum) sum.value = basket.size && !whole ? bytes : "";
    form.toggleAttribute("data-chosen", Boolean(basket.size || whole));
    const head = form.querySelector("[data-select-all]");
    if (head) {
      head.checked = all.length > 0 && here === all.length;
      head.indeterminate = here > 0 && here < all.length;
    }
  };

  const tick = (checked) => {
    for (const box of boxes()) box.checked = checked;
    const whole = everything();
    if (whole && !checked) whole.checked = false;
    count();
  };

  const clear = () => {
    basket.clear();
    tick(false);
  };

  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest("[data-select-none]")) {
      clear();
      list()?.querySelector("[data-select-all]")?.focus();
      return;
    }
    const box = event.target.closest(`[data-selection] ${BOXES}`);
    if (!box) return;
    const all = event.shiftKey ? boxes() : [];
    const from = all.indexOf(last);
    if (from >= 0) {
      const to = all.indexOf(box);
      for (const between of all.slice(Math.min(from, to), Math.max(from, to) + 1)) between.checked = box.checked;
    }
    last = box;
    const whole = everything();
    if (whole && !box.checked) whole.checked = false;
    count();
  });

  document.addEventListener("change", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("[data-selection]")) return;
    if (event.target.matches("[data-select-all]")) tick(event.target.checked);
    else if (event.target.matches("[data-select-everything]:checked")) tick(true);
    else count();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !basket.size || document.querySelector("dialog[open], :popover-open, [data-panel-close], [data-path-box][open]")) return;
    event.preventDefault();
    // The bar goes, and with it whatever of it has the focus.
    const lost = document.activeElement.matches("body, #main, .selection *");
    clear();
    if (lost) (list()?.querySelector("[data-stop] th a") ?? list()?.querySelector("[data-select-all]"))?.focus();
  });

  // The form as it is sent, by htmx or without: "everything" stands for all boxes, and what is not shown goes along.
  document.addEventListener("formdata", ({ target, formData }) => {
    if (target !== list()) return;
    const whole = everything();
    sent = [...basket.keys()];
    if (whole) {
      for (const name of ["key", "folder"]) formData.delete(name);
      formData.append(whole.name, whole.value);
      return;
    }
    const shown = new Set(boxes().map(idOf));
    for (const id of sent.filter((id) => !shown.has(id))) formData.append(...id.split(/\n(.*)/s, 2));
  });
  document.addEventListener("objects:changed", () => (changed = true), true);

  // After a swap the boxes are new ones. What is not shown is forgotten where it can't be any more: in a list of no place, in a
  // folder that is shown whole, and when what was sent has changed something.
  const restore = () => {
    const form = list();
    if (!form) return;
    if (form.dataset.selection !== place) basket.clear();
    place = form.dataset.selection;
    if (!basket.size && !form.querySelector(":checked")) return void form.removeAttribute("data-chosen");
    const shown = new Map(boxes().map((box) => [idOf(box), box]));
    for (const id of basket.keys()) {
      const box = shown.get(id);
      const inside = "whole" in form.dataset && id.replace(/^\w+\n/, "").replace(/[^/]*\/?$/, "") === form.dataset.whole;
      if (box) box.checked = true;
      else if (!place || inside || (changed && sent.includes(id))) basket.delete(id);
    }
    count();
  };
  document.addEventListener("htmx:afterSettle", (event) => {
    const { target } = event.detail;
    if (!target.isConnected || !target.closest("dialog")) {
      restore();
      changed = false;
    }
  });
  document.addEventListener("DOMContentLoaded", restore);
})();
