// <upload-queue>: the files that this page uploads. Its <send-queue> sends them, and it verifies them afterwards.
// <upload-plan>, <upload-tray>, <upload-session> and <upload-rows> stand inside it and use:
// Properties: items (by id), counts (of files by state), latest (the same of the latest upload: added
// since nothing was left to do, or retried), held (the states that wait for a person), session (the <upload-session>), sender (the
// <send-queue>), sends (what that asks).
// Methods: add(files, place), change(item, state, message), send(item, how), cancel(items), retry(items), clear(items), update(),
// totals(), printable(name).
// Event: uploads:change, on itself, every 150 ms while something changes. On the body: objects:changed, when the list needs a refresh.
(() => {
  "use strict";
  const CUTS_MAX = 5;
  const TRIES_MAX = 5;
  const UPDATE_MS = 150;
  const LIST_MS = 4000;
  const VERIFY_BATCH = 1000;
  const VERIFY_AGAIN_MS = 15_000;
  // Where Pilothouse didn't say how long a file may still be stored: a minute for the service's answer, and two more in which it may store it.
  const VERIFY_SECONDS = 180;
  const HELD = ["new", "same", "different", "name"];
  const LIVE = ["planning", "waiting", "sending", "storing"];
  const OUT = ["refused", "skipped", "cancelled"];

  const MISMATCHES = {
    missing: () => "The service reported it as stored, but it isn't there.",
    size: (wanted, found) => `Incomplete: the service has ${found} of ${wanted}.`,
    content: () => "The bucket has different content of the same size under this name.",
    date: () => "The bucket has another object under this name, changed at a different time.",
  };

  const sum = (of, ...states) => states.reduce((all, state) => all + (of[state] ?? 0), 0);
  const clock = () => new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const words = ({ title, text }) => [title, text].filter(Boolean).join(" ");

  class UploadQueue extends HTMLElement {
    held = HELD;
    items = new Map();
    counts = {};
    latest = {};
    #bytes = {};
    #batches = {};
    // By batch: the snapshots that keep what was replaced, of those that no file is being added to.
    #kept = {};
    #upload = 0;
    #unverified = [];
    #watched = 0;
    #isVerifying = false;
    #reached = {};
    #isListStale = false;
    #listed = 0;
    #next = 1;
    #timer = 0;
    #listeners;

    sends = {
      mayBegin: () => navigator.onLine && !this.session?.isOver,
      request: (item) => item.state === "waiting" && this.#request(item),
      began: (item) => {
        item.started = performance.now();
        this.change(item, "sending");
      },
      progressed: (item, bytes) => {
        item.sent = Math.min(bytes, item.size);
        this.#schedule();
      },
      sent: (item) => {
        item.sent = item.size;
        if (item.state === "sending") this.change(item, "storing");
      },
      answered: (item, request) => this.#answered(item, request),
      lost: (item) => {
        if (item.state === "storing") this.#doubt(item, "The connection was lost after everything was sent.");
        else this.#cut(item);
      },
      idle: () => this.#refreshList(true),
    };

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      addEventListener("online", () => {
        this.sender?.begin();
        this.update();
      }, { signal });
      addEventListener("offline", () => this.update(), { signal });
      addEventListener("beforeunload", (event) => {
        if (sum(this.counts, ...LIVE, ...HELD)) event.preventDefault();
      }, { signal });
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    get #plan() {
      return this.querySelector("upload-plan");
    }

    get sender() {
      return this.querySelector("send-queue");
    }

    get session() {
      return this.querySelector("upload-session");
    }

    // The files of one upload into one bucket are one line in the activity.
    add(files, place) {
      this.#beginUpload();
      const batch = (this.#batches[place.send] ??= `${Date.now().toString(36)}-${this.#next}`);
      const added = files.map(({ file, path, name, size }) => ({
        id: this.#next++, upload: this.#upload, file, place, batch, path: name ?? path, key: `${place.path}${path}`.toWellFormed?.() ?? `${place.path}${path}`,
        type: file?.type ?? "", size, sent: 0, state: "planning", message: "", choice: "", how: "", suggestion: "", guess: "", typed: "", kind: "", caching: "",
      }));
      for (const item of added) {
        this.items.set(item.id, item);
        this.#count(item, 1);
      }
      this.#plan.compare(added);
      this.update();
    }

    change(item, state, message = "") {
      if (!this.items.has(item.id)) return;
      this.#count(item, -1);
      Object.assign(item, { state, message });
      this.#count(item, 1);
      this.#schedule();
    }

    send(item, how) {
      Object.assign(item, { how, sent: 0, retry: 0 });
      this.change(item, "waiting");
      this.sender.add(item);
    }

    // What was sent in full can't be called back: its answer says what became of it.
    cancel(items) {
      for (const item of items) {
        if (item.state === "storing" || ![...LIVE, ...HELD].includes(item.state)) continue;
        this.change(item, "cancelled");
        this.sender.abort(item);
      }
      this.update();
    }

    retry(items) {
      for (const item of items) {
        this.#count(item, -1);
        Object.assign(item, { upload: this.#upload, cuts: 0, conflicts: 0 });
        this.#count(item, 1);
        this.change(item, "planning");
      }
      if (items.length) this.#plan.compare(items);
      this.update();
    }

    clear(items) {
      for (const item of items) {
        if ([...LIVE, ...HELD, "stored"].includes(item.state)) continue;
        this.#count(item, -1);
        this.items.delete(item.id);
      }
      this.update();
    }

    // What a person pressed shows at once.
    update() {
      clearTimeout(this.#timer);
      this.#timer = 0;
      this.dispatchEvent(new CustomEvent("uploads:change"));
      if (sum(this.counts, ...LIVE)) this.#schedule();
      this.#verify();
    }

    totals() {
      const out = sum(this.#bytes, ...OUT);
      let sent = sum(this.#bytes, "stored", "checked", "storing");
      for (const item of this.sender.underWay.keys()) if (item.state === "sending") sent += Math.min(item.sent, item.size);
      return {
        files: sum(this.latest, ...Object.keys(this.latest)) - sum(this.latest, ...OUT), size: Object.values(this.#bytes).reduce((all, part) => all + part, 0) - out, sent,
        busy: sum(this.counts, ...LIVE) > 0, held: sum(this.counts, ...HELD), stored: sum(this.latest, "stored", "checked"),
      };
    }

    // As `keys.printable` of the server: spaces at the ends of names and in a row.
    printable(text) {
      return text.replace(/^ +| +$| {2,}|(?<=\/) +| +(?=\/)/g, (found) => "␣".repeat(found.length));
    }

    // Once nothing is left to do, the totals start anew; the files stay listed.
    #beginUpload() {
      if (sum(this.counts, ...LIVE, ...HELD)) return;
      this.#upload += 1;
      this.latest = {};
      this.#bytes = {};
      this.#batches = {};
    }

    #count(item, by) {
      this.counts[item.state] = (this.counts[item.state] ?? 0) + by;
      if (item.upload !== this.#upload) return;
      this.latest[item.state] = (this.latest[item.state] ?? 0) + by;
      this.#bytes[item.state] = (this.#bytes[item.state] ?? 0) + by * item.size;
    }

    #schedule() {
      this.#timer ||= setTimeout(() => this.update(), UPDATE_MS);
    }

    // Signed out, the refreshed list would be the sign-in page, and the queue would be lost.
    #refreshList(force) {
      if (!this.#isListStale || this.session?.isOver || (!force && performance.now() - this.#listed < LIST_MS)) return;
      this.#listed = performance.now();
      this.#isListStale = false;
      document.body.dispatchEvent(new CustomEvent("objects:changed"));
    }

    #request(item) {
      const { key, how: policy, batch, caching: cache, kind: type } = item;
      const query = new URLSearchParams({ key, policy, name: item.path.split("/").at(-1), batch, cache, type });
      // What the files of an upload replace is kept together. Each of those that are sent at once goes on with another snapshot.
      if (policy === "replace") query.set("kept", this.#kept[batch]?.pop() ?? "");
      const headers = this.session.headers(item.place, item.type || "application/octet-stream");
      return { address: `${item.place.send}?${query}`, headers, file: item.file };
    }

    #answered(item, request) {
      const { status, responseText } = request;
      if (item.state === "cancelled") return;
      const problem = request.getResponseHeader("X-Problem");
      if (this.session.ended(problem)) return this.#pause(item);
      let body;
      try {
        body = JSON.parse(responseText);
      } catch {
        if ([429, 503].includes(status)) this.#later(item, 5, "Too many requests.");
        // A page instead of JSON: the sign-in page, or one of a proxy in between.
        else this.change(item, "failed", `Unexpected answer from Pilothouse (${status}). Check that you are still signed in.`);
        return;
      }
      if (status === 200) this.#stored(item, body);
      else if (problem === "NotKept") this.change(Object.assign(item, { how: "", choice: "", isUnkept: true }), "different", words(body));
      else if (status === 409) this.#conflict(item, words(body));
      else if (status === 423) this.#later(Object.assign(item, { how: "", choice: "" }), body.retry_after || 5, body.title, () => this.#compareAgain(item));
      else if ([429, 503].includes(status)) {
        const seconds = Math.min(body.retry_after || 2, 60);
        // A limit on requests refuses every other file, too.
        if (status === 429) this.sender.rest(seconds);
        this.#later(item, seconds, words(body));
      }
      else if (status === 504) this.#doubt(item, words(body), body);
      else {
        if (status === 413) item.place.learnt = Math.min(item.place.learnt, item.size);
        this.change(item, [413, 415, 422].includes(status) ? "refused" : "failed", words(body));
      }
    }

    #stored(item, receipt) {
      Object.assign(item, { key: receipt.key, receipt, sent: item.size, cuts: 0, conflicts: 0 });
      if (receipt.kept) (this.#kept[item.batch] ??= []).push(receipt.kept);
      this.change(item, "stored");
      this.#unverified.push({ item });
      this.#verify();
      this.#isListStale = true;
      this.#refreshList(false);
    }

    #compareAgain(item) {
      this.change(item, "planning");
      this.#plan.compare([item]);
    }

    // The session ended before anything was stored. The queue goes on when it is back.
    async #pause(item) {
      item.pauses = (item.pauses ?? 0) + 1;
      if (item.pauses > TRIES_MAX) return this.change(item, "failed", "The session ended too often. Nothing was stored.");
      Object.assign(item, { sent: 0 });
      this.change(item, "waiting", "Signed out. Continues once you are signed in again.");
      const back = this.session.returned(item.place);
      this.sender.again(item);
      await back;
      if (item.state === "waiting") this.change(item, "waiting");
      this.sender.begin();
    }

    #later(item, seconds, text, then) {
      const retry = this.#next++;
      item.retry = retry;
      const when = navigator.onLine ? `Next try in ${Math.ceil(seconds)} s.` : "Resumes when the connection is back.";
      this.change(item, "waiting", `${text} ${when}`);
      setTimeout(() => {
        if (item.state !== "waiting" || item.retry !== retry) return;
        if (then) return then();
        this.sender.again(item);
      }, seconds * 1000);
    }

    // The service keeps nothing of an incomplete upload: compare again, then send all of it.
    #cut(item) {
      if (!navigator.onLine) item.cuts = 0;
      item.cuts = (item.cuts ?? 0) + 1;
      if (item.cuts <= CUTS_MAX) this.#later(item, item.cuts * 2, "The connection was lost.", () => this.#compareAgain(item));
      else this.change(item, "failed", "The connection was lost too often. Nothing was stored.");
    }

    // The name was taken after the comparison: compare again, and replace nothing without a new decision.
    #conflict(item, text) {
      item.conflicts = (item.conflicts ?? 0) + 1;
      Object.assign(item, { how: "", choice: "" });
      if (item.conflicts > 1) this.change(item, "failed", text);
      else this.#compareAgain(item);
    }

    // Everything was sent, and no answer says what became of it. Where both were to be kept, only the server knows the name it chose.
    #doubt(item, text, { receipt, answer = text, seconds = VERIFY_SECONDS } = {}) {
      if (!receipt && item.how === "both") return this.change(item, "failed", `${text} It may have been stored.`);
      const since = (Date.now() - (performance.now() - item.started)) / 1000 - 60;
      item.receipt = receipt ?? { key: item.key, size: item.size, since, until: since + 900 };
      item.key = item.receipt.key;
      this.change(item, "storing", `${answer} Checking what was stored.`);
      this.#unverified.push({ item, doubt: text, answer, seconds });
      this.#verify();
    }

    // A thousand files at once where many are sent, the last ones when all is sent. The server lists a folder or asks for each object.
    async #verify() {
      if (this.#isVerifying || !this.#unverified.length) return;
      const unsure = this.#unverified.filter(({ doubt }) => doubt).length + this.#watched;
      if (this.#unverified.length < VERIFY_BATCH && sum(this.counts, "waiting", "sending", "storing") > unsure) return;
      const { place } = this.#unverified[0].item;
      const batch = this.#unverified.filter(({ item }) => item.place.check === place.check).slice(0, VERIFY_BATCH);
      const taken = new Set(batch);
      this.#unverified = this.#unverified.filter((one) => !taken.has(one));
      this.#isVerifying = true;
      try {
        const body = await this.session.ask(place, place.check, { receipts: batch.map(({ item }) => item.receipt), start: this.#reached });
        Object.assign(this.#reached, body.reached);
        for (const one of batch) this.#settle(one, body);
      } catch (problem) {
        for (const { item, doubt } of batch) this.change(item, doubt ? "failed" : "stored", `${doubt ?? "Not verified."} ${problem.message}`);
      }
      this.#isVerifying = false;
      this.#verify();
    }

    #settle(one, { verdicts, sizes }) {
      const { item, doubt, answer } = one;
      if (!["stored", "storing"].includes(item.state)) return;
      const verdict = verdicts[item.key];
      if (verdict === "checked") this.change(item, "checked", doubt ? `${answer} The file is stored.` : "");
      else if (verdict === "unseen" && doubt) this.change(item, "failed", `${answer} This token can't read back what was stored.`);
      else if (doubt) this.#watch(one);
      else if (verdict === "unseen") this.change(item, "stored", "This token can't read it back.");
      else if (verdict === "untold") this.change(item, "stored", "Not verified: the service doesn't report its size.");
      else this.change(item, "failed", MISMATCHES[verdict](this.sender.amount(item.size), this.sender.amount(sizes[item.key] ?? 0)));
    }

    // The file is not there: the service may still be storing it, so that proves nothing for a while.
    #watch(one) {
      one.since ??= performance.now();
      if (performance.now() - one.since > one.seconds * 1000) {
        this.change(one.item, "failed", `${one.answer} This file was not stored as of ${clock()}.`);
        return;
      }
      this.change(one.item, "storing", `${one.answer} Not stored as of ${clock()}; checking again.`);
      this.#watched += 1;
      setTimeout(() => {
        this.#watched -= 1;
        this.#unverified.push(one);
        this.#verify();
      }, VERIFY_AGAIN_MS);
    }
  }

  customElements.define("upload-queue", UploadQueue);
})();
