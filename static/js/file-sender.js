// <file-sender>: sends files to a file request, two at a time, each as the raw body of a PUT, and shows what became of each.
// Attributes: data-send (where), data-csrf, data-most (bytes per file), data-accept (patterns, separated by commas),
// data-types (the same in words).
(() => {
  "use strict";
  const AT_ONCE = 2;
  const BUSY_TRIES = 60;
  const BUSY_SECONDS = 5;
  const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

  const amount = (bytes) => {
    let unit = 0;
    for (; bytes >= 1024 && unit < UNITS.length - 1; unit += 1) bytes /= 1024;
    return bytes === 1 ? "1 byte" : `${unit ? bytes.toFixed(1) : bytes} ${UNITS[unit]}`;
  };
  const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const admits = (pattern, { name, type }) =>
    pattern.startsWith(".") ? name.toLowerCase().endsWith(pattern) : !type || type === pattern || (pattern.endsWith("/*") && type.startsWith(pattern.slice(0, -1)));

  class FileSender extends HTMLElement {
    #rows = new Map();
    #waiting = [];
    #sending = 0;
    #listeners;

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      const input = this.querySelector("input[type=file]");
      this.querySelector("[data-choose]")?.addEventListener("click", () => input.click(), { signal });
      input?.addEventListener("change", () => {
        for (const file of input.files) this.#add(file);
        input.value = "";
      }, { signal });
      this.addEventListener("click", ({ target }) => {
        const row = target.closest("[data-again]")?.closest("li");
        if (row) this.#queue(row);
      }, { signal });
      addEventListener("beforeunload", (event) => {
        if (this.#sending || this.#waiting.length) event.preventDefault();
      }, { signal });
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    #add(file) {
      const row = this.querySelector("template").content.cloneNode(true).firstElementChild;
      row.querySelector("[data-name]").textContent = file.name;
      const list = this.querySelector("[data-files]");
      list.hidden = false;
      list.prepend(row);
      this.#rows.set(row, { file, tries: 0 });
      const { most, accept, types } = this.dataset;
      const patterns = accept ? accept.split(",") : [];
      if (file.size > Number(most)) {
        this.#say(row, "refused", "Not sent", `This file has ${amount(file.size)}; at most ${amount(Number(most))} are allowed.`);
      } else if (patterns.length && !patterns.some((pattern) => admits(pattern, file))) {
        this.#say(row, "refused", "Not sent", `Only these types are allowed: ${types}.`);
      } else {
        this.#queue(row);
      }
    }

    #queue(row) {
      this.#say(row, "waiting", "Waiting", amount(this.#rows.get(row).file.size));
      this.#waiting.push(row);
      this.#next();
    }

    #next() {
      while (this.#sending < AT_ONCE && this.#waiting.length) {
        this.#sending += 1;
        this.#send(this.#waiting.shift());
      }
      this.#summarize();
    }

    #send(row) {
      const { file } = this.#rows.get(row);
      const request = new XMLHttpRequest();
      request.open("PUT", `${this.dataset.send}?name=${encodeURIComponent(file.name.toWellFormed?.() ?? file.name)}`);
      request.setRequestHeader("X-CSRFToken", this.dataset.csrf);
      request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
      request.upload.addEventListener("progress", ({ loaded, total }) => {
        row.querySelector("progress").value = total ? loaded / total : 1;
        this.#say(row, "sending", loaded < total ? `${Math.floor((loaded / total) * 100)} %` : "Storing");
      });
      request.addEventListener("load", () => this.#answered(row, request));
      request.addEventListener("error", () => {
        this.#say(row, "failed", "Connection lost", "It may have arrived. Reload this page to see which files did.", true);
        this.#ended();
      });
      this.#say(row, "sending", "Sending");
      request.send(file);
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
        this.#renew().finally(() => {
          this.#ended();
          this.#queue(row);
        });
        return;
      }
      if (request.status === 503 && request.getResponseHeader("Retry-After") === String(BUSY_SECONDS) && mine.tries < BUSY_TRIES) {
        mine.tries += 1;
        this.#say(row, "waiting", "Waiting", "Many people are sending files.");
        setTimeout(() => {
          this.#ended();
          this.#queue(row);
        }, BUSY_SECONDS * 1000 * (0.5 + Math.random()));
        return;
      }
      if (request.status === 200) {
        row.querySelector("[data-name]").textContent = answer.name;
        this.#say(row, "stored", "Received", amount(mine.file.size));
      } else if (request.status === 202) {
        this.#say(row, "failed", "Not confirmed yet", "Reload this page in a few minutes to see whether it arrived.");
      } else {
        const text = [answer.title, answer.text].filter(Boolean).join(" ");
        this.#say(row, "refused", "Not sent", text, ![410, 413, 422].includes(request.status));
      }
      this.#ended();
    }

    // Somebody signed in or out in another tab, which changed the CSRF token.
    async #renew() {
      const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
      this.dataset.csrf = page.querySelector("file-sender")?.dataset.csrf ?? this.dataset.csrf;
    }

    #ended() {
      this.#sending -= 1;
      this.#next();
    }

    #say(row, state, words, detail, isAgain = false) {
      row.dataset.state = state;
      row.querySelector("[data-words]").textContent = words;
      if (detail !== undefined) row.querySelector("[data-detail]").textContent = detail;
      row.querySelector("progress").hidden = state !== "sending";
      row.querySelector("[data-again]").hidden = !isAgain;
    }

    #summarize() {
      const left = this.#sending + this.#waiting.length;
      const states = [...this.#rows.keys()].map((row) => row.dataset.state);
      const stored = states.filter((state) => state === "stored").length;
      const refused = states.filter((state) => ["refused", "failed"].includes(state)).length;
      const said = [stored && `${counted(stored, "file")} received.`, refused && `${counted(refused, "file")} not sent.`];
      this.querySelector("[data-summary]").textContent = left
        ? `Sending ${counted(left, "file")}. Keep this page open.`
        : said.filter(Boolean).join(" ");
    }
  }

  customElements.define("file-sender", FileSender);
})();
