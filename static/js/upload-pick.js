// Collects files from the buttons, from a drop anywhere on the page and from the clipboard; the queue takes them from the event.
(() => {
  "use strict";
  const place = () => document.querySelector("[data-uploads]");

  // Systems write these into folders for themselves; nobody means to upload them.
  const SYSTEM = /^(\.DS_Store|\._.*|Thumbs\.db|ehthumbs\.db|desktop\.ini|\.Spotlight-V100|\.Trashes|\.fseventsd|__MACOSX)$/i;
  const PORTION = 100;
  const KEEPER = ".emptyFolderPlaceholder";

  // Thousands of files are taken in portions, so that the page goes on answering.
  let rested = 0;
  const breath = async () => {
    if (performance.now() - rested < 30) return;
    await new Promise((resolve) => setTimeout(resolve));
    rested = performance.now();
  };

  // Most visits upload nothing: the tray and the queue are fetched with the first files.
  let queue = null;
  const fetched = async () => {
    const { tray, queue: source, integrity } = document.querySelector("[data-queue]").dataset;
    await htmx.ajax("GET", tray, { target: "#upload-tray", swap: "outerHTML" });
    if (!document.querySelector("[data-upload-tray]")) throw new Error("no tray");
    await new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = source;
      script.integrity = integrity;
      script.addEventListener("load", resolve);
      script.addEventListener("error", reject);
      document.head.append(script);
    });
  };
  const lost = () => {
    queue = null;
    const text = "The files could not be taken: Pilothouse was not reached. Choose them again when the connection is back.";
    document.dispatchEvent(new CustomEvent("notice:say", { detail: { text, tone: "danger" } }));
  };

  const offer = async (found) => {
    try {
      await (queue ??= fetched());
    } catch {
      lost();
      return;
    }
    const names = {};
    const files = [];
    for (const one of found) {
      const system = found.length > 1 && one.path.split("/").find((name) => SYSTEM.test(name));
      if (system) names[system] = (names[system] ?? 0) + 1;
      else files.push({ ...one, size: one.file?.size ?? 0 });
      await breath();
    }
    const sorted = files.map((one) => [one.path.toLowerCase(), one]).sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
    const detail = { files: sorted.map(([, one]) => one) };
    if (files.length) document.dispatchEvent(new CustomEvent("uploads:add", { detail }));
    if (found.length) document.dispatchEvent(new CustomEvent("uploads:left", { detail: { names } }));
  };

  const plain = (list) => Array.from(list, (file) => ({ file, path: file.webkitRelativePath || file.name }));

  const opened = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

  const read = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));

  // A folder is read in batches of any size until an empty one ends it. An empty folder is kept by its mark.
  const walk = async (entry, found) => {
    const path = entry.fullPath.replace(/^\//, "");
    if (entry.isFile) {
      const at = found.push({ file: null, path }) - 1;
      found[at].file = await opened(entry).catch(() => null);
      return;
    }
    const before = found.length;
    const reader = entry.createReader();
    for (let batch = await read(reader); batch.length; batch = await read(reader)) {
      for (let at = 0; at < batch.length; at += PORTION) {
        await Promise.all(batch.slice(at, at + PORTION).map((inner) => inner.isFile && walk(inner, found)));
        await breath();
      }
      for (const inner of batch) if (inner.isDirectory) await walk(inner, found);
    }
    if (found.length === before) found.push({ file: new File([], KEEPER), path: `${path}/${KEEPER}`, name: `${path}/ (empty folder)` });
  };

  const dropped = async (transfer) => {
    // The entries must be taken before the first await: the transfer is emptied when the event ends.
    const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (!entries.length) return plain(transfer.files);
    const found = [];
    for (const entry of entries) await walk(entry, found);
    return found;
  };

  const holdsFiles = (event) => place() && Array.from(event.dataTransfer?.types ?? []).includes("Files");

  let depth = 0;
  const hover = (on) => document.documentElement.toggleAttribute("data-dropping", on);

  document.addEventListener("dragenter", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth += 1;
    hover(true);
  });
  document.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  });
  document.addEventListener("dragleave", (event) => {
    if (!holdsFiles(event)) return;
    depth = Math.max(0, depth - 1);
    hover(depth > 0);
  });
  document.addEventListener("drop", async (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth = 0;
    hover(false);
    offer(await dropped(event.dataTransfer));
  });

  document.addEventListener("paste", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]");
    if (place() && !typing && event.clipboardData?.files.length) offer(plain(event.clipboardData.files));
  });

  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-pick]");
    if (!button || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    document.getElementById(button.dataset.pick)?.click();
  });
  document.addEventListener("change", (event) => {
    if (!(event.target instanceof HTMLInputElement) || !("picks" in event.target.dataset)) return;
    offer(plain(event.target.files));
    event.target.value = "";
  });
})();
