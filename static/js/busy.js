// Buttons go busy in place, a form that was sent is not sent twice, and a thin bar shows that something is on its way.
// Marks: data-busy (a form), data-loading (the bar).
(() => {
  "use strict";
  const bar = document.querySelector("[data-loading]");
  let running = 0;

  const buttonOf = (form, event) => event?.submitter ?? form.querySelector("button[type=submit]");

  const start = (form, button) => {
    form.dataset.sent = "";
    if (button) button.setAttribute("aria-busy", "true");
  };

  const end = (form) => {
    delete form.dataset.sent;
    for (const button of form.querySelectorAll("[aria-busy=true]")) button.removeAttribute("aria-busy");
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-busy]")) return;
    if ("sent" in form.dataset) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (!event.defaultPrevented) start(form, buttonOf(form, event));
  }, true);

  document.addEventListener("htmx:beforeSend", () => {
    running += 1;
    if (bar) bar.dataset.busy = "";
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    running = Math.max(0, running - 1);
    if (bar && running === 0) delete bar.dataset.busy;
    const form = event.detail.elt?.closest?.("form[data-busy]");
    if (form) end(form);
  });

  // Back from another page: what was busy then is not any more.
  window.addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach(end));
})();
