// <upload-picker>: collects files from its inputs, from a drop anywhere on the page and from the clipboard, and hands them to the queue.
// Attributes: tray (address of <upload-queue> and all inside it), script and integrity (its scripts); most visits upload nothing, so they
// are fetched with the first files.
// Method: choose(id): open the file dialog of an input inside. A button or link anywhere with data-pick does the same.
// Its menu of buttons with data-caching chooses the Cache-Control of new files; aria-current marks the choice.
// On the page it needs an element with data-uploads, which says where the files go and what the bucket allows.
(() => {
  "use strict";
  // Systems write these into folders; nobody means to upload them.
  const SYSTEM = /^(\.DS_Store|\._.*|Thumbs\.db|ehthumbs\.db|desktop\.ini|\.Spotlight-V100|\.Trashes|\.fseventsd|__MACOSX)$/i;
  const PORTION = 100;
  const KEEPER = ".emptyFolderPlaceholder";
  const WORK_MS = 30;

  const plain = (list) => Array.from(list, (file) => ({ file, path: file.webkitRelativePath || file.name }));
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

  const dropped = async (transfer) => {
    // The entries must be taken before the first await: the transfer is emptied when the event ends.
    const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (!entries.length) return plain(transfer.files);
    const found = [];
    for (const entry of entries) await walk(entry, found);
    return found;
  };

  // Where the files go: the folder that is open when they arrive.
  const target = () => document.querySelector("[data-uploads]");
  const placeOf = ({ dataset }, caching) => ({
    caching, path: dataset.path, plan: dataset.plan, send: dataset.send, check: `${dataset.send}check/`, csrf: dataset.csrf, learnt: Infinity,
    limit: dataset.limit ? Number(dataset.limit) : null, types: dataset.types ? dataset.types.split(",").map((type) => type.trim()) : [],
  });
  const holdsFiles = (event) => target() && Array.from(event.dataTransfer?.types ?? []).includes("Files");

  class UploadPicker extends HTMLElement {
    #fetching = null;
    #depth = 0;
    #listeners;

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      this.addEventListener("change", ({ target: input }) => {
        if (input.type !== "file") return;
        this.#offer(plain(input.files));
        input.value = "";
      }, { signal });
      this.addEventListener("click", ({ target: pressed }) => this.#keepCaching(pressed.closest("[data-caching]")), { signal });
      document.addEventListener("click", (event) => this.#pressed(event), { signal });
      document.addEventListener("paste", (event) => this.#pasted(event), { signal });
      document.addEventListener("dragenter", (event) => this.#dragged(event, 1), { signal });
      document.addEventListener("dragleave", (event) => this.#dragged(event, -1), { signal });
      document.addEventListener("dragover", (event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
      }, { signal });
      document.addEventListener("drop", (event) => this.#dropped(event), { signal });
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    get #caching() {
      return this.querySelector("[data-caching][aria-current]").dataset.caching;
    }

    // The Cache-Control of files that are added from now on.
    #keepCaching(button) {
      if (!button) return;
      this.querySelector("[data-caching][aria-current]").removeAttribute("aria-current");
      button.setAttribute("aria-current", "true");
    }

    choose(id) {
      this.querySelector(`#${id}`).click();
    }

    #pressed(event) {
      const button = event.target instanceof Element && event.target.closest("[data-pick]");
      if (!button || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.choose(button.dataset.pick);
    }

    #pasted({ target: at, clipboardData }) {
      const isTyping = at instanceof Element && at.closest("input, textarea, [contenteditable]");
      if (target() && !isTyping && clipboardData?.files.length) this.#offer(plain(clipboardData.files));
    }

    #hover(depth) {
      this.#depth = Math.max(0, depth);
      this.toggleAttribute("data-dropping", this.#depth > 0);
    }

    #dragged(event, step) {
      if (!holdsFiles(event)) return;
      if (step > 0) event.preventDefault();
      this.#hover(this.#depth + step);
    }

    async #dropped(event) {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      this.#hover(0);
      this.#offer(await dropped(event.dataTransfer));
    }

    async #fetch() {
      await htmx.ajax("GET", this.getAttribute("tray"), { target: this.querySelector("upload-queue"), swap: "outerHTML" });
      if (!this.querySelector("upload-tray")) throw new Error("no tray");
      await new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = this.getAttribute("script");
        script.integrity = this.getAttribute("integrity");
        script.addEventListener("load", resolve);
        script.addEventListener("error", reject);
        document.head.append(script);
      });
    }

    async #offer(found) {
      try {
        await (this.#fetching ??= this.#fetch());
      } catch {
        this.#fetching = null;
        const text = "Pilothouse could not be reached, so nothing was uploaded. Choose the files again when the connection is back.";
        document.querySelector("notice-list").say(text, "danger");
        return;
      }
      const skipped = {};
      const files = [];
      for (const one of found) {
        const system = found.length > 1 && one.path.split("/").find((name) => SYSTEM.test(name));
        if (system) skipped[system] = (skipped[system] ?? 0) + 1;
        else files.push({ ...one, size: one.file?.size ?? 0 });
        await breathe();
      }
      const sorted = files.map((one) => [one.path.toLowerCase(), one]).sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
      const to = target();
      if (to && files.length) this.querySelector("upload-queue").add(sorted.map(([, one]) => one), placeOf(to, this.#caching));
      if (found.length) this.querySelector("upload-tray").report(skipped);
    }
  }

  customElements.define("upload-picker", UploadPicker);
})();
