// Keeps the focus when htmx replaces the control that has it: the same control of the answer takes it, else one in its row's place, else one of
// the row around the answer, else the main part. (htmx itself finds controls with an id.)
(() => {
  "use strict";
  const CONTROL = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  const ROW = "tbody tr, li";
  // Where the focus was in what is replaced, by request: another answer may come before this one has settled.
  const replaced = new WeakMap();

  const nameOf = (control) => control.ariaLabel ?? (control.textContent.trim() || control.name);
  // An icon's word is its title.
  const wordOf = (control) => control.textContent.trim() || control.title;
  const seen = (within) => [...(within?.querySelectorAll(CONTROL) ?? [])].filter((one) => one.checkVisibility() && !one.matches(":disabled"));

  document.addEventListener("htmx:beforeSwap", ({ detail: { target, xhr } }) => {
    const focused = document.activeElement;
    if (target === focused || !target.contains(focused)) return;
    const row = focused.closest(ROW);
    const place = row ? [...target.querySelectorAll(ROW)].indexOf(row) : -1;
    replaced.set(xhr, { id: target.id, name: nameOf(focused), word: wordOf(focused), place });
  });

  document.addEventListener("htmx:afterSettle", ({ detail: { xhr } }) => {
    if (!replaced.has(xhr) || document.activeElement !== document.body) return;
    const { id, name, word, place } = replaced.get(xhr);
    const part = document.getElementById(id);
    const rows = [...(part?.querySelectorAll(ROW) ?? [])];
    // The row that moved up, or the one before where that has no control.
    const near = rows.slice(0, place + 1).map(seen).findLast((controls) => controls.length);
    const next = seen(part).find((one) => nameOf(one) === name) ?? near?.find((one) => wordOf(one) === word) ?? near?.at(-1) ?? seen(part?.closest(ROW))[0];
    replaced.delete(xhr);
    (next ?? document.getElementById("main")).focus({ preventScroll: !next });
  });
})();
