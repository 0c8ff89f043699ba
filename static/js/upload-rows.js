// <upload-rows>: the files of an upload, fifty at a time however many there are, each with what can be done about it.
// It stands inside <upload-queue>, and holds the parts rows, windows, window, before and after, and a template for one row.
// Method: filter(states, text): show only files in these states, if any, whose path contains the text; takes effect with the next change.
(() => {
  "use strict";
  const WINDOW = 50;
  const STATES = {
    planning: "Comparing", new: "New", same: "Same size", different: "Different", name: "Rename needed", waiting: "Waiting", sending: "Uploading",
    storing: "Storing", stored: "Stored", checked: "Verified", failed: "Failed", refused: "Refused", skipped: "Skipped", cancelled: "Cancelled",
  };
  const STORED = ["stored", "checked"];
  const NEVER = ["failed", "refused", "skipped", "cancelled"];
  // What needs a decision comes first, what is done comes last.
  const ORDER = [
    "different", "name", "failed", "refused", "same", "storing", "sending", "planning", "waiting", "new", "cancelled", "skipped", "stored", "checked",
  ];
  // The states in which a row shows each of its buttons.
  const BUTTONS = {
    cancel: ["planning", "waiting", "sending", "name"], retry: ["failed", "cancelled"], accept: ["name"],
    clear: ["refused", "skipped", "failed", "cancelled"], replace: ["same", "different"], unkept: ["same", "different"], both: ["same", "different"], skip: ["new", "same", "different"],
  };

  const part = (root, name) => root.querySelector(`[data-part="${name}"]`);
  const write = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const number = (value) => value.toLocaleString("en");
  const short = (text) => (text.length > 60 ? `${text.slice(0, 36)}…${text.slice(-22)}` : text);

  class UploadRows extends HTMLElement {
    #rows = new Map();
    #states;
    #text = "";
    #first = 0;

    connectedCallback() {
      this.queue = this.closest("upload-queue");
      this.plan = this.queue.querySelector("upload-plan");
      this.queue.addEventListener("uploads:change", () => this.#draw());
      this.addEventListener("click", ({ target }) => this.#act(target.closest("button[data-act]")?.dataset));
      this.addEventListener("change", ({ target }) => this.plan.setType(this.queue.items.get(Number(target.dataset.id)), target.value));
    }

    filter(states, text) {
      [this.#states, this.#text, this.#first] = [states, text, 0];
    }

    #act({ act, how, id } = {}) {
      const item = this.queue.items.get(Number(id));
      if (act === "window") {
        this.#first += how === "after" ? WINDOW : -WINDOW;
        this.#draw();
      } else if (!item) return;
      else if (act === "answer") this.plan.answer(item, how);
      else if (act === "accept") this.plan.accept([item]);
      else if (act === "retry") this.queue.retry([item]);
      else if (act === "cancel") this.queue.cancel([item]);
      else if (act === "clear") this.queue.clear([item]);
    }

    #found() {
      const ranked = ORDER.map(() => []);
      for (const item of this.queue.items.values()) {
        const isShown = (!this.#states || this.#states.includes(item.state)) && (!this.#text || item.path.toLowerCase().includes(this.#text));
        if (isShown) ranked[ORDER.indexOf(item.state)].push(item);
      }
      return ranked.flat();
    }

    #draw() {
      const found = this.#found();
      this.#first = Math.max(0, Math.min(this.#first, Math.floor((found.length - 1) / WINDOW) * WINDOW));
      const shown = found.slice(this.#first, this.#first + WINDOW);
      const keep = new Set(shown.map((item) => item.id));
      const list = part(this, "rows");
      const focused = list.contains(document.activeElement) && document.activeElement;
      const place = focused && [...list.children].indexOf(focused.closest("li"));
      for (const [id, row] of this.#rows) {
        if (keep.has(id)) continue;
        row.remove();
        this.#rows.delete(id);
      }
      shown.forEach((item, place) => {
        const row = this.#rows.get(item.id) ?? this.querySelector("template").content.firstElementChild.cloneNode(true);
        this.#rows.set(item.id, row);
        this.#drawRow(row, item);
        // Moving a row drops the focus inside it, so a row in its place is left alone.
        if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null);
      });
      if (focused && (focused !== document.activeElement || focused.hidden)) this.#focus(place);
      part(this, "windows").hidden = found.length <= WINDOW;
      part(this, "before").disabled = !this.#first;
      part(this, "after").disabled = this.#first + WINDOW >= found.length;
      write(part(this, "window"), `${number(this.#first + 1)} to ${number(this.#first + shown.length)} of ${number(found.length)}`);
    }

    // A button that its file no longer has gives the focus to the file that is now in its place, or the nearest with a button.
    #focus(place) {
      const rows = [...part(this, "rows").children];
      const nearest = [...rows.slice(place), ...rows.slice(0, place).reverse()];
      const next = nearest.map((row) => row.querySelector("button:not([hidden])")).find(Boolean);
      (next ?? document.getElementById("main")).focus({ preventScroll: true });
    }

    #drawRow(row, item) {
      row.dataset.state = item.state;
      const name = part(row, "name");
      write(name, short(this.queue.printable(item.path)));
      name.title = item.path;
      this.#drawKey(part(row, "key"), item);
      write(part(row, "state"), STATES[item.state]);
      write(part(row, "detail"), this.#detail(item));
      const bar = part(row, "bar");
      bar.hidden = !["sending", "storing", "waiting"].includes(item.state);
      bar.max = Math.max(item.size, 1);
      if (item.state === "storing") bar.removeAttribute("value");
      else bar.value = Math.min(item.sent, item.size);
      bar.setAttribute("aria-label", `Progress of ${item.path}`);
      this.#drawType(part(row, "type"), item);
      const choice = this.plan.choice(item);
      for (const button of row.querySelectorAll("button")) {
        const { act, how } = button.dataset;
        const kind = how || act;
        button.hidden = !BUTTONS[kind].includes(item.state) || (kind === "accept" && !item.suggestion);
        if (kind === (item.isUnkept ? "replace" : "unkept")) button.hidden = true;
        button.dataset.id = item.id;
        if (how) button.setAttribute("aria-pressed", String(choice === how));
        if (kind === "accept") write(button, `Upload as ${short(this.queue.printable(item.suggestion.split("/").at(-1)))}`);
        else button.setAttribute("aria-label", `${button.textContent.trim()}: ${item.path}`);
      }
    }

    // Every row whose object is not called as its file says so, whatever its state.
    #drawKey(line, item) {
      line.hidden = item.key === `${item.place.path}${item.path}`;
      if (line.hidden) return;
      const words = STORED.includes(item.state) ? "Stored as" : NEVER.includes(item.state) ? "As" : "Will be stored as";
      write(line, `${words} ${this.queue.printable(item.key)}`);
    }

    #drawType(input, item) {
      const isAsked = this.plan.asksTypes && this.queue.held.includes(item.state);
      input.parentElement.hidden = !isAsked;
      input.dataset.id = item.id;
      if (!isAsked) return;
      input.setAttribute("aria-label", `Content type: ${item.path}`);
      input.setAttribute("aria-invalid", String(Boolean(this.plan.trouble(item))));
      if (document.activeElement !== input) input.value = this.plan.typeOf(item);
    }

    #detail(item) {
      const amount = (bytes) => this.queue.sender.amount(bytes);
      const size = item.size ? amount(item.size) : "empty";
      if (item.state === "sending") {
        const seconds = (performance.now() - item.started) / 1000;
        const speed = seconds > 0.5 ? `, ${amount(Math.round(item.sent / seconds))}/s` : "";
        return `${amount(item.sent)} of ${size}${speed}`;
      }
      const there = item.there === null || item.there === undefined ? "of unknown size" : amount(item.there);
      const compared = item.state === "different" ? `${size} here, ${there} in the bucket` : size;
      const trouble = this.queue.held.includes(item.state) ? this.plan.trouble(item) : "";
      return [trouble, item.message, item.state === "name" ? "" : compared].filter(Boolean).join(" · ");
    }
  }

  customElements.define("upload-rows", UploadRows);
})();
