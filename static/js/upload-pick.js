// Collects files from the buttons, from a drop anywhere on the page and from the clipboard; uploads.js takes them from the event.
(() => {
  const place = () => document.querySelector("[data-uploads]");

  const offer = (files) => {
    if (files.length) document.dispatchEvent(new CustomEvent("uploads:add", { detail: { files } }));
  };

  const plain = (list) => Array.from(list, (file) => ({ file, path: file.webkitRelativePath || file.name }));

  const opened = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

  const read = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));

  // A folder is read in batches (Chromium gives 100 at a time) until an empty one ends it.
  const walk = async (entry, found) => {
    const path = entry.fullPath.replace(/^\//, "");
    if (entry.isFile) {
      try {
        found.push({ file: await opened(entry), path });
      } catch {
        found.push({ file: null, path });
      }
      return;
    }
    const reader = entry.createReader();
    for (let batch = await read(reader); batch.length; batch = await read(reader)) {
      for (const inner of batch) await walk(inner, found);
    }
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
