// Draws the upload tray: totals, one row each for what needs attention or is under way, counters for the rest.
(() => {
  const ROWS = 24;
  const words = {
    checking: "Checking the name", waiting: "Waiting", sending: "Sending", storing: "Sent; the service is storing it", stored: "Stored",
    name: "Needs another name", exists: "Exists already", failed: "Failed", refused: "Refused", skipped: "Left out", cancelled: "Cancelled",
  };
  const order = ["exists", "name", "failed", "refused", "storing", "sending", "checking", "waiting", "cancelled", "skipped", "stored"];
  const buttons = {
    cancel: ["checking", "waiting", "sending", "storing", "name"], retry: ["failed", "cancelled"], accept: ["name"],
    replace: ["exists"], both: ["exists"], skip: ["exists"], clear: ["refused", "skipped", "failed", "cancelled"],
  };
  const rows = new Map();
  let announced = "";
  let complete = false;

  const tray = () => document.querySelector("[data-upload-tray]");
  const part = (root, name) => root.querySelector(`[data-part="${name}"]`);
  const write = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const cut = (text) => (text.length > 60 ? `${text.slice(0, 36)}…${text.slice(-22)}` : text);

  const chosen = (items) => {
    const ranked = order.map(() => []);
    for (const item of items.values()) {
      const rank = ranked[order.indexOf(item.state)];
      if (rank.length < ROWS || item.state === "stored") rank.push(item);
    }
    ranked[order.length - 1].reverse();
    return ranked.flat().slice(0, ROWS);
  };

  const detail = (item, amount) => {
    const size = amount(item.size);
    if (item.state === "sending") {
      const seconds = (performance.now() - item.started) / 1000;
      const speed = seconds > 0.5 ? `, ${amount(Math.round(item.sent / seconds))}/s` : "";
      return `${amount(item.sent)} of ${size}${speed}`;
    }
    return [item.message, item.state === "exists" || item.state === "name" ? "" : size].filter(Boolean).join(" · ");
  };

  const draw = (row, item, amount) => {
    row.dataset.state = item.state;
    const name = part(row, "name");
    write(name, cut(item.path));
    name.title = item.key;
    write(part(row, "state"), words[item.state]);
    write(part(row, "detail"), detail(item, amount));
    const bar = part(row, "bar");
    bar.hidden = !["sending", "storing", "waiting"].includes(item.state);
    bar.max = Math.max(item.size, 1);
    if (item.state === "storing") bar.removeAttribute("value");
    else bar.value = Math.min(item.sent, item.size);
    bar.setAttribute("aria-label", `Progress of ${item.path}`);
    for (const button of row.querySelectorAll("button")) {
      const kind = button.dataset.how || button.dataset.act;
      button.hidden = !buttons[kind].includes(item.state) || (kind === "accept" && !item.suggestion);
      button.dataset.id = item.id;
      if (kind === "accept") write(button, `Upload as ${cut(item.suggestion.split("/").at(-1))}`);
      else button.setAttribute("aria-label", `${button.textContent.trim()}: ${item.path}`);
    }
  };

  const list = (root, items, amount) => {
    const shown = chosen(items);
    const keep = new Set(shown.map((item) => item.id));
    for (const [id, row] of rows) {
      if (keep.has(id)) continue;
      row.remove();
      rows.delete(id);
    }
    const holder = part(root, "rows");
    shown.forEach((item, at) => {
      let row = rows.get(item.id);
      if (!row) {
        row = document.getElementById("upload-row").content.firstElementChild.cloneNode(true);
        rows.set(item.id, row);
      }
      draw(row, item, amount);
      // Moving a row drops the focus inside it, so a row that stands right is left alone.
      if (holder.children[at] !== row) holder.insertBefore(row, holder.children[at] ?? null);
    });
    const rest = items.size - shown.length;
    part(root, "rest").hidden = rest < 1;
    write(part(root, "rest"), `and ${rest.toLocaleString("en")} more, counted above`);
  };

  const sums = (root, { totals, amount }) => {
    const { states } = totals;
    const stored = states.stored ?? 0;
    const count = (...names) => names.reduce((sum, name) => sum + (states[name] ?? 0), 0);
    const asking = count("exists", "name");
    const failed = count("failed", "refused");
    const bits = totals.files
      ? [`${stored.toLocaleString("en")} of ${totals.files.toLocaleString("en")} stored`, `${amount(totals.sent)} of ${amount(totals.bytes)} sent`]
      : [];
    if (totals.busy && totals.speed) bits.push(`${amount(Math.round(totals.speed))}/s`);
    if (asking) bits.push(`${asking.toLocaleString("en")} to decide`);
    if (failed) bits.push(`${failed.toLocaleString("en")} not uploaded`);
    write(part(root, "total"), bits.join(" · "));
    write(part(root, "title"), totals.busy ? "Uploading" : asking ? "Waiting for your decision" : "Uploads");
    const bar = part(root, "total-bar");
    bar.hidden = !totals.files;
    bar.max = Math.max(totals.bytes, 1);
    bar.value = totals.bytes ? Math.min(totals.sent, totals.bytes) : Number(!totals.busy);
    part(root, "ask-exists").hidden = count("exists") < 2;
    part(root, "ask-name").hidden = count("name") < 2;
    part(root, "cancel-all").hidden = !totals.busy;
    part(root, "retry-all").hidden = count("failed", "cancelled") < 2;
    part(root, "clear-all").hidden = totals.busy || asking > 0;
    // Once everything is stored there is nothing to look after, and what the tray covers can be used again.
    const now = totals.files > 0 && stored === totals.files;
    if (now !== complete) root.querySelector("details").open = !(complete = now);
    const news = totals.busy || !totals.files ? (asking ? "Some uploads wait for a decision." : "") : `Uploads ended: ${bits[0]}${failed ? `, ${failed} not uploaded` : ""}.`;
    if (news !== announced) write(part(root, "news"), (announced = news));
  };

  document.addEventListener("uploads:state", ({ detail }) => {
    const root = tray();
    if (!root) return;
    root.hidden = !detail.items.size;
    document.documentElement.toggleAttribute("data-uploads-open", Boolean(detail.items.size));
    sums(root, detail);
    list(root, detail.items, detail.amount);
  });

  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-upload-tray] button[data-act]");
    if (!button) return;
    const { act, how, id } = button.dataset;
    document.dispatchEvent(new CustomEvent("uploads:do", { detail: { act, how, id: id ? Number(id) : 0 } }));
  });
})();
