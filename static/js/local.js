// Scrolls a navigation that is wider than the screen to the entry of this page.
(() => {
  "use strict";
  for (const nav of document.querySelectorAll(".local")) {
    const entry = nav.querySelector("[aria-current]");
    if (!entry) continue;
    const spare = (nav.clientWidth - entry.offsetWidth) / 2;
    nav.scrollLeft += entry.getBoundingClientRect().left - nav.getBoundingClientRect().left - spare;
  }
})();
