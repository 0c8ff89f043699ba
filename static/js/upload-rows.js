// Rows of the upload tray: one window of the files that are looked at, however many there are.
(() => {
  "use strict";
  const WINDOW = 50;
  const words = {
    planning: "Comparing", new: "New", same: "Same size", different: "Different", name: "Needs another name", waiting: "Waiting",
    sending: "Sending", storing: "Sent; the service is storing it", stored: "Stored", checked: "Stored, checked", failed: "Failed",
    refused: "Refused", skipped: "Left out", cancelled: "Cancelled",
  };
  const order = [
    "different", "name", "failed", "refused", "same", "storing", "sending", "planning", "waiting", "new", "cancelled", "skipped", "stored", "checked",
  ];
  const ended = ["refused", "skipped", "failed", "cancelled"];
  const buttons = {
    cancel: ["planning", "waiting", "sending", "storing", "name"], retry: ["failed", "cancelled"], accept: ["name"], clear: ended,
    replace: ["same", "different"], both: ["same", "different"], skip: ["new", "same", "different"],
  };
  const rows = new Map();
  let at = 0;
  let last = "";

  const part = (root, name) => root.querySelector(`[data-part="${name}"]`);
  const write = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const cut = (text) => (text.length > 60 ? `${text.slice(0, 36)}…${text.slice(-22)}` : text);

  const chosen = (items, { states, text }) => {
    const ranked = order.map(() => []);
    for (const item of items.values()) {
      if ((!states || states.includes(item.state)) && (!text || item.path.toLowerCase().includes(text))) ranked[order.indexOf(item.state)].push(item);
    }
    return ranked.flat();
  };

  const detail = (item, { amount }) => {
    const size = item.size ? amount(item.size) : "empty";
    if (item.state === "sending") {
      const seconds = (performance.now() - item.started) / 1000;
      const speed = seconds > 0.5 ? `, ${amount(Math.round(item.sent / seconds))}/s` : "";
      return `${amount(item.sent)} of ${size}${speed}`;
    }
    const there = item.there === null || item.there === undefined ? "of unknown size" : amount(item.there);
    const compared = item.state === "different" ? `${size} here, ${there} in the bucket` : size;
    return [item.message, item.state === "name" ? "" : compared].filter(Boolean).join(" · ");
  };

  const draw = (row, item, desk) => {
    row.dataset.state = item.state;
    const name = part(row, "name");
    write(name, cut(item.path));
    name.title = item.key;
    write(part(row, "state"), words[item.state]);
    write(part(row, "detail"), detail(item, desk));
    const bar = part(row, "bar");
    bar.hidden = !["sending", "storing", "waiting"].includes(item.state);
    bar.max = Math.max(item.size, 1);
    if (item.state === "storing") bar.removeAttribute("value");
    else bar.value = Math.min(item.sent, item.size);
    bar.setAttribute("aria-label", `Progress of ${item.path}`);
    const choice = desk.choose?.(item);
    for (const button of row.querySelectorAll("button")) {
      const { act, how } = button.dataset;
      const kind = how || act;
      button.hidden = !buttons[kind].includes(item.state) || (kind === "accept" && !item.suggestion);
      button.dataset.id = item.id;
      if (how) button.setAttribute("aria-pressed", String(choice === how));
      if (kind === "accept") write(button, `Upload as ${cut(item.suggestion.split("/").at(-1))}`);
      else button.setAttribute("aria-label", `${button.textContent.trim()}: ${item.path}`);
    }
  };

  const list = (root, desk, show) => {
    const found = chosen(desk.items, show);
    const wish = `${show.states} ${show.text}`;
    if (wish !== last) [last, at] = [wish, 0];
    at = Math.max(0, Math.min(at, Math.floor((found.length - 1) / WINDOW) * WINDOW));
    const shown = found.slice(at, at + WINDOW);
    const keep = new Set(shown.map((item) => item.id));
    for (const [id, row] of rows) {
      if (keep.has(id)) continue;
      row.remove();
      rows.delete(id);
    }
    const holder = part(root, "rows");
    shown.forEach((item, place) => {
      let row = rows.get(item.id);
      if (!row) {
        row = document.getElementById("upload-row").content.firstElementChild.cloneNode(true);
        rows.set(item.id, row);
      }
      draw(row, item, desk);
      // Moving a row drops the focus inside it, so a row that stands right is left alone.
      if (holder.children[place] !== row) holder.insertBefore(row, holder.children[place] ?? null);
    });
    part(root, "windows").hidden = found.length <= WINDOW;
    part(root, "before").disabled = !at;
    part(root, "after").disabled = at + WINDOW >= found.length;
    const count = (number) => number.toLocaleString("en");
    write(part(root, "window"), `${count(at + 1)} to ${count(at + shown.length)} of ${count(found.length)}`);
  };

  document.addEventListener("uploads:do", ({ detail: { act, how } }) => {
    if (act === "window") at += how === "after" ? WINDOW : -WINDOW;
  });

  document.addEventListener("uploads:rows", ({ detail: { root, desk, show } }) => list(root, desk, show));
})();
