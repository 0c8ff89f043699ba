// Reads back what was stored and compares it with what was sent: a thousand files at once where many are sent, the last ones when all is sent.
// The server asks for a page of a folder or for each object, whichever takes fewer calls.
(() => {
  "use strict";
  const BATCH = 1000;
  const AGAIN = 15_000;
  const LONGEST = 600_000;
  const start = {};
  let queue = [];
  let watched = 0;
  let busy = false;

  const clock = () => new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

  const failures = {
    missing: () => "The service said that it is stored, but it is not there.",
    size: (item, { amount }, size) => `The service has ${amount(size)} of ${amount(item.size)}.`,
    content: () => "The bucket holds other bytes of the same size under this name.",
    date: () => "The bucket holds another object under this name: it was last changed at another time.",
  };

  // No answer came, and what is there is not this file: the service may still be storing it, so that proves nothing for a while.
  const watch = (one) => {
    one.since ??= performance.now();
    if (performance.now() - one.since > LONGEST) {
      one.desk.turn(one.item, "failed", `No answer came, and this file was not stored as of ${clock()}.`);
      return;
    }
    one.desk.turn(one.item, "storing", `No answer came. Not stored as of ${clock()}; checking again.`);
    watched += 1;
    setTimeout(() => {
      watched -= 1;
      queue.push(one);
      look();
    }, AGAIN);
  };

  const settle = (one, { verdicts, sizes }) => {
    const { item, desk, otherwise } = one;
    if (!["stored", "storing"].includes(item.state)) return;
    const verdict = verdicts[item.key];
    if (verdict === "checked") desk.turn(item, "checked", otherwise ? "No answer came, but all of it is stored." : "");
    else if (otherwise) watch(one);
    else if (verdict === "untold") desk.turn(item, "stored", "The service does not tell its size, so it was not compared.");
    else desk.turn(item, "failed", failures[verdict](item, desk, sizes[item.key]));
  };

  const run = async () => {
    const [{ item, desk }] = queue;
    const address = item.place.check;
    const mine = queue.filter((one) => one.item.place.check === address).slice(0, BATCH);
    const taken = new Set(mine);
    queue = queue.filter((one) => !taken.has(one));
    busy = true;
    try {
      const receipts = mine.map((one) => one.item.receipt);
      const body = await desk.ask(item.place, address, { receipts, start });
      Object.assign(start, body.reached);
      for (const one of mine) settle(one, body);
    } catch (problem) {
      for (const one of mine) desk.turn(one.item, one.otherwise ? "failed" : "stored", `${one.otherwise ?? "Not read back."} ${problem.message}`);
    }
    busy = false;
    look();
  };

  const look = () => {
    if (busy || !queue.length) return;
    const { waiting = 0, sending = 0, storing = 0 } = queue[0].desk.counts;
    const unsure = queue.filter((one) => one.otherwise).length + watched;
    if (queue.length >= BATCH || waiting + sending + storing <= unsure) run();
  };

  document.addEventListener("uploads:stored", ({ detail }) => {
    queue.push(detail);
    look();
  });
  document.addEventListener("uploads:state", look);
})();
