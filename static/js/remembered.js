// A page drawn from last known data (data-remembered) sends no change until it is replaced. The server refuses what is sent all the same.
(() => {
  "use strict";
  const hold = () => {
    for (const button of document.querySelectorAll("[data-remembered] form[method=post] button[type=submit]")) button.disabled = true;
  };

  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt: element, requestConfig } = event.detail;
    if (requestConfig.verb !== "get" && element.closest("[data-remembered]")) event.preventDefault();
  });
  document.addEventListener("DOMContentLoaded", hold);
  document.addEventListener("htmx:afterSettle", hold);
})();
