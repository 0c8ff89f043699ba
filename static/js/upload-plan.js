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

  const judge = (item, verdict) => {
    if (item.state !== "planning") return;
    const { types } = item.place;
    Object.assign(item, { suggestion: verdict.suggestion, there: verdict.there, verdict: verdict.state });
    if (types.length && !allowed(verdict.type, types)) desk.turn(item, "refused", `The bucket takes only ${types.join(", ")}; this is ${verdict.type}.`);
    else if (verdict.problem) desk.turn(item, "name", verdict.problem);
    else desk.turn(item, verdict.state);
    // A file that is sent once more keeps what was decided about it, while its name is taken.
    if (["replace", "both"].includes(item.how) && held(item) && item.state !== "new") item.choice = item.how;
  };

  const compare = async (batch, start) => {
    try {
      const body = await desk.ask(batch, batch[0].place.plan, start);
      Object.assign(start, body.reached);
      body.files.forEach((verdict, at) => judge(batch[at], verdict));
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

  const plan = async (fresh) => {
    const good = [];
    for (const item of fresh) {
      const text = refusal(item);
      if (text) desk.turn(item, "refused", text);
      else good.push(item);
    }
    const start = {};
    for (const batch of batches(good)) await compare(batch.filter((item) => item.state === "planning"), start);
    const waits = all();
    if (!desk.counts.planning && waits.every((item) => item.state === "new" || item.choice)) go();
  };

  const go = () => {
    for (const item of all()) {
      const how = choose(item);
      if (how === "skip") desk.turn(item, "skipped", item.state === "same" ? "The bucket has one of the same name and size." : "");
      else if (how) desk.enqueue(item, item.state === "new" ? "new" : how);
    }
  };

  const accept = (item) => {
    if (item.state !== "name" || !item.suggestion) return;
    item.key = item.suggestion;
    desk.turn(item, item.verdict, `To be stored as ${item.suggestion}`);
  };

  const acts = {
    go,
    policy: (_, how) => (desk.policy = how),
    accept: (item) => (item ? [item] : all()).forEach(accept),
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
