// A page drawn from last known data (data-remembered) sends no change until it is replaced. The server refuses what is sent all the same. What
// was typed or chosen in its filter is asked of the page that replaces it.
(() => {
  "use strict";
  const FIELD = "#main .filter :is([type=search], select)";
  const asked = new WeakMap();

  const hold = () => {
    for (const button of document.querySelectorAll("[data-remembered] form[method=post] button[type=submit]")) button.disabled = true;
  };
  const askAgain = (values) => {
    const changed = [...document.querySelectorAll(FIELD)].filter((field) => (values.get(field.name) ?? field.value) !== field.value);
    for (const field of changed) field.value = values.get(field.name);
    if (changed.length) htmx.trigger(changed[0].form, "submit");
  };

  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt: element, requestConfig } = event.detail;
    if (requestConfig.verb !== "get" && element.closest("[data-remembered]")) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", ({ target, detail: { xhr } }) => {
    if (!target.matches("[data-remembered]")) return;
    asked.set(xhr, new Map([...document.querySelectorAll(FIELD)].map((field) => [field.name, field.value])));
  });
  document.addEventListener("DOMContentLoaded", hold);
  document.addEventListener("htmx:afterSettle", ({ detail: { xhr } }) => {
    hold();
    if (asked.has(xhr)) askAgain(asked.get(xhr));
    asked.delete(xhr);
  });
})();
