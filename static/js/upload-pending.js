// <upload-pending>: shows the files that are being uploaded among the rows of their folder, in their sorted place, until the list itself
// has them; an object that is replaced gets a bar in its row. It stands inside <upload-queue>, and holds templates of a row, of a bar, and
// of a list for a folder that was empty.
// Method: cancel(row): cancel the file of this row.
(() => {
  "use strict";
  // More rows than a person looks at; the others follow as these are stored.
  const MOST = 500;
  const WORDS = {
    planning: "Comparing", waiting: "Waiting", sending: "Uploading", storing: "Storing", stored: "Stored", checked: "Stored", failed: "Not uploaded",
    refused: "Not uploaded",
  };
  const LIVE = ["planning", "waiting", "sending", "storing"];
  const MOVING = ["sending", "storing"];
  const STORED = ["stored", "checked"];
  const ENTRIES = "[data-rows] tbody > tr:has(> td > input)";

  const part = (root, name) => root.querySelector(`[data-part="${name}"]`);
  const lower = (name) => name.toLowerCase();
  const compare = (one, other) => (lower(one) < lower(other) ? -1 : Number(lower(one) > lower(other)));
  const folderOf = (key) => key.slice(0, key.lastIndexOf("/") + 1);

  class UploadPending extends HTMLElement {
    // By item: its own row, or the bar in the row of the object that it replaces.
    #rows = new Map();
    // Rows of a list that was replaced, to be put into the new one.
    #old = new Map();
    #bars = new Map();
    // What was stored when the list was asked for last, and what a list has shown since.
    #asked = [];
    #listed = new WeakSet();
    #list = null;
    // What has no place in the rows that are loaded.
    #outside = new Set();
    #listeners;

    connectedCallback() {
      this.queue = this.closest("upload-queue");
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      this.queue.addEventListener("uploads:change", () => this.#draw());
      document.addEventListener("click", ({ target }) => this.cancel(target.closest("[data-cancel]")?.closest("tr")), { signal });
      document.addEventListener("htmx:beforeRequest", ({ detail }) => this.#asking(detail.target), { signal });
      document.addEventListener("htmx:afterSwap", () => this.#swapped(), { signal });
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    cancel(row) {
      const found = [...this.#rows].find(([, one]) => one === row);
      if (found) this.queue.cancel([found[0]]);
    }

    get #table() {
      return document.querySelector("[data-rows]");
    }

    #asking(target) {
      if (["objects", "objects-list"].includes(target?.id)) this.#asked = [...this.queue.items.values()].filter(({ state }) => STORED.includes(state));
    }

    // A new list takes all rows of ours with it. What was stored before it was asked for is in it, or gone again.
    #swapped() {
      this.#outside.clear();
      if (this.#list === document.querySelector("[data-selection]")) return this.#draw();
      for (const item of this.#asked) this.#listed.add(item);
      [this.#old, this.#rows] = [this.#rows, new Map()];
      this.#bars.clear();
      this.#draw();
      this.#old.clear();
    }

    #wanted() {
      const { path, send } = document.querySelector("[data-uploads]")?.dataset ?? {};
      const text = lower(new URLSearchParams(location.search).get("search") ?? "");
      const found = [];
      for (const item of this.queue.items.values()) {
        const isShown = item.how && item.state in WORDS && !this.#listed.has(item);
        if (!isShown || item.place.send !== send || folderOf(item.key) !== path) continue;
        if (lower(item.key.slice(path.length)).includes(text) && found.push(item) === MOST) break;
      }
      return found;
    }

    #draw() {
      if (!this.queue.items.size && !this.#rows.size && !this.#bars.size) return;
      const wanted = this.#wanted();
      const keep = new Set(wanted);
      for (const [item, row] of this.#rows) if (!keep.has(item)) this.#remove(item, row);
      for (const [item, bar] of this.#bars) {
        if (keep.has(item) && LIVE.includes(item.state)) continue;
        bar.remove();
        this.#bars.delete(item);
      }
      const fresh = wanted.filter((item) => !this.#rows.has(item) && !this.#bars.has(item) && !this.#outside.has(item));
      if (fresh.length) this.#place(fresh);
      this.#toggleList();
      this.#list = document.querySelector("[data-selection]");
      for (const [item, row] of this.#rows) this.#drawRow(row, item);
      for (const [item, bar] of this.#bars) this.#drawBar(bar, item);
      if (fresh.length) document.querySelector("object-list").settle();
    }

    // Rows come in the order of the list, so that one walk through it finds the place of each.
    #place(items) {
      const asked = new URLSearchParams(location.search);
      const form = document.querySelector("[data-selection]");
      const { sort } = form.dataset;
      const sign = sort.startsWith("-") ? -1 : 1;
      const isMixed = !("whole" in form.dataset) && !asked.has("search");
      const { path } = document.querySelector("[data-uploads]").dataset;
      const nameOf = (row) => row.querySelector("input").value.slice(path.length).replace(/\/$/, "");
      const rows = [...document.querySelectorAll(ENTRIES)];
      const there = new Map(rows.map((row) => [`${row.querySelector("input").name} ${nameOf(row)}`, row]));
      // A file of today is the newest: first of the files where those come first.
      const isBehind = (row, name) => {
        const isFolder = row.querySelector("input").name === "folder";
        if (!sort.endsWith("name")) return !isFolder && sign < 0;
        return !(isFolder && !isMixed) && sign * compare(nameOf(row), name) > 0;
      };
      const sorted = items.map((item) => [item.key.slice(path.length), item]).sort(([one], [other]) => sign * compare(one, other));
      let at = 0;
      for (const [name, item] of sorted) {
        const real = there.get(`key ${name}`);
        if (real && item.how !== "both") {
          if (LIVE.includes(item.state)) this.#bars.set(item, real.querySelector("th").appendChild(this.#named(this.#clone("bar"), item)));
          else this.#listed.add(item);
          continue;
        }
        while (at < rows.length && !isBehind(rows[at], name)) at += 1;
        this.#insert(item, rows, at, asked.has("offset"));
      }
    }

    // Before the first row of a later page, and behind the last row of a list that goes on, is the place of others.
    #insert(item, rows, at, isLater) {
      const before = rows[at];
      const more = [...document.querySelectorAll("[data-rows] .more")].at(-1);
      const isEnd = !before && more && more.closest("tbody") === this.#table.tBodies[this.#table.tBodies.length - 1];
      if (isEnd || (isLater && !at)) return void this.#outside.add(item);
      const row = this.#old.get(item) ?? this.#newRow(item);
      this.#rows.set(item, row);
      if (before) before.before(row);
      else if (rows.length) this.#table.tBodies[this.#table.tBodies.length - 1].append(row);
      else this.#emptyList().append(row);
    }

    // A folder without rows has no table yet.
    #emptyList() {
      const form = document.querySelector("[data-selection]");
      if (!this.#table) {
        form.append(this.#clone("list"));
        this.#table.classList.toggle("objects__table--grid", new URLSearchParams(location.search).get("view") === "grid");
      }
      return this.#table.tBodies[0];
    }

    #toggleList() {
      const list = document.querySelector("[data-pending-list]");
      if (list && !list.querySelector("tbody > tr")) list.remove();
      const empty = document.querySelector("[data-selection] > .empty");
      if (empty) empty.hidden = Boolean(this.#table);
    }

    #remove(item, row) {
      const beside = row.nextElementSibling ?? row.previousElementSibling;
      if (row.contains(document.activeElement)) (beside?.querySelector("th a") ?? document.getElementById("main")).focus();
      row.remove();
      this.#rows.delete(item);
    }

    #newRow(item) {
      const row = this.#clone("row");
      this.#named(part(row, "bar"), item);
      return row;
    }

    #named(bar, item) {
      bar.max = Math.max(item.size, 1);
      bar.setAttribute("aria-label", `Progress of ${item.path}`);
      return bar;
    }

    // Only what has changed is touched: each change of a row makes the browser look at the styles of the list again.
    #drawRow(row, item) {
      const isNew = row.dataset.pending !== item.state;
      if (isNew || MOVING.includes(item.state)) this.#drawBar(part(row, "bar"), item);
      if (!isNew) return;
      row.dataset.pending = item.state;
      row.dataset.id = `key\n${item.key}`;
      const name = this.queue.printable(item.key.slice(folderOf(item.key).length));
      part(row, "name").textContent = name;
      part(row, "name").parentElement.title = name;
      part(row, "state").textContent = WORDS[item.state];
      part(row, "size").textContent = this.queue.sender.amount(item.size);
      part(row, "type").textContent = item.kind || item.guess;
      const cancel = row.querySelector("[data-cancel]");
      cancel.hidden = item.state === "storing" || !LIVE.includes(item.state);
      cancel.setAttribute("aria-label", `Cancel ${name}`);
    }

    #drawBar(bar, item) {
      bar.hidden = !MOVING.includes(item.state);
      if (item.state === "storing") bar.removeAttribute("value");
      else bar.value = Math.min(item.sent, item.size);
    }

    #clone(name) {
      return part(this, name).content.firstElementChild.cloneNode(true);
    }
  }

  customElements.define("upload-pending", UploadPending);
})();
