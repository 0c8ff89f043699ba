// <upload-picker>: takes files from its inputs, from a drop anywhere on the page and from the clipboard, and hands them to <upload-intake>.
// Attributes: tray (address of <upload-queue> and all inside it), script, sheet, script-integrity and sheet-integrity; most visits upload
// nothing, so they are fetched with the first files.
// Method: choose(id): open the file dialog of an input inside. A button or link anywhere with data-pick does the same.
// While a button with data-review is pressed, new files wait until their type and caching were looked at.
// On the page it needs an element with data-uploads, which says where the files go and what the bucket allows.
(() => {
  "use strict";
  const target = () => document.querySelector("[data-uploads]");
  const holdsFiles = (event) => target() && Array.from(event.dataTransfer?.types ?? []).includes("Files");
  const load = (tag, attributes) =>
    new Promise((resolve, reject) => {
      const element = Object.assign(document.createElement(tag), attributes);
      element.addEventListener("load", resolve);
      element.addEventListener("error", reject);
      document.head.append(element);
    });

  class UploadPicker extends HTMLElement {
    #fetching = null;
    #depth = 0;
    #isReviewing = false;
    #listeners;

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      this.addEventListener("change", ({ target: input }) => {
        if (input.type !== "file") return;
        this.#offer([...input.files]);
        input.value = "";
      }, { signal });
      document.addEventListener("click", (event) => this.#pressed(event), { signal });
      document.addEventListener("htmx:afterSettle", () => this.#review(this.#isReviewing), { signal });
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

    choose(id) {
      if (target()) this.querySelector(`#${id}`).click();
    }

    #pressed(event) {
      const button = event.target instanceof Element && event.target.closest("[data-pick], [data-review]");
      if (!button || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (button.dataset.pick) this.choose(button.dataset.pick);
      else this.#review(!this.#isReviewing);
    }

    #review(isReviewing) {
      this.#isReviewing = isReviewing;
      document.querySelector("[data-review]")?.setAttribute("aria-pressed", String(isReviewing));
    }

    #pasted({ target: at, clipboardData }) {
      const isTyping = at instanceof Element && at.closest("input, textarea, [contenteditable]");
      if (!isTyping && clipboardData) this.#offer([...clipboardData.files]);
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

    #dropped(event) {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      this.#hover(0);
      // They must be taken now: the transfer is emptied when the event ends.
      const { items, files } = event.dataTransfer;
      const entries = Array.from(items, (item) => item.webkitGetAsEntry?.()).filter(Boolean);
      this.#offer(entries.length ? entries : [...files]);
    }

    async #fetch() {
      const of = (name) => this.getAttribute(name);
      await load("link", { rel: "stylesheet", href: of("sheet"), integrity: of("sheet-integrity") });
      await htmx.ajax("GET", of("tray"), { target: this.querySelector("upload-queue"), swap: "outerHTML" });
      if (!this.querySelector("upload-tray")) throw new Error("no tray");
      await load("script", { src: of("script"), integrity: of("script-integrity") });
    }

    // The files go to the folder that is open now, also if another one is opened before they are read.
    async #offer(list) {
      if (!target() || !list.length) return;
      const place = { ...target().dataset, review: this.#isReviewing };
      try {
        await (this.#fetching ??= this.#fetch());
        this.querySelector("upload-intake").take(list, place);
      } catch {
        this.#fetching = null;
        const text = "Pilothouse could not be reached, so nothing was uploaded. Choose the files again when the connection is back.";
        document.querySelector("notice-list").say(text, "danger");
      }
    }
  }

  customElements.define("upload-picker", UploadPicker);
})();
