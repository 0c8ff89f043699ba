// Rows that load themselves take turns, visible rows first, with at most eight calls to the service at a time, and four requests: a browser has
// six connections to a server, and a click must not wait for rows. A row carries data-turn (the number of calls it causes) and loads on the
// event "turn". A row with data-later gets its turn after that many seconds on an open page, with data-calls calls. An answer with Retry-After
// pauses all of them for that long. A lost one pauses them, too, and its row asks again after that.
// An element with data-checked (how many rows there are; data-rows selects them) says how many had their turn. Once all had, it gets the
// event "checked", unless the list is in use: what is read must not move. Then the page gets the event "turns:over".
(() => {
  "use strict";
  const CALLS_MAX = 8;
  const REQUESTS_MAX = 4;
  const PAUSES_MAX = 10;
  const LOST_SECONDS = 15;
  const TICK_MS = 15_000;
  const RETRY_MS = 900_000;
  const started = new Map();
  const dueAt = new WeakMap();
  let calls = 0;
  let requests = 0;
  let pauses = 0;
  let pausedUntil = 0;

  const isVisible = (row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };

  const next = () => {
    if (document.hidden || Date.now() < pausedUntil || pauses > PAUSES_MAX) return;
    const waiting = [...document.querySelectorAll("[data-turn]")].filter((row) => !started.has(row));
    for (const row of [...waiting.filter(isVisible), ...waiting.filter((row) => !isVisible(row))]) {
      if (requests === REQUESTS_MAX || calls + Number(row.dataset.turn) > CALLS_MAX) return;
      htmx.trigger(row, "turn");
    }
  };

  // Several answers to calls made at once are one pause.
  const pause = (seconds) => {
    if (Date.now() >= pausedUntil) pauses += 1;
    pausedUntil = Math.max(pausedUntil, Date.now() + seconds * 1000);
    setTimeout(next, seconds * 1000 + 50);
  };

  const isInUse = (list) => scrollY > 0 || list.matches(":hover, :focus-within");

  // What stands beside the list is read alone.
  const leave = () => htmx.trigger(document.body, "turns:over");

  const report = () => {
    const line = document.querySelector("[data-checked]");
    const rows = [...document.querySelectorAll(line?.dataset.rows ?? "[data-checked]")];
    if (!line || rows.length < Number(line.dataset.checked)) return;
    const left = rows.filter((row) => row.matches("[data-turn]")).length;
    line.textContent = `${rows.length - left} of ${rows.length} checked`;
    if (left) return;
    line.hidden = true;
    delete line.dataset.checked;
    if (isInUse(line.closest(".listing"))) leave();
    else htmx.trigger(line, "checked");
  };

  // Gives rows their turn once they are due, also those whose request failed.
  const promote = () => {
    const now = Date.now();
    for (const [row, cost] of started) if (!cost && now >= dueAt.get(row)) started.delete(row);
    for (const row of document.querySelectorAll("[data-later]:not([data-turn])")) {
      if (!dueAt.has(row)) dueAt.set(row, now + Number(row.dataset.later) * 1000);
      else if (now >= dueAt.get(row)) row.dataset.turn = row.dataset.calls;
    }
  };

  const tick = () => {
    promote();
    report();
    if (!document.querySelector("[data-turn]")) pauses = 0;
    next();
  };

  const end = (row, xhr) => {
    calls -= started.get(row);
    requests -= 1;
    // It stays in the map until it is replaced, so that a row whose request failed is not loaded again and again.
    started.set(row, 0);
    dueAt.set(row, Date.now() + RETRY_MS);
    const isLost = row.isConnected && (!xhr.status || xhr.status >= 500);
    if (isLost) started.delete(row);
    const seconds = Number(xhr.getResponseHeader("Retry-After")) || (isLost ? LOST_SECONDS : 0);
    if (seconds > 0) pause(seconds);
    next();
  };

  // A row that has just come doesn't listen yet: only a request counts. Its end is heard at the request, since the row may be gone by then.
  document.addEventListener("htmx:beforeSend", ({ target: row, detail: { xhr } }) => {
    if (!row.matches("[data-turn]")) return;
    calls += Number(row.dataset.turn);
    requests += 1;
    started.set(row, Number(row.dataset.turn));
    xhr.addEventListener("loadend", () => end(row, xhr));
  });
  // Somebody may have begun to use the list before the answer came.
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (!detail.requestConfig.elt.matches('[hx-trigger="checked"]') || !isInUse(detail.target)) return;
    detail.shouldSwap = false;
    leave();
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    for (const row of started.keys()) if (!row.isConnected && !started.get(row)) started.delete(row);
    promote();
    report();
    if (event.target.matches?.("[data-turn]") || event.target.querySelector?.("[data-turn]")) next();
  });
  document.addEventListener("visibilitychange", tick);
  document.addEventListener("DOMContentLoaded", tick);
  setInterval(tick, TICK_MS);
})();
