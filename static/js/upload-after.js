// After an upload: the stored objects handed on to the pages that share them, what was left behind as a CSV, and notes.
(() => {
  "use strict";
  const MOST = 1000;
  const behind = ["failed", "refused", "cancelled", "skipped", "name"];
  let desk;

  const stored = () => [...(desk?.items.values() ?? [])].filter((item) => ["stored", "checked"].includes(item.state));
  const cell = (text) => `"${String(text).replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;

  const csv = () => {
    const lines = [["file", "object", "bytes", "state", "reason"]];
    for (const item of desk.items.values()) if (behind.includes(item.state)) lines.push([item.path, item.key, item.size, item.state, item.message]);
    const text = lines.map((line) => line.map(cell).join(",")).join("\r\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`${text}\r\n`], { type: "text/csv" }));
    link.download = "not-uploaded.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };

  document.addEventListener("uploads:state", ({ detail }) => {
    desk = detail.desk;
    const root = document.querySelector("[data-upload-tray]");
    if (!root) return;
    const { counts } = desk;
    const done = !detail.totals.busy;
    const count = (counts.stored ?? 0) + (counts.checked ?? 0);
    const part = (name) => root.querySelector(`[data-part="${name}"]`);
    part("share").hidden = !done || !count || count > MOST;
    part("csv").hidden = !done || !behind.some((state) => counts[state]);
    part("afterwards").hidden = part("share").hidden && part("csv").hidden;
  });

  document.addEventListener("uploads:do", ({ detail: { act } }) => {
    if (act === "csv") csv();
  });

  // A selection as every verb takes it: one `key` for each object.
  document.addEventListener("htmx:configRequest", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-upload-share]")) event.detail.parameters.key = stored().map((item) => item.key);
  });

  document.addEventListener("uploads:left", ({ detail: { names } }) => {
    const note = document.querySelector("[data-upload-tray] [data-part=left]");
    if (!note) return;
    const counts = Object.entries(names).map(([name, count]) => (count > 1 ? `${name} (${count.toLocaleString("en")} times)` : name));
    note.hidden = !counts.length;
    note.textContent = `Not taken along, since systems write them for themselves: ${counts.join(", ")}.`;
  });
})();
