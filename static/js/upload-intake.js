// <upload-intake>: takes what was chosen or dropped to the queue: files, and folders with all that is in them. It shows which system files
// were skipped. It stands inside <upload-queue>.
// Method: take(list, place): files or entries of the file system, and where they go: the dataset of data-uploads, and review.
(() => {
  "use strict";
  // Systems write these into folders; nobody means to upload them.
  const SYSTEM = /^(\.DS_Store|\._.*|Thumbs\.db|ehthumbs\.db|desktop\.ini|\.Spotlight-V100|\.Trashes|\.fseventsd|__MACOSX)$/i;
  const PORTION = 100;
  const KEEPER = ".emptyFolderPlaceholder";
  const WORK_MS = 30;

  const opened = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));
  const read = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));

  // Thousands of files are taken in portions, so that the page keeps responding.
  let rested = 0;
  const breathe = async () => {
    if (performance.now() - rested < WORK_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    rested = performance.now();
  };

  // A folder is read in batches of any size until an empty one ends it. An empty folder is kept by its placeholder.
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
        await breathe();
      }
      for (const inner of batch) if (inner.isDirectory) await walk(inner, found);
    }
    if (found.length === before) found.push({ file: new File([], KEEPER), path: `${path}/${KEEPER}`, name: `${path}/ (empty folder)` });
  };

  const everything = async (list) => {
    const found = [];
    for (const one of list) {
      if (one instanceof File) found.push({ file: one, path: one.webkitRelativePath || one.name });
      else await walk(one, found);
    }
    return found;
  };

  const placeOf = ({ path, plan, send, csrf, limit, types, review }) => ({
    path, plan, send, csrf, review, person: document.body.dataset.person, check: `${send}check/`, learnt: Infinity,
    limit: limit ? Number(limit) : null, types: types ? types.split(",").map((type) => type.trim()) : [],
  });

  class UploadIntake extends HTMLElement {
    async take(list, place) {
      const found = await everything(list);
      const skipped = {};
      const files = [];
      for (const one of found) {
        const system = found.length > 1 && one.path.split("/").find((name) => SYSTEM.test(name));
        if (system) skipped[system] = (skipped[system] ?? 0) + 1;
        else files.push({ ...one, size: one.file?.size ?? 0 });
        await breathe();
      }
      const sorted = files.map((one) => [one.path.toLowerCase(), one]).sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
      if (files.length) this.closest("upload-queue").add(sorted.map(([, one]) => one), placeOf(place));
      this.#report(skipped);
    }

    #report(names) {
      const counts = Object.entries(names).map(([name, count]) => (count > 1 ? `${name} (${count.toLocaleString("en")} times)` : name));
      this.hidden = !counts.length;
      this.textContent = `Skipped system files: ${counts.join(", ")}.`;
    }
  }

  customElements.define("upload-intake", UploadIntake);
})();
