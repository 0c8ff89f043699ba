// The upload queue: it keeps every file of this page, and sends three at a time, each as the raw body of a PUT.
// It draws nothing and decides nothing. `uploads:plan` asks upload-plan.js what is to be done, `uploads:stored` asks
// upload-check.js to read back, `uploads:state` tells upload-tray.js; `uploads:do` is what a person pressed.
(() => {
  "use strict";
  const AT_ONCE = 3;
  const CUTS = 5;
  const PLANNED = ["new", "same", "different", "name"];
  const LIVE = ["planning", "waiting", "sending", "storing"];
  const OUT = ["refused", "skipped", "cancelled"];
  const items = new Map();
  const counts = {};
  const bytes = {};
  const flying = new Set();
  const waiting = [];
  let next = 1;
  let drawing = 0;
  let refreshed = 0;
  let fresh = false;
  let samples = [];

  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const amount = (size) => {
    let step = 0;
    let left = size;
    while (left >= 1024 && step < units.length - 1) [left, step] = [left / 1024, step + 1];
    return left === 1 && !step ? "1 byte" : `${step ? left.toFixed(1) : left} ${units[step]}`;
  };
  const sum = (of, ...states) => states.reduce((all, state) => all + (of[state] ?? 0), 0);
  const emit = (name, detail) => document.dispatchEvent(new CustomEvent(`uploads:${name}`, { detail }));

  const count = (item, by) => {
    counts[item.state] = (counts[item.state] ?? 0) + by;
    bytes[item.state] = (bytes[item.state] ?? 0) + by * item.size;
  };

  const totals = () => {
    const out = sum(bytes, ...OUT);
    const size = Object.values(bytes).reduce((all, part) => all + part, 0) - out;
    let sent = sum(bytes, "stored", "checked", "storing");
    for (const item of flying) if (item.state === "sending") sent += Math.min(item.sent, item.size);
    const now = performance.now();
    samples = [...samples.filter(([at]) => now - at < 4000), [now, sent]];
    const [at, then] = samples[0];
    return {
      files: items.size - sum(counts, ...OUT), size, sent, busy: sum(counts, ...LIVE) > 0, held: sum(counts, ...PLANNED),
      stored: sum(counts, "stored", "checked"), speed: now - at > 500 ? Math.max(0, ((sent - then) * 1000) / (now - at)) : 0,
    };
  };

  const draw = () => {
    drawing = 0;
    const all = totals();
    emit("state", { desk, totals: all });
    if (all.busy) tell();
    else samples = [];
  };
  const tell = () => (drawing ||= setTimeout(draw, 150));
  // What a person pressed shows at once.
  const tellNow = () => {
    clearTimeout(drawing);
    draw();
  };

  const turn = (item, state, message = "") => {
    if (!items.has(item.id)) return;
    count(item, -1);
    Object.assign(item, { state, message });
    count(item, 1);
    tell();
  };

  // Signed out, a new list would be the sign-in page, and what is here would be gone.
  const refresh = (force) => {
    if (!fresh || desk.out || (!force && performance.now() - refreshed < 4000)) return;
    refreshed = performance.now();
    fresh = false;
    document.body.dispatchEvent(new CustomEvent("objects:changed"));
  };

  const enqueue = (item, how) => {
    Object.assign(item, { how, sent: 0, ticket: 0 });
    turn(item, "waiting");
    waiting.push(item);
    pump();
  };

  const replan = (item) => {
    turn(item, "planning");
    emit("plan", { fresh: [item], desk });
  };

  const again = (item, seconds, text, then) => {
    const ticket = next++;
    item.ticket = ticket;
    const when = navigator.onLine ? `Next try in ${Math.ceil(seconds)} s.` : "It goes on when the connection is back.";
    turn(item, "waiting", `${text} ${when}`);
    setTimeout(() => {
      if (item.state !== "waiting" || item.ticket !== ticket) return;
      if (then) return then(item);
      waiting.unshift(item);
      pump();
    }, seconds * 1000);
  };

  // Nothing of a cut upload is kept, so it is sent once more, after a look at what the bucket has now.
  const cut = (item) => {
    if (!navigator.onLine) item.cuts = 0;
    item.cuts = (item.cuts ?? 0) + 1;
    if (item.cuts <= CUTS) again(item, item.cuts * 2, "The connection broke.", replan);
    else turn(item, "failed", "The connection broke again and again. Nothing of a cut upload is kept.");
  };

  // Taken since the comparison, by whomever: what is there now is compared anew, and nothing is replaced without an answer.
  const conflict = (item, text) => {
    item.conflicts = (item.conflicts ?? 0) + 1;
    Object.assign(item, { how: "", choice: "" });
    if (item.conflicts > 1) turn(item, "failed", text);
    else replan(item);
  };

  const answered = (item, request) => {
    if (item.state === "cancelled") return;
    let body;
    try {
      body = JSON.parse(request.responseText);
    } catch {
      if ([429, 503].includes(request.status)) return again(item, 5, "There are many requests at the moment.");
      // A page instead of an answer: signed out, or a proxy in between spoke.
      return turn(item, "failed", `Pilothouse did not answer as expected (${request.status}). Are you still signed in?`);
    }
    desk.out = request.status === 401;
    if (request.status === 200) {
      Object.assign(item, { key: body.key, receipt: body, sent: item.size, cuts: 0, conflicts: 0 });
      turn(item, "stored");
      fresh = true;
      emit("stored", { item, desk });
      return refresh(false);
    }
    if (request.status === 409) return conflict(item, desk.words(body));
    if (request.status === 423) return again(Object.assign(item, { how: "", choice: "" }), body.retry_after || 5, body.title, replan);
    if ([429, 503].includes(request.status)) return again(item, Math.min(body.retry_after || 2, 60), desk.words(body));
    if (request.status === 413) item.place.learnt = Math.min(item.place.learnt, item.size);
    if (request.status === 504) return unsure(item, desk.words(body), body.receipt);
    return turn(item, [413, 415, 422].includes(request.status) ? "refused" : "failed", desk.words(body));
  };

  // All was sent and no answer came: what the bucket holds is compared with that. Only the server knows a name beside a taken one.
  const unsure = (item, text, receipt) => {
    if (!receipt && item.how === "both") return turn(item, "failed", `${text} It may have been stored.`);
    const since = (Date.now() - (performance.now() - item.started)) / 1000 - 60;
    item.receipt = receipt ?? { key: item.key, size: item.size, since, until: since + 900 };
    item.key = item.receipt.key;
    turn(item, "storing", "No answer came. Checking what was stored.");
    emit("stored", { item, desk, otherwise: text });
  };

  const send = (item) => {
    const request = new XMLHttpRequest();
    request.open("PUT", `${item.place.send}?${new URLSearchParams({ key: item.key, policy: item.how })}`);
    for (const [name, value] of Object.entries(desk.headers(item.place, item.type || "application/octet-stream"))) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => {
      item.sent = Math.min(event.loaded, item.size);
      tell();
    };
    request.upload.onload = () => {
      item.sent = item.size;
      if (item.state === "sending") turn(item, "storing");
    };
    request.onload = () => answered(item, request);
    request.onerror = () => {
      if (item.state === "storing") unsure(item, "The connection broke after all was sent.");
      else cut(item);
    };
    request.onloadend = () => {
      flying.delete(item);
      item.request = null;
      pump();
    };
    Object.assign(item, { request, started: performance.now() });
    flying.add(item);
    turn(item, "sending");
    request.send(item.file);
  };

  const pump = () => {
    while (navigator.onLine && flying.size < AT_ONCE && waiting.length) {
      const item = waiting.shift();
      if (item.state === "waiting" && !flying.has(item)) send(item);
    }
    if (!flying.size && !waiting.length) refresh(true);
  };

  const acts = {
    cancel(item) {
      if (![...LIVE, ...PLANNED].includes(item.state)) return;
      turn(item, "cancelled", item.state === "storing" ? "It was sent already and may have been stored." : "");
      item.request?.abort();
    },
    clear(item) {
      if ([...LIVE, ...PLANNED, "stored"].includes(item.state)) return;
      count(item, -1);
      items.delete(item.id);
    },
  };

  document.addEventListener("uploads:do", ({ detail: { act, id } }) => {
    const chosen = id ? [items.get(id)].filter(Boolean) : [...items.values()];
    if (act === "cancel" && !id) waiting.length = 0;
    if (acts[act]) chosen.forEach(acts[act]);
    if (act === "retry") {
      const back = chosen.filter((item) => item.state === "failed" || (id && item.state === "cancelled"));
      for (const item of back) turn(Object.assign(item, { cuts: 0, conflicts: 0 }), "planning");
      if (back.length) emit("plan", { fresh: back, desk });
    }
    tellNow();
  });

  document.addEventListener("uploads:add", ({ detail: { files } }) => {
    const data = document.querySelector("[data-uploads]")?.dataset;
    if (!data) return;
    const place = {
      plan: data.plan, send: data.send, check: `${data.send}check/`, csrf: data.csrf, learnt: Infinity,
      limit: data.limit ? Number(data.limit) : null, types: data.types ? data.types.split(",").map((type) => type.trim()) : [],
    };
    const added = files.map(({ file, path, name, size }) => ({
      id: next++, file, place, path: name ?? path, key: `${data.path}${path}`.toWellFormed?.() ?? `${data.path}${path}`,
      type: file?.type ?? "", size, sent: 0, state: "planning", message: "", choice: "", how: "", suggestion: "",
    }));
    for (const item of added) {
      items.set(item.id, item);
      count(item, 1);
    }
    emit("plan", { fresh: added, desk });
    tellNow();
  });

  addEventListener("online", () => {
    pump();
    tellNow();
  });
  addEventListener("offline", tellNow);
  addEventListener("beforeunload", (event) => {
    if (sum(counts, ...LIVE, ...PLANNED)) event.preventDefault();
  });

  const desk = { items, counts, turn, enqueue, tell, tellNow, amount, PLANNED, out: false };
  emit("open", { desk });
})();
