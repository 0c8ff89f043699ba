// <code-editor>: a text area for source text, with line numbers, indenting and find. Tab and Shift+Tab indent and outdent; after Escape
// the next Tab leaves the field. Enter keeps the indentation. Ctrl/Cmd+F opens the find bar. Changes can be undone as if typed.
// Marks inside: data-editor-bar, -place, -lines, -find, -query, -count, and the buttons data-editor-open, -close and -step (1 or -1).
(() => {
  "use strict";
  const INDENT = "  ";

  class CodeEditor extends HTMLElement {
    #isLeaving = false;
    #lines = 0;
    #matches = [];

    connectedCallback() {
      const field = this.#field;
      for (const part of ["bar", "lines"]) this.#part(part).hidden = false;
      this.addEventListener("keydown", (event) => this.#pressed(event));
      this.addEventListener("click", ({ target }) => this.#clicked(target.closest("button")));
      this.#part("query").addEventListener("input", () => this.#search());
      field.addEventListener("input", () => this.#number());
      field.addEventListener("scroll", () => (this.#part("lines").scrollTop = field.scrollTop), { passive: true });
      field.addEventListener("blur", () => (this.#isLeaving = false));
      for (const event of ["keyup", "pointerup", "focus"]) field.addEventListener(event, () => this.#locate());
      this.#number();
    }

    get #field() {
      return this.querySelector("textarea");
    }

    #part(name) {
      return this.querySelector(`[data-editor-${name}]`);
    }

    #number() {
      const count = this.#field.value.split("\n").length;
      if (count !== this.#lines) this.#part("lines").textContent = Array.from({ length: count }, (_, index) => index + 1).join("\n");
      this.#lines = count;
      this.#part("lines").scrollTop = this.#field.scrollTop;
      this.#locate();
    }

    #locate() {
      const lines = this.#field.value.slice(0, this.#field.selectionEnd).split("\n");
      this.#part("place").textContent = `Line ${lines.length}, column ${lines.at(-1).length + 1}`;
    }

    #pressed(event) {
      const { key, target, shiftKey, isComposing } = event;
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey;
      if (isComposing) return;
      if (isCommand && key.toLowerCase() === "f") this.#open();
      else if (target === this.#part("query")) {
        if (key === "Enter") this.#step(shiftKey ? -1 : 1);
        else if (key === "Escape") this.#close();
        else return;
      } else if (target !== this.#field || isCommand || event.altKey) return;
      else if (key === "Escape") this.#isLeaving = true;
      else if (key === "Tab" && !this.#isLeaving) this.#indent(shiftKey);
      else if (key === "Enter" && !shiftKey) this.#break();
      else {
        if (key !== "Shift" && key !== "Tab") this.#isLeaving = false;
        return;
      }
      event.preventDefault();
    }

    // What execCommand inserts can be undone by the browser; an assignment to the value could not.
    #insert(text) {
      this.#field.focus();
      if (!document.execCommand(text ? "insertText" : "delete", false, text)) {
        this.#field.setRangeText(text, this.#field.selectionStart, this.#field.selectionEnd, "end");
        this.#field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }

    #break() {
      const { value, selectionStart } = this.#field;
      const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
      this.#insert(`\n${/^[ \t]*/.exec(line)[0]}`);
    }

    #indent(isOutwards) {
      const field = this.#field;
      const { value, selectionStart, selectionEnd } = field;
      if (!isOutwards && !value.slice(selectionStart, selectionEnd).includes("\n")) {
        this.#insert(INDENT);
        return;
      }
      const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
      // A selection that ends at the beginning of a line doesn't include that line.
      const last = selectionEnd > selectionStart && value[selectionEnd - 1] === "\n" ? selectionEnd - 1 : selectionEnd;
      const end = value.indexOf("\n", last) < 0 ? value.length : value.indexOf("\n", last);
      const before = value.slice(start, end).split("\n");
      const after = before.map((line) => (isOutwards ? line.replace(/^(\t| {1,2})/, "") : line && `${INDENT}${line}`));
      if (after.join() === before.join()) return;
      field.setSelectionRange(start, end);
      this.#insert(after.join("\n"));
      const moved = after[0].length - before[0].length;
      const grown = after.join("\n").length - (end - start);
      if (selectionStart === selectionEnd) field.setSelectionRange(Math.max(start, selectionStart + moved), Math.max(start, selectionEnd + grown));
      else field.setSelectionRange(start, end + grown);
    }

    #clicked(button) {
      if (!button) return;
      if ("editorOpen" in button.dataset) this.#open();
      else if ("editorClose" in button.dataset) this.#close();
      else if (button.dataset.editorStep) this.#step(Number(button.dataset.editorStep));
    }

    #open() {
      const { value, selectionStart, selectionEnd } = this.#field;
      const chosen = value.slice(selectionStart, selectionEnd);
      const query = this.#part("query");
      this.#part("find").hidden = false;
      if (chosen && !chosen.includes("\n")) query.value = chosen;
      query.focus();
      query.select();
      this.#search();
    }

    #close() {
      this.#part("find").hidden = true;
      this.#field.focus();
    }

    #search() {
      const wanted = this.#part("query").value.toLowerCase();
      const text = this.#field.value.toLowerCase();
      this.#matches = [];
      for (let at = wanted ? text.indexOf(wanted) : -1; at >= 0; at = text.indexOf(wanted, at + wanted.length)) this.#matches.push(at);
      this.#part("count").textContent = wanted ? `${this.#matches.length} found` : "";
    }

    #step(by) {
      const field = this.#field;
      this.#search();
      if (!this.#matches.length) return;
      const next = this.#matches.findIndex((at) => at > field.selectionStart || (at === field.selectionStart && field.selectionStart === field.selectionEnd));
      const before = this.#matches.findLastIndex((at) => at < field.selectionStart);
      const index = by > 0 ? Math.max(next, 0) : before < 0 ? this.#matches.length - 1 : before;
      const start = this.#matches[index];
      field.setSelectionRange(start, start + this.#part("query").value.length);
      this.#part("count").textContent = `${index + 1} of ${this.#matches.length}`;
      const line = field.value.slice(0, start).split("\n").length;
      field.scrollTop = (line - 4) * parseFloat(getComputedStyle(field).lineHeight);
      this.#locate();
    }
  }

  customElements.define("code-editor", CodeEditor);
})();
