// Reads back what was stored and compares the sizes: a thousand files at once where many are sent, the last ones when all is sent.
// The server asks for a page of a folder or for each object, whichever takes fewer calls.
(() => {
  "use strict";
  const BATCH = 1000;
  const start = {};
  let queue = [];
  let busy = false;

  const settle = ({ item, desk, otherwise }, sizes) => {
    if (!["stored", "storing"].includes(item.state)) return;
    const there = Object.hasOwn(sizes, item.key);
    const size = sizes[item.key];
    if (there && size === item.size) desk.turn(item, "checked", otherwise ? "No answer came, but all of it is stored." : "");
    else if (otherwise) desk.turn(item, "failed", there ? otherwise : "No answer came, and nothing is stored under this name.");
    else if (!there) desk.turn(item, "failed", "The service said that it is stored, but it is not there.");
    else if (size === null) desk.turn(item, "stored", "The service does not tell its size, so it was not compared.");
    else desk.turn(item, "failed", `The service has ${desk.amount(size)} of ${desk.amount(item.size)}.`);
  };

  const run = async () => {
    const [{ item, desk }] = queue;
    const address = item.place.check;
    const mine = queue.filter((one) => one.item.place.check === address).slice(0, BATCH);
    const taken = new Set(mine);
    queue = queue.filter((one) => !taken.has(one));
    busy = true;
    try {
      const body = await desk.ask(mine.map((one) => one.item), address, start);
      Object.assign(start, body.reached);
      for (const one of mine) settle(one, body.sizes);
    } catch (problem) {
      for (const one of mine) desk.turn(one.item, one.otherwise ? "failed" : "stored", `${one.otherwise ?? "Not read back."} ${problem.message}`);
    }
    busy = false;
    look();
  };

  const look = () => {
    if (busy || !queue.length) return;
    const { waiting = 0, sending = 0, storing = 0 } = queue[0].desk.counts;
    const unsure = queue.filter((one) => one.otherwise).length;
    if (queue.length >= BATCH || waiting + sending + storing <= unsure) run();
  };

  document.addEventListener("uploads:stored", ({ detail }) => {
    queue.push(detail);
    look();
  });
  document.addEventListener("uploads:state", look);
})();
