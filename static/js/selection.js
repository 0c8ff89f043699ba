// Boxes of a list: shift takes a range, the header box takes all that are shown, the bar counts; a fresh list keeps what was chosen.
(() => {
  let last = null;
  let kept = new Set();

  const list = () => document.querySelector("[data-selection]");
  const boxes = () => Array.from(list()?.querySelectorAll("input:is([data-bytes], [data-pick])") ?? []);
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const amount = (bytes) => {
    let step = 0;
    let left = bytes;
    while (left >= 1024 && step < units.length - 1) [left, step] = [left / 1024, step + 1];
    return `${step ? left.toFixed(1) : left} ${units[step]}`;
  };

  const count = () => {
    if (!list()) return;
    const all = boxes();
    const chosen = all.filter((box) => box.checked);
    kept = new Set(chosen.map((box) => box.value));
    const bytes = chosen.reduce((sum, box) => sum + Number(box.dataset.bytes), 0);
    const sum = list().querySelector("[data-selected-bytes]");
    const text = chosen.length ? `${chosen.length.toLocaleString("en")} selected${sum ? `, ${amount(bytes)}` : ""}` : "";
    for (const place of list().querySelectorAll("[data-selected]")) if (place.textContent !== text) place.textContent = text;
    if (sum) sum.value = chosen.length ? bytes : "";
    const head = list().querySelector("[data-select-all]");
    if (head) {
      head.checked = all.length > 0 && chosen.length === all.length;
      head.indeterminate = chosen.length > 0 && chosen.length < all.length;
    }
  };

  const clear = () => {
    for (const box of boxes()) box.checked = false;
    count();
  };

  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest("[data-select-none]")) {
      clear();
      list()?.querySelector("[data-select-all]")?.focus();
      return;
    }
    const box = event.target.closest("[data-selection] input:is([data-bytes], [data-pick])");
    if (!box) return;
    const all = boxes();
    const from = all.indexOf(last);
    if (event.shiftKey && from >= 0) {
      const to = all.indexOf(box);
      for (const between of all.slice(Math.min(from, to), Math.max(from, to) + 1)) between.checked = box.checked;
    }
    last = box;
    count();
  });

  document.addEventListener("change", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("[data-selection]")) return;
    if (event.target.matches("[data-select-all]")) for (const box of boxes()) box.checked = event.target.checked;
    count();
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !kept.size || document.querySelector("dialog[open]")) return;
    clear();
  });

  // After a swap the boxes are new ones: those that were chosen are chosen again, gone ones are forgotten.
  document.addEventListener("htmx:afterSettle", () => {
    if (!list()) return;
    for (const box of boxes()) if (kept.has(box.value)) box.checked = true;
    count();
  });
  document.addEventListener("DOMContentLoaded", count);
})();
