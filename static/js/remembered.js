// A page drawn from last known data (data-remembered) sends no change until it is replaced. The server refuses what is sent all the same. What
// was typed or chosen in its filter is asked of the page that replaces it, and what was in its forms is put into the forms there.
(() => {
  "use strict";
  const FIELD = "#main .filter :is([type=search], select)";
  const ENTRY = "#main form[method=post] :is(input:not([type=hidden]), select, textarea)[name]";
  const asked = new WeakMap();
  const entered = new WeakMap();
  const changed = new WeakMap();

  const hold = () => {
    for (const button of document.querySelectorAll("[data-remembered] form[method=post] button[type=submit]")) button.disabled = true;
  };
  const askAgain = (values) => {
    const changed = [...document.querySelectorAll(FIELD)].filter((field) => (values.get(field.name) ?? field.value) !== field.value);
    for (const field of changed) field.value = values.get(field.name);
    if (changed.length) htmx.trigger(changed[0].form, "submit");
  };
  const part = (field) => ({ checkbox: "checked", radio: "checked", file: "files" })[field.type] ?? "value";
  const place = (field) => {
    const value = part(field) === "checked" ? field.defaultValue : "";
    return JSON.stringify([field.form.getAttribute("action"), field.name, value]);
  };
  const isChanged = (field) => {
    if (field.matches("select")) return [...field.options].some((one) => one.selected !== one.defaultSelected);
    if (part(field) === "files") return field.files.length > 0;
    return part(field) === "checked" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
  };
  const enterAgain = (values) => {
    const differing = [...document.querySelectorAll(ENTRY)].filter((field) => values.has(place(field)));
    for (const field of differing) field[part(field)] = values.get(place(field));
    return differing;
  };

  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt: element, requestConfig } = event.detail;
    if (requestConfig.verb !== "get" && element.closest("[data-remembered]")) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", ({ target, detail: { xhr } }) => {
    if (!target.matches("[data-remembered]")) return;
    asked.set(xhr, new Map([...document.querySelectorAll(FIELD)].map((field) => [field.name, field.value])));
    const typed = [...document.querySelectorAll(ENTRY)].filter(isChanged);
    entered.set(xhr, new Map(typed.map((field) => [place(field), field[part(field)]])));
  });
  document.addEventListener("DOMContentLoaded", hold);
  // Before the next key. The events follow when the page has settled, as htmx listens only then.
  document.addEventListener("htmx:afterSwap", ({ detail: { xhr } }) => {
    if (!entered.has(xhr)) return;
    changed.set(xhr, enterAgain(entered.get(xhr)));
    entered.delete(xhr);
  });
  document.addEventListener("htmx:afterSettle", ({ detail: { xhr } }) => {
    hold();
    if (asked.has(xhr)) askAgain(asked.get(xhr));
    asked.delete(xhr);
    for (const field of changed.get(xhr) ?? []) for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
    changed.delete(xhr);
  });
})();
