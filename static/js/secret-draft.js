// <secret-draft>: a draft of many secrets: dropped and chosen files are filled in, rows are added and removed in place, and a finding
// leads to its line.
// Marks inside: data-draft-text and data-draft-more (fields), data-draft-file and data-draft-pick (choosing files), data-draft-rows,
// data-draft-row (its template), data-draft-line, data-draft-number, and the buttons data-draft-add, -remove and -goto.
(() => {
  "use strict";
  const BYTES_MAX = 1_000_000;

  const decode = (bytes) => {
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  };

  const textOf = async (file) => {
    if (file.size > BYTES_MAX) throw new Error(`${file.name} is too large. A draft holds at most 1 MB.`);
    const text = await file.arrayBuffer().then((buffer) => decode(new Uint8Array(buffer))).catch(() => "\0");
    if (text.includes("\0")) throw new Error(`${file.name} is not a text file.`);
    return text;
  };

  const carriesFiles = (event) => Array.from(event.dataTransfer?.types ?? []).includes("Files");
  const say = (text) => document.querySelector("notice-list").say(text, "danger");
  const changed = (element) => element.dispatchEvent(new Event("input", { bubbles: true }));

  class SecretDraft extends HTMLElement {
    #listeners;

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      for (const place of this.querySelectorAll("[data-draft-pick]")) place.hidden = false;
      // In the capture phase: htmx hears a click on these buttons only when nothing was done here.
      this.addEventListener("click", (event) => this.#clicked(event), { signal, capture: true });
      this.addEventListener("change", ({ target }) => {
        if (!target.matches("[data-draft-file]")) return;
        this.#take([...target.files]);
        target.value = "";
      }, { signal });
      document.addEventListener("dragover", (event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        this.toggleAttribute("data-over", true);
      }, { signal });
      document.addEventListener("dragleave", (event) => event.relatedTarget || this.toggleAttribute("data-over", false), { signal });
      document.addEventListener("drop", (event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        this.toggleAttribute("data-over", false);
        this.#take([...event.dataTransfer.files]);
      }, { signal });
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    // An empty text field takes the first file. Everything else goes into the field for more lines, which the server reads as well.
    async #take(files) {
      for (const file of files) {
        let text;
        try {
          text = await textOf(file);
        } catch (problem) {
          say(problem.message);
          continue;
        }
        const more = this.querySelector("[data-draft-more]");
        const field = this.querySelector("[data-draft-text]");
        const into = field && !field.value.trim() ? field : more;
        into.value = into.value.trim() ? `${into.value.replace(/\n?$/, "\n")}${text}` : text;
        if (into === more) more.closest("details").open = true;
        changed(field ?? more);
      }
    }

    #clicked(event) {
      const button = event.target.closest("[data-draft-add], [data-draft-remove], [data-draft-goto]");
      if (!button) return;
      if (button.matches("[data-draft-add]")) this.#addRow();
      else if (button.matches("[data-draft-remove]")) this.#removeRow(button.closest("[data-draft-line]"));
      else if (!this.#goTo(Number(button.dataset.draftGoto))) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    }

    get #rows() {
      return this.querySelector("[data-draft-rows]");
    }

    #addRow() {
      this.#rows.append(this.querySelector("[data-draft-row]").content.cloneNode(true));
      this.#number();
      const row = this.#rows.lastElementChild;
      // As for rows that htmx brings: its value gets the button that shows it.
      htmx.trigger(row, "htmx:load", { elt: row });
      row.querySelector("input[name=name]").focus();
    }

    #removeRow(row) {
      const next = row.nextElementSibling ?? row.previousElementSibling;
      if (!next) this.#addRow();
      (next ?? this.#rows.lastElementChild).querySelector("input[name=name]").focus();
      row.remove();
      this.#number();
      changed(this.#rows);
    }

    #number() {
      this.#rows.querySelectorAll("[data-draft-line]").forEach((row, index) => {
        const number = index + 1;
        const [name, value, remove] = ["input[name=name]", "textarea", "[data-draft-remove]"].map((part) => row.querySelector(part));
        row.querySelector("[data-draft-number]").textContent = number;
        name.id = `draft-row-${number}`;
        name.setAttribute("aria-label", `Name in row ${number}`);
        value.id = `draft-value-${number}`;
        row.querySelector("[aria-controls]")?.setAttribute("aria-controls", value.id);
        value.setAttribute("aria-label", `Value in row ${number}`);
        remove.value = number;
        remove.setAttribute("aria-label", `Remove row ${number}`);
      });
    }

    // In rows the finding is a plain link to its row.
    #goTo(line) {
      const field = this.querySelector("[data-draft-text]");
      if (!field) return false;
      const lines = field.value.split("\n");
      const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
      field.focus();
      field.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
      field.scrollTop = (line - 3) * parseFloat(getComputedStyle(field).lineHeight);
      return true;
    }
  }

  customElements.define("secret-draft", SecretDraft);
})();
