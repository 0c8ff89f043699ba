// Puts a popover beside the button that opens it (data-menu), moves through it by arrow keys, and closes it after a choice.
(() => {
  "use strict";
  const GAP = 4;

  const put = (menu, button) => {
    const at = button.getBoundingClientRect();
    menu.dataset.placed = "";
    const width = menu.offsetWidth;
    const height = menu.offsetHeight;
    const below = at.bottom + GAP + height <= innerHeight || at.top < height;
    menu.style.top = `${Math.max(GAP, below ? at.bottom + GAP : at.top - GAP - height)}px`;
    menu.style.left = `${Math.max(GAP, Math.min(at.right - width, innerWidth - width - GAP))}px`;
  };

  const openers = new WeakMap();
  const buttonOf = (menu) => openers.get(menu) ?? document.querySelector(`[data-menu][popovertarget="${CSS.escape(menu.id)}"]`);

  document.addEventListener("toggle", (event) => {
    const menu = event.target;
    const button = menu.matches?.("[popover].menu") ? buttonOf(menu) : null;
    if (!button) return;
    const open = event.newState === "open";
    button.setAttribute("aria-expanded", String(open));
    if (open) put(menu, button);
  }, true);

  // One menu for many buttons: who opens it says by which.
  document.addEventListener("menu:open", ({ detail: { menu, button } }) => {
    openers.set(menu, button);
    menu.showPopover();
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const menu = event.target.closest?.(".menu:popover-open") ?? document.querySelector(".menu:popover-open");
    if (!menu) return;
    const entries = [...menu.querySelectorAll(":is(a, button):not([hidden])")];
    const step = event.key === "ArrowDown" ? 1 : -1;
    const next = entries[(entries.indexOf(document.activeElement) + step + entries.length) % entries.length];
    event.preventDefault();
    next?.focus();
  });

  document.addEventListener("click", (event) => {
    const menu = event.target.closest?.(".menu__item")?.closest("[popover]");
    if (menu?.matches(":popover-open")) menu.hidePopover();
  });

  addEventListener("scroll", () => document.querySelectorAll(".menu:popover-open[data-placed]").forEach((menu) => menu.hidePopover()), { passive: true, capture: true });
})();
