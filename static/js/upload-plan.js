// The plan before the first byte: names and sizes are compared with the bucket, a thousand at a time; what is taken, unusable or
// over a limit waits for a decision, by one policy with exceptions. With nothing to decide it begins by itself.
(() => {
  "use strict";
  const BATCH = 1000;
  const MOST_LETTERS = 1_000_000;
  const FIRST = "same";
  let desk;

  const held = (item) => desk.PLANNED.includes(item.state);
  const all = () => [...desk.items.values()].filter(held);

  // What is to be done with a file: its own exception, else the policy. "" waits for an answer.
  const choose = (item) => {
    if (item.choice || item.state === "new") return item.choice || "new";
    if (item.state === "name" || desk.policy === "ask") return "";
    if (desk.policy === "same") return item.state === "same" ? "skip" : "";
    // What this page stored is replaced by an answer for this one file, never by the policy for all.
    if (desk.policy === "replace" && (item.again || item.conflicts)) return "";
    return desk.policy;
  };

  const allowed = (type, types) =>
    types.some((rule) => rule === type || (rule.endsWith("/*") && !rule.startsWith("*") && type.startsWith(rule.slice(0, -1))));

  // Limits that are known beforehand, each with who sets it. Pilothouse itself sets none.
  const refusal = ({ file, size, place: { limit, learnt } }) => {
    if (!file) return "Your browser could not read this file.";
    if (limit !== null && size > limit) return `The bucket takes at most ${desk.amount(limit)} a file; this one has ${desk.amount(size)}.`;
    if (size && size >= learnt) return `The service refused a file of ${desk.amount(learnt)} as too large; this one has ${desk.amount(size)}.`;
    return "";
  };

  const known = (item, { state }) => {
    if (item.again) return "You stored a file of this name a moment ago.";
    return item.conflicts && state !== "new" ? "The bucket has an object of this name now. Nothing was replaced." : "";
  };

  const judge = (item, verdict, taken) => {
    if (item.state !== "planning") return;
    const { types } = item.place;
    item.there = verdict.there;
    desk.suggest(item, verdict, taken);
    if (types.length && !allowed(verdict.type, types)) desk.turn(item, "refused", `The bucket takes only ${types.join(", ")}; this is ${verdict.type}.`);
    else if (verdict.problem) desk.turn(item, "name", verdict.problem);
    else desk.turn(item, verdict.state, verdict.state === "new" ? "" : known(item, verdict));
    // A file that is sent once more keeps what was decided about it, while its name is taken.
    if (["replace", "both"].includes(item.how) && held(item) && item.state !== "new") item.choice = item.how;
  };

  const compare = async (batch, start, taken) => {
    const files = batch.map((item) => [item.key, item.size, item.type]);
    try {
      const body = await desk.ask(batch[0].place, batch[0].place.plan, { files, start });
      Object.assign(start, body.reached);
      body.files.forEach((verdict, at) => judge(batch[at], verdict, taken));
    } catch (problem) {
      for (const item of batch) if (item.state === "planning") desk.turn(item, "failed", `Nothing was sent. ${problem.message}`);
    }
  };

  // They come by folder and name, as listings go, so that the next thousand is found where the last one ended.
  const batches = (items) => {
    const cut = [];
    let letters = MOST_LETTERS;
    for (const item of items) {
      letters += item.key.length * 2 + 40;
      if (letters > MOST_LETTERS || cut.at(-1).length === BATCH) [letters] = [0, cut.push([])];
      cut.at(-1).push(item);
    }
    return cut;
  };

  const plan = async (fresh, waiting = false) => {
    const taken = desk.claims(desk, fresh);
    const good = [];
    for (const item of fresh) {
      const text = refusal(item);
      if (text) desk.turn(item, "refused", text);
      else if (desk.claim(desk, item, taken)) good.push(item);
    }
    const start = {};
    for (const batch of batches(good)) {
      const left = batch.filter((item) => item.state === "planning");
      if (left.length) await compare(left, start, taken);
    }
    const waits = all();
    if (!waiting && !desk.counts.planning && waits.every((item) => item.state === "new" || item.choice)) go();
  };

  const go = () => {
    for (const item of all()) {
      const how = choose(item);
      if (how === "skip") desk.turn(item, "skipped", item.state === "same" ? "The bucket has one of the same name and size." : "");
      else if (how) desk.enqueue(item, item.state === "new" ? "new" : how);
    }
  };

  // A suggestion that the server compared goes on; one that got a number here is compared first.
  const accept = (items) => {
    const unknown = [];
    for (const item of items) {
      if (item.state !== "name" || !item.suggestion) continue;
      item.key = item.suggestion;
      desk.turn(item, item.verdict || "planning", item.verdict ? `To be stored as ${item.suggestion}` : "");
      if (!item.verdict) unknown.push(item);
    }
    if (unknown.length) plan(unknown, all().length > 0);
  };

  const acts = {
    go,
    policy: (_, how) => (desk.policy = how),
    accept: (item) => accept(item ? [item] : all()),
    answer(item, how) {
      if (!item || !held(item)) return;
      item.choice = item.choice === how ? "" : how;
    },
  };

  document.addEventListener("uploads:do", ({ detail: { act, id, how } }) => {
    if (!desk || !acts[act]) return;
    const alone = id && all().length === 1;
    acts[act](desk.items.get(id), how);
    // One file is its own plan: its answer is enough.
    if (alone && all().every(choose)) go();
    desk.tellNow();
  });

  document.addEventListener("uploads:plan", ({ detail }) => {
    desk = Object.assign(detail.desk, { choose });
    if (!desk.policy || !all().length) desk.policy = FIRST;
    plan(detail.fresh);
  });
})();
