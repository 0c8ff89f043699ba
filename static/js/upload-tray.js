// <upload-tray>: how the upload goes as a whole: totals, filters for <upload-rows>, and what can be done with all files, during the
// upload and afterwards. It stands inside <upload-queue>, around <upload-plan> and <upload-rows>.
// It has no methods.
(() => {
  "use strict";
  const SHARE_MAX = 1000;
  const SPEED_MS = 4000;
  const FIND_FROM = 25;
  const GROUPS = {
    different: ["different"], name: ["name"], same: ["same"], new: ["new"], failed: ["failed", "refused"],
    way: ["planning", "waiting", "sending", "storing"], out: ["skipped", "cancelled"], stored: ["stored", "checked"],
  };
  const NOT_UPLOADED = ["failed", "refused", "cancelled", "skipped", "name"];

  const write = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const number = (value) => value.toLocaleString("en");
  const files = (value) => `${number(value)} ${value === 1 ? "file" : "files"}`;
  // A cell that begins like a formula would be run by spreadsheets.
  const cell = (text) => `"${String(text).replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;

  class UploadTray extends HTMLElement {
    #group = "";
    #text = "";
    #samples = [];
    #announced = "";
    #isComplete = false;

    connectedCallback() {
      this.queue = this.closest("upload-queue");
      this.queue.addEventListener("uploads:change", () => this.#draw());
      this.addEventListener("click", ({ target }) => this.#act(target.closest("button[data-act]")?.dataset));
      this.#part("find").addEventListener("input", ({ target }) => {
        this.#text = target.value.trim().toLowerCase();
        this.#filter();
      });
      // A selection as every action takes it: one `key` for each object.
      this.#part("share").addEventListener("htmx:configRequest", ({ detail }) => {
        detail.parameters.key = this.#in(GROUPS.stored).map((item) => item.key);
      });
    }

    #part(name) {
      return this.querySelector(`[data-part="${name}"]`);
    }

    #in(states) {
      return [...this.queue.items.values()].filter((item) => states.includes(item.state));
    }

    #count(states) {
      return states.reduce((sum, state) => sum + (this.queue.counts[state] ?? 0), 0);
    }

    #failed() {
      return GROUPS.failed.reduce((sum, state) => sum + (this.queue.latest[state] ?? 0), 0);
    }

    #act({ act, how } = {}) {
      if (act === "retry-all") this.queue.retry(this.#in(["failed"]));
      else if (act === "cancel-all") this.queue.cancel([...this.queue.items.values()]);
      else if (act === "clear-all") this.queue.clear([...this.queue.items.values()]);
      else if (act === "csv") this.#export();
      else if (act === "show") {
        this.#group = this.#group === how ? "" : how;
        this.#filter();
      }
    }

    #filter() {
      this.querySelector("upload-rows").filter(GROUPS[this.#group], this.#text);
      this.queue.update();
    }

    #export() {
      const lines = [["file", "object", "bytes", "state", "reason"]];
      for (const item of this.#in(NOT_UPLOADED)) lines.push([item.path, item.key, item.size, item.state, item.message]);
      const text = lines.map((line) => line.map(cell).join(",")).join("\r\n");
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([`${text}\r\n`], { type: "text/csv" }));
      link.download = "not-uploaded.csv";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    }

    #draw() {
      const focused = this.contains(document.activeElement) && document.activeElement;
      this.#drawAll();
      // What was pressed may be hidden now, or folded with everything else.
      if (focused && !focused.checkVisibility()) (this.hidden ? document.getElementById("main") : this.querySelector("summary")).focus();
    }

    #drawAll() {
      const totals = this.queue.totals();
      this.hidden = !this.queue.items.size;
      document.documentElement.toggleAttribute("data-uploads-open", !this.hidden);
      if (this.hidden && this.#group) {
        this.#group = "";
        this.querySelector("upload-rows").filter(undefined, this.#text);
      }
      const bits = this.#bits(totals);
      write(this.#part("total"), bits.join(" · "));
      write(this.#part("title"), this.#title(totals));
      const bar = this.#part("total-bar");
      bar.hidden = !totals.files;
      bar.max = Math.max(totals.size, 1);
      bar.value = totals.size ? Math.min(totals.sent, totals.size) : Number(!totals.busy && !totals.held);
      this.#drawChips();
      this.#drawActions(totals);
      this.#announce(totals, bits);
    }

    #speed({ busy, sent }) {
      const now = performance.now();
      this.#samples = busy ? [...this.#samples.filter(([at]) => now - at < SPEED_MS), [now, sent]] : [];
      const [at, then] = this.#samples[0] ?? [now, sent];
      return now - at > 500 ? Math.max(0, ((sent - then) * 1000) / (now - at)) : 0;
    }

    #bits(totals) {
      const { latest: counts } = this.queue;
      const amount = (bytes) => this.queue.sender.amount(bytes);
      const failed = this.#failed();
      const speed = this.#speed(totals);
      const { undecided } = this.querySelector("upload-plan");
      const hasBegun = totals.stored || totals.sent || (totals.busy && !counts.planning);
      const bits = [];
      if (totals.files && !hasBegun && totals.held) bits.push(files(totals.files), amount(totals.size));
      else if (totals.files) bits.push(`${number(totals.stored)} of ${number(totals.files)} stored`, `${amount(totals.sent)} of ${amount(totals.size)} sent`);
      if (counts.checked) bits.push(`${number(counts.checked)} verified`);
      if (speed) bits.push(`${amount(Math.round(speed))}/s`);
      if (counts.planning) bits.push(`${number(counts.planning)} to compare`);
      else if (undecided) bits.push(`${number(undecided)} to decide`);
      if (counts.skipped) bits.push(`${number(counts.skipped)} skipped`);
      if (counts.cancelled) bits.push(`${number(counts.cancelled)} cancelled`);
      if (failed) bits.push(`${number(failed)} not uploaded`);
      return bits;
    }

    #title({ busy, held }) {
      if (busy && !navigator.onLine) return "Waiting for the connection";
      if (this.querySelector("upload-session").isOver) return "Signed out";
      if (this.queue.counts.planning) return "Comparing with the bucket";
      if (busy) return "Uploading";
      return held ? "Review upload" : "Uploads";
    }

    #drawChips() {
      let shown = 0;
      for (const chip of this.querySelectorAll("[data-act=show]")) {
        const { how } = chip.dataset;
        const count = this.#count(GROUPS[how]);
        chip.hidden = !count && this.#group !== how;
        shown += Number(!chip.hidden);
        chip.setAttribute("aria-pressed", String(this.#group === how));
        write(chip.lastElementChild, number(count));
      }
      this.#part("chips").hidden = shown < 2 && !this.#group;
    }

    #drawActions({ busy, held }) {
      const { counts, items } = this.queue;
      this.#part("cancel-all").hidden = !held && !GROUPS.way.some((state) => state !== "storing" && counts[state]);
      this.#part("retry-all").hidden = !counts.failed;
      write(this.#part("retry-all"), `Retry ${number(counts.failed ?? 0)} failed ${counts.failed === 1 ? "file" : "files"}`);
      this.#part("clear-all").hidden = busy || held > 0;
      this.#part("find").hidden = items.size < FIND_FROM;
      this.#part("find-all").hidden = this.#part("find").hidden && ["retry-all", "cancel-all", "clear-all"].every((name) => this.#part(name).hidden);
      const stored = this.#count(GROUPS.stored);
      this.#part("share").hidden = busy || !stored || stored > SHARE_MAX;
      this.#part("csv").hidden = busy || !this.#count(NOT_UPLOADED);
      this.#drawLinks(!busy && stored > 0);
      this.#part("afterwards").hidden = ["share", "csv", "records", "trashes"].every((name) => this.#part(name).hidden);
    }

    // A page for each upload into a bucket, which stays when the tray is gone, and where what it replaced is kept.
    #drawLinks(isShown) {
      const stored = isShown ? this.#in(GROUPS.stored) : [];
      this.#drawLinksOf("records", stored.map(({ place, batch }) => `${place.send}batch/?${new URLSearchParams({ batch })}`));
      this.#drawLinksOf("trashes", stored.map(({ receipt }) => receipt.trash).filter(Boolean));
    }

    #drawLinksOf(name, found) {
      const part = this.#part(name);
      const addresses = [...new Set(found)];
      part.hidden = !addresses.length;
      const drawn = [...part.querySelectorAll("a")];
      if (drawn.map((link) => link.getAttribute("href")).join() === addresses.join()) return;
      for (const link of drawn) link.remove();
      for (const address of addresses) {
        const link = part.querySelector("template").content.firstElementChild.cloneNode(true);
        link.href = address;
        part.append(link);
      }
    }

    #announce({ busy, held, files: all, stored }, bits) {
      const failed = this.#failed();
      // Once everything is stored the tray folds, and what it covered can be used again.
      const isComplete = all > 0 && stored === all && !failed;
      if (isComplete !== this.#isComplete) this.querySelector("details").open = !(this.#isComplete = isComplete);
      const rest = failed && bits.length > 1 ? `, ${number(failed)} not uploaded` : "";
      const ended = `Upload finished: ${bits[0] ?? "nothing stored"}${rest}.`;
      const news = busy ? "" : held ? "The upload is ready for review." : ended;
      if (news !== this.#announced) write(this.#part("news"), (this.#announced = news));
    }
  }

  customElements.define("upload-tray", UploadTray);
})();
