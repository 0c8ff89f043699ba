// Changes the theme at once, and lets the server remember it. Without scripts the form does both with a new page.
(() => {
  "use strict";
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const button = event.submitter;
    if (!form.matches("[data-theme-choice]") || !button) return;
    event.preventDefault();
    const body = new FormData(form, button);
    document.documentElement.dataset.theme = button.value;
    for (const choice of document.querySelectorAll("[data-theme-choice] [name=theme]")) choice.setAttribute("aria-pressed", String(choice.value === button.value));
    fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => form.submit());
  });
})();
