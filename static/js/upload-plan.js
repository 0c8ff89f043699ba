// <upload-plan>: what is to be done with each file before its first byte is sent. It compares names and sizes with the bucket, and
// shows what waits for a decision: names that are taken or not allowed. With nothing to decide the upload starts at once.
// It stands inside <upload-queue>, and holds the parts sentence, limits, taken, policy, labels, type, wrong, caching, go and names.
// Methods: compare(items), choice(item): "" waits for a person, answer(item, how), accept(items), typeOf(item): what would be stored,
// setType(item, text), trouble(item): why its type can't be stored.
// Properties: undecided (how many files wait), as of the last uploads:change; asksTypes (whether each file shows its type).
(() => {
  "use strict";
  const BATCH = 1000;
  const BATCH_CHARACTERS = 1_000_000;
  const NAME_MAX = 255;
  const FIRST_POLICY = "same";
  const PENDING = ["planning", "waiting", "sending", "storing", "new", "same", "different", "name"];
  const STORED = ["stored", "checked"];

  const slot = (item, key) => `${item.place.send} ${key}`;
  const number = (value) => value.toLocaleString("en");
  const files = (value) => `${number(value)} ${value === 1 ? "file" : "files"}`;
  const write = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };

  // The items come by folder and name, as listings do, so that each batch begins where the one before ended.
  const batches = (items) => {
    const cut = [];
    let characters = BATCH_CHARACTERS;
    for (const item of items) {
      characters += item.key.length * 2 + 40;
      if (characters > BATCH_CHARACTERS || cut.at(-1).length === BATCH) [characters] = [0, cut.push([])];
      cut.at(-1).push(item);
    }
    return cut;
  };

  // "a/b.txt" is followed by "a/b (1).txt", and "b (4).txt" by "b (5).txt".
  const numbered = (item, key, { holders, stored }) => {
    const at = key.lastIndexOf("/") + 1;
    const dot = key.lastIndexOf(".");
    const end = dot > at ? dot : key.length;
    const [, stem, count] = /^(.*?)(?: \((\d{1,4})\))?$/s.exec(key.slice(at, end));
    for (let next = Number(count ?? 0) + 1; ; next += 1) {
      const tail = ` (${next})${key.slice(end)}`;
      const name = `${key.slice(0, at)}${stem.slice(0, NAME_MAX - tail.length)}${tail}`;
      if (!holders.has(slot(item, name)) && !stored.has(slot(item, name))) return name;
    }
  };

  class UploadPlan extends HTMLElement {
    undecided = 0;
    #policy = "";
    #type;
    #pattern;

    connectedCallback() {
      this.queue = this.closest("upload-queue");
      this.#type = this.#part("type");
      this.#pattern = new RegExp(`^(?:${this.#type.pattern})$`, "v");
      this.queue.addEventListener("uploads:change", () => this.#draw());
      this.#part("go").addEventListener("click", () => {
        this.#start();
        this.queue.update();
      });
      this.#part("names").addEventListener("click", () => this.accept(this.#held()));
      this.#part("policy").addEventListener("change", ({ target }) => {
        this.#policy = target.value;
        this.queue.update();
      });
      this.#type.addEventListener("change", () => this.queue.update());
      this.#part("labels").addEventListener("toggle", () => this.queue.update());
    }

    get asksTypes() {
      return this.#part("labels").open;
    }

    async compare(items) {
      const isReview = items.some(({ place, caching }) => place.review && !caching);
      if (!this.#policy || !this.#held().length) this.#begin(isReview);
      this.#part("labels").open ||= isReview;
      await this.#compare(items);
      this.#startIfDecided();
    }

    // What can't be stored with the type that was typed waits, too.
    choice(item) {
      const how = this.#answer(item);
      return how && how !== "skip" && this.trouble(item) ? "" : how;
    }

    typeOf(item) {
      return this.#chosenType(item) || item.guess;
    }

    setType(item, text) {
      item.typed = text.trim();
      this.queue.update();
    }

    trouble(item) {
      const { types } = item.place;
      const chosen = this.#chosenType(item);
      if (chosen && !this.#pattern.test(chosen)) return this.#type.title;
      const type = chosen || item.guess;
      return type && !this.queue.sender.admits(types, { name: "", type }) ? `The bucket allows only ${types.join(", ")}; this is ${type}.` : "";
    }

    // A file's own type, otherwise that of all. Once a file was sent it keeps both of its labels.
    #chosenType(item) {
      return item.typed || (item.caching ? item.kind : this.#type.value.trim());
    }

    // A file's own answer, otherwise the policy.
    #answer(item) {
      if (item.choice || item.state === "new") return item.choice || "new";
      if (item.state === "name" || this.#policy === "ask") return "";
      if (this.#policy === "same") return item.state === "same" ? "skip" : "";
      // What this page stored is replaced by an answer for this one file, never by the policy for all.
      if (["replace", "unkept"].includes(this.#policy) && (item.again || item.conflicts)) return "";
      return this.#policy === "replace" && item.isUnkept ? "" : this.#policy;
    }

    answer(item, how) {
      const isAlone = this.#held().length === 1;
      if (this.queue.held.includes(item.state)) item.choice = item.choice === how ? "" : how;
      this.#startAlone(isAlone);
    }

    // A suggestion that the server compared is ready; one that was numbered here is compared first.
    accept(items) {
      const isAlone = items.length === 1 && this.#held().length === 1;
      const unknown = [];
      for (const item of items) {
        if (item.state !== "name" || !item.suggestion) continue;
        item.key = item.suggestion;
        this.queue.change(item, item.verdict || "planning");
        if (!item.verdict) unknown.push(item);
      }
      const isLast = !this.#held().length;
      if (unknown.length) this.#compare(unknown).then(() => isLast && this.#startIfDecided());
      this.#startAlone(isAlone);
    }

    #part(name) {
      return this.querySelector(`[data-part="${name}"]`);
    }

    #held() {
      return [...this.queue.items.values()].filter((item) => this.queue.held.includes(item.state));
    }

    // What a person wanted to look at first waits, even with nothing to decide.
    #isReviewed({ place, caching }) {
      return !place.review || caching;
    }

    #begin(isReview) {
      this.#policy = FIRST_POLICY;
      this.#part("labels").open = false;
      if (isReview) return;
      this.#type.value = "";
      this.#part("caching").selectedIndex = 0;
    }

    #startIfDecided() {
      const isDecided = (item) => (item.state === "new" || item.choice) && this.choice(item) && this.#isReviewed(item);
      if (!this.queue.counts.planning && this.#held().every(isDecided)) this.#start();
    }

    // With a single file its answer is enough.
    #startAlone(isAlone) {
      if (isAlone && this.#held().every((item) => this.choice(item) && this.#isReviewed(item))) this.#start();
      this.queue.update();
    }

    #start() {
      for (const item of this.#held()) {
        const how = this.choice(item);
        if (how && how !== "skip") Object.assign(item, { kind: this.#chosenType(item), caching: item.caching || this.#part("caching").value });
        if (how === "skip") this.queue.change(item, "skipped", item.state === "same" ? "The bucket has a file with the same name and size." : "");
        else if (how) this.queue.send(item, item.state === "new" ? "new" : how);
      }
    }

    async #compare(items) {
      const taken = this.#taken(items);
      const good = [];
      for (const item of items) {
        const text = this.#refusal(item);
        if (text) this.queue.change(item, "refused", text);
        else if (this.#claim(item, taken)) good.push(item);
      }
      const start = {};
      for (const batch of batches(good)) {
        const left = batch.filter((item) => item.state === "planning");
        if (left.length) await this.#ask(left, start, taken);
      }
    }

    async #ask(batch, start, taken) {
      const [{ place }] = batch;
      try {
        const body = await this.queue.session.ask(place, place.plan, { files: batch.map((item) => [item.key, item.size, item.type]), start });
        Object.assign(start, body.reached);
        body.files.forEach((verdict, at) => this.#judge(batch[at], verdict, taken));
      } catch (problem) {
        for (const item of batch) if (item.state === "planning") this.queue.change(item, "failed", `Nothing was sent. ${problem.message}`);
      }
    }

    // Limits that are known beforehand. Pilothouse sets none of its own.
    #refusal({ file, size, place: { limit, learnt } }) {
      const amount = (bytes) => this.queue.sender.amount(bytes);
      if (!file) return "Your browser could not read this file.";
      if (limit !== null && size > limit) return `The bucket allows at most ${amount(limit)} per file; this one is ${amount(size)}.`;
      if (size && size >= learnt) return `The service refused a file of ${amount(learnt)} as too large; this one is ${amount(size)}.`;
      return "";
    }

    #judge(item, verdict, taken) {
      if (item.state !== "planning") return;
      Object.assign(item, { there: verdict.there, guess: verdict.type });
      this.#suggest(item, verdict, taken);
      // A type that was typed can be corrected.
      const canChange = !item.caching && (item.place.review || this.#chosenType(item));
      const trouble = canChange ? "" : this.trouble(item);
      if (trouble) this.queue.change(item, "refused", trouble);
      else if (verdict.problem) this.queue.change(item, "name", verdict.problem);
      else this.queue.change(item, verdict.state, verdict.state === "new" ? "" : this.#note(item));
      // A file that is sent once more keeps its answer while its name is taken.
      if (["replace", "unkept", "both"].includes(item.how) && this.queue.held.includes(item.state) && item.state !== "new") item.choice = item.how;
    }

    #note(item) {
      if (item.again) return "You uploaded a file with this name a moment ago.";
      return item.conflicts ? "The bucket now has an object with this name. Nothing was replaced." : "";
    }

    // Which key belongs to which file: those that are still to be sent, and those that were stored.
    #taken(items) {
      const later = new Set(items);
      const holders = new Map();
      const stored = new Set();
      for (const item of this.queue.items.values()) {
        if (STORED.includes(item.state)) stored.add(slot(item, item.key));
        else if (PENDING.includes(item.state) && !later.has(item)) holders.set(slot(item, item.state === "name" ? item.suggestion : item.key), item);
      }
      return { holders, stored };
    }

    // Two files of one key would overwrite each other: the second gets a number suggested, and waits for a person.
    #claim(item, taken) {
      const twin = taken.holders.get(slot(item, item.key));
      item.again = taken.stored.has(slot(item, item.key));
      if (!twin || twin === item) {
        taken.holders.set(slot(item, item.key), item);
        return true;
      }
      Object.assign(item, { suggestion: numbered(item, item.key, taken), verdict: "" });
      taken.holders.set(slot(item, item.suggestion), item);
      this.queue.change(item, "name", `Another file in this upload has the same name: ${twin.path}.`);
      return false;
    }

    // The server's suggestion, numbered where another file has it. What the bucket has under the numbered name is not known yet.
    #suggest(item, verdict, taken) {
      const other = taken.holders.get(slot(item, verdict.suggestion));
      const isFree = !verdict.suggestion || ((!other || other === item) && !taken.stored.has(slot(item, verdict.suggestion)));
      const suggestion = isFree ? verdict.suggestion : numbered(item, verdict.suggestion, taken);
      Object.assign(item, { suggestion, verdict: isFree ? verdict.state : "" });
      if (suggestion) taken.holders.set(slot(item, suggestion), item);
    }

    #draw() {
      const { counts } = this.queue;
      const held = this.#held();
      const choices = held.map((item) => this.choice(item));
      const skip = choices.filter((how) => how === "skip").length;
      const ask = choices.filter((how) => !how).length;
      const send = held.length - skip - ask;
      this.undecided = ask;
      this.hidden = !held.length || Boolean(counts.planning);
      if (this.hidden) return;
      const bits = [];
      if (send) bits.push(`${number(send)} to upload`);
      if (skip) bits.push(`${number(skip)} to skip`);
      if (ask) bits.push(`${number(ask)} to decide`);
      write(this.#part("sentence"), `Not sent yet: ${bits.join(", ")}.`);
      write(this.#part("limits"), this.#limits(held.at(-1).place));
      this.#part("taken").hidden = !(counts.same || counts.different);
      this.#part("policy").value = this.#policy;
      const names = this.#part("names");
      const hadFocus = names === document.activeElement;
      names.hidden = (counts.name ?? 0) < 2;
      const isWrong = Boolean(this.#type.value.trim()) && !this.#pattern.test(this.#type.value.trim());
      this.#type.setAttribute("aria-invalid", String(isWrong));
      this.#part("wrong").hidden = !isWrong;
      const go = this.#part("go");
      go.disabled = !(send + skip);
      write(go, send ? `Upload ${files(send)}` : skip ? `Skip ${files(skip)}` : "Nothing to upload yet");
      if (hadFocus && names.hidden) go.focus();
    }

    #limits({ limit, types, learnt }) {
      const size = limit === null ? "any size" : `at most ${this.queue.sender.amount(limit)} per file`;
      const service = learnt < Infinity ? `refused ${this.queue.sender.amount(learnt)} as too large` : "may have its own limit";
      const type = types.length ? `only ${types.join(", ")}` : "any type";
      return `The bucket allows ${size}, ${type}. The service ${service}.`;
    }
  }

  customElements.define("upload-plan", UploadPlan);
})();
