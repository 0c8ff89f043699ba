// Loads thumbnails in sight, two at a time. A browser has six connections to a server: uploads take three, and where the storage is slow,
// pictures would take the others, while what somebody clicks waits.
(() => {
  "use strict";
  const AT_ONCE = 2;
  const waiting = new Set();
  let loading = 0;

  const next = () => {
    for (const image of waiting) {
      if (loading === AT_ONCE) return;
      waiting.delete(image);
      sight.unobserve(image);
      if (!image.isConnected) continue;
      loading += 1;
      image.onload = image.onerror = () => {
        loading -= 1;
        next();
      };
      image.src = image.dataset.src;
    }
  };

  const sight = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) waiting[isIntersecting ? "add" : "delete"](target);
      next();
    },
    { rootMargin: "50%" },
  );

  document.addEventListener("htmx:load", ({ detail }) => {
    for (const image of detail.elt.querySelectorAll?.("img[data-src]:not([src])") ?? []) sight.observe(image);
  });
})();
