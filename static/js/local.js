// Where a navigation is wider than the screen, the entry of this page is in sight.
(() => {
  "use strict";
  for (const place of document.querySelectorAll(".local")) {
    const here = place.querySelector("[aria-current]");
    if (!here) continue;
    const spare = (place.clientWidth - here.offsetWidth) / 2;
    place.scrollLeft += here.getBoundingClientRect().left - place.getBoundingClientRect().left - spare;
  }
})();
