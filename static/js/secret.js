// A field marked data-secret gets a button that shows what was typed for thirty seconds.
(() => {
  "use strict";
  const SHOWN = 30000;

  const show = (field, button, shown) => {
    if (field.matches("textarea")) field.toggleAttribute("data-shown", shown);
    else field.type = shown ? "text" : "password";
    button.textContent = shown ? "Hide" : "Show";
    button.setAttribute("aria-pressed", String(shown));
    clearTimeout(Number(button.dataset.timer));
    if (shown) button.dataset.timer = String(setTimeout(() => show(field, button, false), SHOWN));
  };

  const furnish = (root) => {
    for (const field of root.querySelectorAll?.("[data-secret]:not([data-furnished])") ?? []) {
      field.dataset.furnished = "";
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button";
      button.setAttribute("aria-controls", field.id);
      button.addEventListener("click", () => show(field, button, button.getAttribute("aria-pressed") !== "true"));
      show(field, button, false);
      field.after(button);
      field.form?.addEventListener("submit", () => show(field, button, false));
    }
  };

  furnish(document);
  document.addEventListener("htmx:load", (event) => furnish(event.detail.elt));
})();
