// <list-selection>: boxes of the list inside: shift takes a range, the header box takes all that are shown, the bar counts.
// What was chosen stays chosen through sorting and paging, and where data-selection of the form names a place, in other lists of that
// place; what is not shown is sent along with the form. The element stays on the page while htmx replaces the lists inside it.
// Methods: toggle(box, isRange), all(), act(name): press a button of the bar, and say whether there was anything chosen for it.
(() => {
  "use strict";
  const BOXES = "input:is([data-bytes], [data-pick])";
  const UNITS = ["bytes", "KB", "MB", "GB", "TB", "PB"];

  const idOf = (box) => `${box.name}\n${box.value}`;
  const isFolder = (id) => id.startsWith("folder\n");
  const amount = (bytes) => {
    let unit = 0;
    for (; bytes >= 999.95 && unit < UNITS.length - 1; unit += 1) bytes /= 1000;
    return bytes === 1 ? "1 byte" : `${unit ? bytes.toFixed(1) : bytes} ${UNITS[unit]}`;
  };

  class ListSelection extends HTMLElement {
    // The bytes of what is chosen, by id.
    #chosen = new Map();
    #place = "";
    #last = null;
    #sent = [];
    #isChanged = false;
    #restored = null;
    #listeners;

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      this.addEventListener("click", (event) => this.#clicked(event), { signal });
      this.addEventListener("change", ({ target }) => this.#boxChanged(target), { signal });
      this.addEventListener("formdata", (event) => this.#complete(event), { signal });
      this.addEventListener("htmx:afterSettle", () => this.#restore(), { signal });
      document.addEventListener("keydown", (event) => this.#escape(event), { signal });
      document.addEventListener("objects:changed", () => (this.#isChanged = true), { signal, capture: true });
      this.#restore();
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    toggle(box, isRange = false) {
      box.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: isRange }));
    }

    all() {
      const head = this.querySelector("[data-select-all]");
      if (head && !head.checked) head.click();
    }

    act(name) {
      const button = this.querySelector(`[data-selection][data-chosen] [data-act="${name}"]`);
      button?.click();
      return Boolean(button);
    }

    get #form() {
      return this.querySelector("[data-selection]");
    }

    get #boxes() {
      return [...(this.#form?.querySelectorAll(BOXES) ?? [])];
    }

    get #everything() {
      return this.#form?.querySelector("[data-select-everything]:checked");
    }

    #clicked({ target, shiftKey }) {
      if (target.closest("[data-select-none]")) {
        this.#clear();
        this.#form?.querySelector("[data-select-all]")?.focus();
        return;
      }
      const box = target.closest(`[data-selection] ${BOXES}`);
      if (!box) return;
      const all = shiftKey ? this.#boxes : [];
      const from = all.indexOf(this.#last);
      if (from >= 0) {
        const to = all.indexOf(box);
        for (const between of all.slice(Math.min(from, to), Math.max(from, to) + 1)) between.checked = box.checked;
      }
      this.#last = box;
      if (this.#everything && !box.checked) this.#everything.checked = false;
      this.#count();
    }

    #boxChanged(box) {
      if (!box.closest("[data-selection]")) return;
      if (box.matches("[data-select-all]")) this.#tick(box.checked);
      else if (box.matches("[data-select-everything]:checked")) this.#tick(true);
      else this.#count();
    }

    #escape(event) {
      if (event.key !== "Escape" || !this.#chosen.size) return;
      if (document.querySelector("dialog[open], :popover-open, [data-panel-close], [data-path-box][open]")) return;
      event.preventDefault();
      // The bar disappears, and with it the element that has the focus.
      const isLost = document.activeElement.matches("body, #main, .selection *");
      this.#clear();
      if (isLost) (this.querySelector("[data-stop] th a") ?? this.#form?.querySelector("[data-select-all]"))?.focus();
    }

    #clear() {
      this.#chosen.clear();
      this.#tick(false);
    }

    #tick(isChecked) {
      for (const box of this.#boxes) box.checked = isChecked;
      if (this.#everything && !isChecked) this.#everything.checked = false;
      this.#count();
    }

    #count() {
      const form = this.#form;
      if (!form) return;
      const boxes = this.#boxes;
      let here = 0;
      for (const box of boxes) {
        if (!box.checked) this.#chosen.delete(idOf(box));
        else {
          this.#chosen.set(idOf(box), box.dataset.bytes);
          here += 1;
        }
      }
      const everything = this.#everything;
      const isChosen = Boolean(this.#chosen.size || everything);
      const sum = form.querySelector("[data-selected-bytes]");
      const [words, bytes] = this.#words(Boolean(sum), this.#chosen.size - here);
      const text = everything ? `${everything.closest("label").textContent.trim()}: selected` : isChosen ? words : "";
      for (const element of form.querySelectorAll("[data-selected]")) if (element.textContent !== text) element.textContent = text;
      if (sum) sum.value = this.#chosen.size && !everything ? bytes : "";
      form.toggleAttribute("data-chosen", isChosen);
      const head = form.querySelector("[data-select-all]");
      if (head) {
        head.checked = boxes.length > 0 && here === boxes.length;
        head.indeterminate = here > 0 && here < boxes.length;
      }
    }

    // What the bar says, and the sum of bytes, which is known only without folders.
    #words(hasSum, elsewhere) {
      const objects = [...this.#chosen].filter(([id]) => !isFolder(id));
      const folders = this.#chosen.size - objects.length;
      const bytes = objects.reduce((sum, [, size]) => sum + Number(size), 0);
      const only = folders === 1 ? " folder" : " folders";
      const parts = [`${this.#chosen.size.toLocaleString("en")}${objects.length ? "" : only} selected`];
      if (folders && objects.length) parts.push(folders === 1 ? "one of them a folder" : `${folders.toLocaleString("en")} of them folders`);
      if (hasSum && objects.length) parts.push(`${amount(bytes)}${folders ? " in objects" : ""}`);
      if (elsewhere) parts.push(`${elsewhere.toLocaleString("en")} not in this list`);
      return [parts.join(", "), folders ? "" : bytes];
    }

    // The form as it is sent, by htmx or without: "everything" stands for all boxes, and what is not shown goes along.
    #complete({ target, formData }) {
      if (target !== this.#form) return;
      const everything = this.#everything;
      this.#sent = [...this.#chosen.keys()];
      if (everything) {
        for (const name of ["key", "folder"]) formData.delete(name);
        formData.append(everything.name, everything.value);
        return;
      }
      const shown = new Set(this.#boxes.map(idOf));
      for (const id of this.#sent.filter((one) => !shown.has(one))) formData.append(...id.split(/\n(.*)/s, 2));
    }

    // The boxes of a new list are ticked again. What it doesn't show is forgotten where the list has no place, where it shows the whole
    // folder, and when what was sent has changed something.
    #restore() {
      const form = this.#form;
      if (!form) return;
      const isChanged = this.#isChanged && form !== this.#restored;
      if (form !== this.#restored) this.#isChanged = false;
      this.#restored = form;
      if (form.dataset.selection !== this.#place) this.#chosen.clear();
      this.#place = form.dataset.selection;
      if (!this.#chosen.size && !form.querySelector(":checked")) return void form.removeAttribute("data-chosen");
      const shown = new Map(this.#boxes.map((box) => [idOf(box), box]));
      for (const id of this.#chosen.keys()) {
        const box = shown.get(id);
        const isInside = "whole" in form.dataset && id.replace(/^\w+\n/, "").replace(/[^/]*\/?$/, "") === form.dataset.whole;
        if (box) box.checked = true;
        else if (!this.#place || isInside || (isChanged && this.#sent.includes(id))) this.#chosen.delete(id);
      }
      this.#count();
    }
  }

  customElements.define("list-selection", ListSelection);
})();
