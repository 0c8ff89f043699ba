// One name, one file: of two files of this page that would go to the same key, one is held back and offered a number.
(() => {
  "use strict";
  const HOLDING = ["planning", "waiting", "sending", "storing", "new", "same", "different", "name"];
  const STORED = ["stored", "checked"];
  const LONGEST = 255;

  const slot = (item, key) => `${item.place.send} ${key}`;

  // Who has which key: the files that are still to go, and those that were stored.
  const claims = (desk, fresh = []) => {
    const later = new Set(fresh);
    const holders = new Map();
    const stored = new Set();
    for (const item of desk.items.values()) {
      if (STORED.includes(item.state)) stored.add(slot(item, item.key));
      else if (HOLDING.includes(item.state) && !later.has(item)) holders.set(slot(item, item.state === "name" ? item.suggestion : item.key), item);
    }
    return { holders, stored };
  };

  // "a/b.txt" is followed by "a/b (1).txt", and "b (4).txt" by "b (5).txt".
  const numbered = (item, key, { holders, stored }) => {
    const at = key.lastIndexOf("/") + 1;
    const dot = key.lastIndexOf(".");
    const end = dot > at ? dot : key.length;
    const [, stem, count] = /^(.*?)(?: \((\d{1,4})\))?$/s.exec(key.slice(at, end));
    for (let number = Number(count ?? 0) + 1; ; number += 1) {
      const tail = ` (${number})${key.slice(end)}`;
      const name = `${key.slice(0, at)}${stem.slice(0, LONGEST - tail.length)}${tail}`;
      if (!holders.has(slot(item, name)) && !stored.has(slot(item, name))) return name;
    }
  };

  // The key for this file, or another file has it: then a number is suggested, and nothing is sent before a person agreed.
  const claim = (desk, item, taken) => {
    const twin = taken.holders.get(slot(item, item.key));
    item.again = taken.stored.has(slot(item, item.key));
    if (!twin || twin === item) {
      taken.holders.set(slot(item, item.key), item);
      return true;
    }
    Object.assign(item, { suggestion: numbered(item, item.key, taken), verdict: "" });
    taken.holders.set(slot(item, item.suggestion), item);
    desk.turn(item, "name", `Another file of this upload has the same name: ${twin.path}.`);
    return false;
  };

  // A suggestion of the server, numbered where another file has it. What the bucket has of that name is then not known yet.
  const suggest = (item, verdict, taken) => {
    const other = taken.holders.get(slot(item, verdict.suggestion));
    const free = !verdict.suggestion || ((!other || other === item) && !taken.stored.has(slot(item, verdict.suggestion)));
    const suggestion = free ? verdict.suggestion : numbered(item, verdict.suggestion, taken);
    Object.assign(item, { suggestion, verdict: free ? verdict.state : "" });
    if (suggestion) taken.holders.set(slot(item, suggestion), item);
  };

  document.addEventListener("uploads:open", ({ detail: { desk } }) => Object.assign(desk, { claims, claim, suggest }));
})();
