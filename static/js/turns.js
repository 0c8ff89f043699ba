// Rows that ask the service for themselves take turns: those in sight first, then the others; at most eight calls of a page at a time.
// Marks: data-turn (the number of calls that the row makes; its trigger is "turn"). An answer with Retry-After lets all rows rest that long.
(() => {
  "use strict";
  const MOST = 8;
  const RESTS = 10;
  const underway = new Map();
  let calls = 0;
  let rests = 0;
  let until = 0;

  const inSight = (row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };

  const next = () => {
    if (document.hidden || Date.now() < until || rests > RESTS) return;
    const waiting = [...document.querySelectorAll("[data-turn]")].filter((row) => !underway.has(row));
    for (const row of [...waiting.filter(inSight), ...waiting.filter((row) => !inSight(row))]) {
      const cost = Number(row.dataset.turn);
      if (calls + cost > MOST) return;
      calls += cost;
      underway.set(row, cost);
      htmx.trigger(row, "turn");
    }
  };

  const rest = (seconds) => {
    rests += 1;
    until = Date.now() + seconds * 1000;
    setTimeout(next, seconds * 1000 + 50);
  };

  document.addEventListener("htmx:afterRequest", (event) => {
    const row = event.detail.requestConfig.elt;
    if (!underway.has(row)) return;
    calls -= underway.get(row);
    // It stays known until it is replaced: a row whose request failed is not asked again and again.
    underway.set(row, 0);
    const seconds = Number(event.detail.xhr?.getResponseHeader("Retry-After"));
    if (seconds > 0) rest(seconds);
    next();
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    for (const row of underway.keys()) if (!row.isConnected && !underway.get(row)) underway.delete(row);
    if (event.target.matches?.("[data-turn]") || event.target.querySelector?.("[data-turn]")) next();
  });
  document.addEventListener("visibilitychange", next);
  document.addEventListener("DOMContentLoaded", next);
})();
