// <file-sender>: sends files to a file request by its <send-queue>, and shows what became of each.
// Attributes: data-send (where), data-csrf, data-most (bytes per file), data-accept (patterns, separated by commas),
// data-types (the same in words). Property: sends (what <send-queue> asks).
(() => {
  "use strict";
  const BUSY_TRIES = 60;
  const BUSY_SECONDS = 5;
  const UNDER_WAY = ["waiting", "sending"];

  const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  class FileSender extends HTMLElement {
    #rows = new Map();
    #listeners;

    sends = {
      request: (row) => this.#request(row),
      began: (row) => this.#say(row, "sending", "Sending"),
      progressed: (row, bytes) => {
        const { size } = this.#rows.get(row).file;
        row.querySelector("progress").value = size ? bytes / size : 1;
        this.#say(row, "sending", bytes < size ? `${Math.floor((bytes / size) * 100)} %` : "Storing");
      },
      answered: (row, request) => this.#answered(row, request),
      lost: (row) => this.#say(row, "failed", "Connection lost", "It may have arrived. Reload this page to see which files did.", true),
    };

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      const input = this.querySelector("input[type=file]");
      const take = () => {
        for (const file of input.files) this.#add(file);
        input.value = "";
      };
      input?.addEventListener("change", take, { signal });
      this.addEventListener("click", ({ target }) => {
        const row = target.closest("[data-again]")?.closest("li");
        if (row) this.#queue(row);
      }, { signal });
      addEventListener("beforeunload", (event) => {
        if (this.#count(...UNDER_WAY)) event.preventDefault();
      }, { signal });
      // Somebody may have chosen files before this script came.
      if (input) take();
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    get #sender() {
      return this.querySelector("send-queue");
    }

    #add(file) {
      const row = this.querySelector("template").content.cloneNode(true).firstElementChild;
      row.querySelector("[data-name]").textContent = file.name;
      const list = this.querySelector("[data-files]");
      list.hidden = false;
      list.prepend(row);
      this.#rows.set(row, { file, tries: 0 });
      const { most, accept, types } = this.dataset;
      const amount = (bytes) => this.#sender.amount(bytes);
      if (file.size > Number(most)) {
        this.#say(row, "refused", "Not sent", `This file has ${amount(file.size)}; at most ${amount(Number(most))} are allowed.`);
      } else if (!this.#sender.admits(accept ? accept.split(",") : [], file)) {
        this.#say(row, "refused", "Not sent", `Only these types are allowed: ${types}.`);
      } else {
        this.#queue(row);
      }
    }

    #queue(row) {
      this.#say(row, "waiting", "Waiting", this.#sender.amount(this.#rows.get(row).file.size));
      this.#sender.add(row);
    }

    #request(row) {
      const { file } = this.#rows.get(row);
      const headers = { "X-CSRFToken": this.dataset.csrf, "Content-Type": file.type || "application/octet-stream" };
      return { address: `${this.dataset.send}?name=${encodeURIComponent(file.name.toWellFormed?.() ?? file.name)}`, headers, file };
    }

    #answered(row, request) {
      const mine = this.#rows.get(row);
      let answer = {};
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        answer = { title: "Not sent.", text: "Try again in a minute." };
      }
      if (request.status === 403 && !mine.isRenewed) {
        mine.isRenewed = true;
        this.#renew().finally(() => this.#queue(row));
        return;
      }
      if (request.status === 503 && request.getResponseHeader("Retry-After") === String(BUSY_SECONDS) && mine.tries < BUSY_TRIES) {
        mine.tries += 1;
        this.#say(row, "waiting", "Waiting", "Many people are sending files.");
        this.#sender.rest(BUSY_SECONDS * (0.5 + Math.random()));
        this.#sender.again(row);
        return;
      }
      if (request.status === 200) {
        row.querySelector("[data-name]").textContent = answer.name;
        this.#say(row, "stored", "Received", this.#sender.amount(mine.file.size));
      } else if (request.status === 202) {
        this.#say(row, "failed", "Not confirmed yet", "Reload this page in a few minutes to see whether it arrived.");
      } else {
        const text = [answer.title, answer.text].filter(Boolean).join(" ");
        this.#say(row, "refused", "Not sent", text, ![410, 413, 422].includes(request.status));
      }
    }

    // Somebody signed in or out in another tab, which changed the CSRF token.
    async #renew() {
      const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
      this.dataset.csrf = page.querySelector("file-sender")?.dataset.csrf ?? this.dataset.csrf;
    }

    #say(row, state, words, detail, isAgain = false) {
      const isNew = row.dataset.state !== state;
      row.dataset.state = state;
      row.querySelector("[data-words]").textContent = words;
      if (detail !== undefined) row.querySelector("[data-detail]").textContent = detail;
      row.querySelector("progress").hidden = state !== "sending";
      row.querySelector("[data-again]").hidden = !isAgain;
      if (isNew) this.#summarize();
    }

    #count(...states) {
      return [...this.#rows.keys()].filter((row) => states.includes(row.dataset.state)).length;
    }

    #summarize() {
      const left = this.#count(...UNDER_WAY);
      const stored = this.#count("stored");
      const refused = this.#count("refused");
      const unknown = this.#count("failed");
      const said = [
        stored && `${counted(stored, "file")} received.`,
        refused && `${counted(refused, "file")} not sent.`,
        unknown && `${counted(unknown, "file")} not confirmed.`,
      ];
      this.querySelector("[data-summary]").textContent = left
        ? `Sending ${counted(left, "file")}. Keep this page open.`
        : said.filter(Boolean).join(" ");
    }
  }

  customElements.define("file-sender", FileSender);
})();
