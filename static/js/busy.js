// Shows what is under way: the pressed button of a form with data-busy, and a thin bar (data-loading). A form is not sent twice.
// A request that a newer one replaces, or that is lost, is no error on the console: the page goes on, or says it.
(() => {
  "use strict";
  const bar = document.querySelector("[data-loading]");
  let requests = 0;

  const finish = (form) => {
    delete form.dataset.sent;
    for (const button of form.querySelectorAll("[aria-busy=true]")) button.removeAttribute("aria-busy");
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-busy]")) return;
    if ("sent" in form.dataset) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (!event.defaultPrevented) {
      form.dataset.sent = "";
      (event.submitter ?? form.querySelector("button[type=submit]"))?.setAttribute("aria-busy", "true");
    }
  }, true);

  // The end is heard at the request: htmx tells the page nothing of an element that was replaced with all around it.
  document.addEventListener("htmx:beforeSend", ({ detail }) => {
    detail.error = "";
    requests += 1;
    if (bar) bar.dataset.busy = "";
    detail.xhr.addEventListener("loadend", () => {
      requests -= 1;
      if (bar && !requests) delete bar.dataset.busy;
      const form = detail.elt.closest("form[data-busy]");
      if (form) finish(form);
    });
  });

  // htmx gives no reason where it was not answered.
  window.addEventListener("unhandledrejection", (event) => {
    if (event.reason === undefined) event.preventDefault();
  });

  // A page that the Back button restores still has the marks of before.
  window.addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach(finish));
})();
