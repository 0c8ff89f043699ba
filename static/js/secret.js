// A field with data-secret gets a button that shows what was typed for 30 seconds.
(() => {
  "use strict";
  const SHOWN_MS = 30_000;

  const show = (field, button, isShown) => {
    if (field.matches("textarea")) field.toggleAttribute("data-shown", isShown);
    else field.type = isShown ? "text" : "password";
    button.textContent = isShown ? "Hide" : "Show";
    button.setAttribute("aria-pressed", String(isShown));
    clearTimeout(Number(button.dataset.timer));
    if (isShown) button.dataset.timer = String(setTimeout(() => show(field, button, false), SHOWN_MS));
  };

  const addButtons = (root) => {
    for (const field of root.querySelectorAll?.("[data-secret]:not([data-has-button])") ?? []) {
      field.dataset.hasButton = "";
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

  addButtons(document);
  document.addEventListener("htmx:load", (event) => addButtons(event.detail.elt));
})();
