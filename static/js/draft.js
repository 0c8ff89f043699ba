// A draft of many secrets: dropped and chosen files are filled in, rows are added and removed in place, a finding leads to its
// line, and the button of the review counts what is ticked. Marks: data-draft and what begins with it, data-review-save.
(() => {
  "use strict";
  const MOST = 1000000;
  const desk = () => document.querySelector("[data-draft]");
  const say = (text, tone) => document.dispatchEvent(new CustomEvent("notice:say", { detail: { text, tone } }));

  const decoded = (bytes) => {
    const kind = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
    return new TextDecoder(kind, { fatal: true, ignoreBOM: true }).decode(bytes);
  };

  const textOf = async (file) => {
    if (file.size > MOST) throw new Error(`${file.name} is larger than a draft may be.`);
    let text = "";
    try {
      text = decoded(new Uint8Array(await file.arrayBuffer()));
    } catch {
      throw new Error(`${file.name} is not a readable text file.`);
    }
    if (text.includes("\0")) throw new Error(`${file.name} is not a text file.`);
    return text;
  };

  // An empty text field takes the first file; everything else goes into the field for more, which the server reads, too.
  const take = async (files) => {
    for (const file of files) {
      let text = "";
      try {
        text = await textOf(file);
      } catch (problem) {
        say(problem.message, "danger");
        continue;
      }
      const more = desk()?.querySelector("[data-draft-more]");
      const field = desk()?.querySelector("[data-draft-text]");
      const empty = field && !field.value.trim() ? field : more;
      if (!empty) return;
      empty.value = empty.value.trim() ? `${empty.value.replace(/\n?$/, "\n")}${text}` : text;
      if (empty === more) more.closest("details").open = true;
      (field ?? more).dispatchEvent(new Event("input", { bubbles: true }));
    }
  };

  const carriesFiles = (event) => Array.from(event.dataTransfer?.types ?? []).includes("Files");
  const hover = (over) => desk()?.toggleAttribute("data-over", over);

  const renumber = () => {
    desk()?.querySelectorAll("[data-draft-rows] [data-draft-line]").forEach((row, index) => {
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
  };

  const addRow = () => {
    const rows = desk().querySelector("[data-draft-rows]");
    rows.append(desk().querySelector("[data-draft-row]").content.cloneNode(true));
    renumber();
    // What furnishes fields that htmx brings furnishes this one, too.
    document.dispatchEvent(new CustomEvent("htmx:load", { detail: { elt: rows.lastElementChild } }));
    rows.lastElementChild.querySelector("input[name=name]").focus();
  };

  const removeRow = (button) => {
    const row = button.closest("[data-draft-line]");
    const rows = row.parentElement;
    const next = row.nextElementSibling ?? row.previousElementSibling;
    if (!next) addRow();
    (next ?? rows.lastElementChild).querySelector("input[name=name]").focus();
    row.remove();
    renumber();
    rows.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const goTo = (line) => {
    const field = desk()?.querySelector("[data-draft-text]");
    if (!field) return false;
    const lines = field.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    field.focus();
    field.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
    field.scrollTop = (line - 3) * parseFloat(getComputedStyle(field).lineHeight);
    return true;
  };

  const count = () => {
    const button = document.querySelector("[data-review-save]");
    if (!button) return;
    const writes = document.querySelectorAll("input[name=write]:checked").length;
    const deletes = document.querySelectorAll("input[name=delete]:checked").length;
    const parts = [];
    if (writes || !deletes) parts.push(`Save ${writes} secret${writes === 1 ? "" : "s"}`);
    if (deletes) parts.push(`${writes ? "delete" : "Delete"} ${deletes}`);
    button.textContent = parts.join(", ");
  };

  // In the capture phase: htmx hears a click on these buttons only when nothing was done here.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-draft-add], [data-draft-remove], [data-draft-goto]");
    if (!button) return;
    let done = true;
    if (button.matches("[data-draft-add]")) addRow();
    else if (button.matches("[data-draft-remove]")) removeRow(button);
    else done = goTo(Number(button.dataset.draftGoto));
    if (!done) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  document.addEventListener("dragover", (event) => {
    if (!desk() || !carriesFiles(event)) return;
    event.preventDefault();
    hover(true);
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) hover(false);
  });
  document.addEventListener("drop", (event) => {
    if (!desk() || !carriesFiles(event)) return;
    event.preventDefault();
    hover(false);
    take(Array.from(event.dataTransfer.files));
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches?.("input[name=write], input[name=delete]")) count();
    if (!event.target.matches?.("[data-draft-file]")) return;
    take(Array.from(event.target.files));
    event.target.value = "";
  });

  // A field that somebody made larger has a style of its own, and htmx would copy it to the new one: the content policy forbids that.
  document.addEventListener("htmx:beforeSwap", (event) => {
    for (const field of event.detail.target?.querySelectorAll?.("textarea[style]") ?? []) field.removeAttribute("style");
  });

  const furnish = () => {
    for (const place of document.querySelectorAll("[data-draft-pick][hidden]")) place.hidden = false;
  };
  document.addEventListener("htmx:afterSwap", furnish);
  furnish();
  // A browser may bring back ticks of before.
  window.addEventListener("pageshow", count);
})();
