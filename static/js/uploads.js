// The upload queue: asks which names are good and free, then sends three files at a time, each as the raw body of a PUT.
// It draws nothing: upload-tray.js shows each `uploads:state` and answers with `uploads:do`.
(() => {
  const AT_ONCE = 3;
  const BATCH = 500;
  const LIVE = new Set(["checking", "waiting", "sending", "storing"]);
  const items = new Map();
  const waiting = [];
  let next = 1;
  let sending = 0;
  let policy = "";
  let drawing = 0;
  let refreshed = 0;
  let samples = [];

  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const amount = (bytes) => {
    let step = 0;
    let left = bytes;
    while (left >= 1024 && step < units.length - 1) [left, step] = [left / 1024, step + 1];
    return `${step ? left.toFixed(1) : left} ${units[step]}`;
  };

  // --- Telling ----------------------------------------------------------------------------------

  const totals = () => {
    const sum = { files: 0, bytes: 0, sent: 0, states: {} };
    for (const item of items.values()) {
      sum.states[item.state] = (sum.states[item.state] ?? 0) + 1;
      if (["refused", "skipped", "cancelled"].includes(item.state)) continue;
      sum.files += 1;
      sum.bytes += item.size;
      sum.sent += item.state === "stored" ? item.size : Math.min(item.sent, item.size);
    }
    const now = performance.now();
    samples = [...samples.filter(([at]) => now - at < 4000), [now, sum.sent]];
    const [at, sent] = samples[0];
    sum.speed = now - at > 500 ? Math.max(0, ((sum.sent - sent) * 1000) / (now - at)) : 0;
    return sum;
  };

  const tell = () => {
    if (drawing) return;
    drawing = setTimeout(() => {
      drawing = 0;
      const sum = totals();
      sum.busy = [...LIVE].some((state) => sum.states[state]);
      document.dispatchEvent(new CustomEvent("uploads:state", { detail: { items, totals: sum, amount } }));
      if (sum.busy) tell();
      else samples = [];
    }, 150);
  };

  const turn = (item, state, message = "") => {
    Object.assign(item, { state, message });
    tell();
  };

  const refresh = (force) => {
    if (!force && performance.now() - refreshed < 4000) return;
    refreshed = performance.now();
    document.body.dispatchEvent(new CustomEvent("objects:changed"));
  };

  // --- Checking before the first byte -------------------------------------------------------------

  const allowed = (type, types) =>
    types.some((rule) => rule === type || (rule.endsWith("/*") && !rule.startsWith("*") && type.startsWith(rule.slice(0, -1))));

  const refusal = (item) => {
    const { limit, types } = item.place;
    if (!item.file) return "This file could not be read on your device.";
    if (limit !== null && item.size > limit) return `It has ${amount(item.size)}; this bucket takes at most ${amount(limit)} a file.`;
    if (types.length && item.type && !allowed(item.type, types))
      return `It is ${item.type}; this bucket takes only ${types.join(", ")}.`;
    return "";
  };

  const headers = (item, type) => ({ "X-CSRFToken": item.place.csrf, "Content-Type": type, Accept: "application/json" });

  const judge = (item, verdict) => {
    Object.assign(item, { key: verdict.key, suggestion: verdict.suggestion ?? "", exists: verdict.exists });
    if (item.state !== "checking") return;
    if (verdict.problem) turn(item, "name", verdict.problem);
    else if (verdict.exists && !item.policy && !policy) turn(item, "exists", "There is an object with this name already.");
    else if (verdict.exists && (item.policy || policy) === "skip") turn(item, "skipped", "Left out: the name is taken.");
    else enqueue(item, verdict.exists ? item.policy || policy : "new");
  };

  const plan = async (batch) => {
    const [{ place }] = batch;
    const names = batch.map((item) => item.key);
    try {
      const answer = await fetch(place.plan, { method: "POST", headers: headers(batch[0], "application/json"), body: JSON.stringify({ names }) });
      const body = await answer.json();
      if (!answer.ok) throw new Error([body.title, body.text].filter(Boolean).join(" "));
      body.names.forEach((verdict, at) => judge(batch[at], verdict));
    } catch (problem) {
      const text = problem instanceof SyntaxError || problem instanceof TypeError ? "Pilothouse did not answer. Are you still signed in?" : problem.message;
      for (const item of batch) if (item.state === "checking") turn(item, "failed", text);
    }
  };

  const check = async (fresh) => {
    const good = [];
    for (const item of fresh) {
      const text = refusal(item);
      if (text) turn(item, "refused", text);
      else good.push(item);
    }
    for (let at = 0; at < good.length; at += BATCH) await plan(good.slice(at, at + BATCH));
  };

  // --- Sending --------------------------------------------------------------------------------------

  const enqueue = (item, how) => {
    Object.assign(item, { how, sent: 0, ticket: 0 });
    turn(item, "waiting");
    waiting.push(item);
    pump();
  };

  const again = (item, seconds, text) => {
    const ticket = next++;
    item.ticket = ticket;
    turn(item, "waiting", text);
    setTimeout(() => {
      if (item.state !== "waiting" || item.ticket !== ticket) return;
      waiting.unshift(item);
      pump();
    }, seconds * 1000);
  };

  const answered = (item, request) => {
    let body = {};
    try {
      body = JSON.parse(request.responseText);
    } catch {
      // A page instead of an answer: signed out, or a proxy in between spoke.
      return turn(item, "failed", `Pilothouse did not answer as expected (${request.status}). Are you still signed in?`);
    }
    const text = [body.title, body.text].filter(Boolean).join(" ");
    if (request.status === 200) {
      Object.assign(item, { key: body.key, sent: item.size });
      turn(item, "stored");
      return refresh(false);
    }
    if (request.status === 409) return turn(item, "exists", "An object with this name appeared meanwhile.");
    if ([429, 503].includes(request.status)) return again(item, Math.min(body.retry_after || 2, 60), text);
    return turn(item, [413, 415, 422].includes(request.status) ? "refused" : "failed", text);
  };

  const send = (item) => {
    const { place } = item;
    const request = new XMLHttpRequest();
    request.open("PUT", `${place.send}?${new URLSearchParams({ key: item.key, policy: item.how })}`);
    for (const [name, value] of Object.entries(headers(item, item.type || "application/octet-stream"))) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => {
      item.sent = Math.min(event.loaded, item.size);
      tell();
    };
    request.upload.onload = () => {
      item.sent = item.size;
      if (item.state === "sending") turn(item, "storing");
    };
    request.onload = () => answered(item, request);
    request.onerror = () => turn(item, "failed", "The connection broke. Nothing of a cut upload is kept.");
    request.onloadend = () => {
      sending -= 1;
      item.request = null;
      pump();
    };
    Object.assign(item, { request, started: performance.now() });
    sending += 1;
    turn(item, "sending");
    request.send(item.file);
  };

  const pump = () => {
    while (sending < AT_ONCE && waiting.length) {
      const item = waiting.shift();
      if (item.state === "waiting") send(item);
    }
    if (!sending && !waiting.length && [...items.values()].some((item) => item.state === "stored" && !item.listed)) {
      for (const item of items.values()) item.listed = true;
      refresh(true);
    }
  };

  // --- What the tray asks for -----------------------------------------------------------------------

  const acts = {
    cancel(item) {
      if (!LIVE.has(item.state) && !["name", "exists"].includes(item.state)) return;
      turn(item, "cancelled", item.state === "storing" ? "It was sent already and may have been stored." : "");
      item.request?.abort();
    },
    retry(item) {
      if (!["failed", "cancelled"].includes(item.state)) return null;
      item.listed = false;
      turn(item, "checking");
      return item;
    },
    accept(item) {
      if (item.state !== "name" || !item.suggestion) return;
      item.key = item.suggestion;
      if (!item.exists) enqueue(item, "new");
      else turn(item, "exists", "There is an object with this name already.");
    },
    answer(item, how) {
      if (item.state !== "exists") return;
      item.policy = how;
      if (how === "skip") turn(item, "skipped", "Left out: the name is taken.");
      else enqueue(item, how);
    },
    clear(item) {
      if (!LIVE.has(item.state) && !["name", "exists"].includes(item.state)) items.delete(item.id);
    },
  };

  document.addEventListener("uploads:do", ({ detail: { act, id, how } }) => {
    if (act === "answer" && !id) policy = how;
    const chosen = id ? [items.get(id)] : [...items.values()];
    check(chosen.filter(Boolean).map((item) => acts[act](item, how)).filter(Boolean));
    tell();
  });

  document.addEventListener("uploads:add", ({ detail: { files } }) => {
    const data = document.querySelector("[data-uploads]")?.dataset;
    if (!data) return;
    if (![...items.values()].some((item) => LIVE.has(item.state))) policy = "";
    const place = {
      plan: data.plan, send: data.send, csrf: data.csrf, limit: data.limit ? Number(data.limit) : null, types: data.types ? data.types.split(",").map((type) => type.trim()) : [],
    };
    const fresh = files.map(({ file, path }) => ({
      id: next++, file, place, path, key: `${data.path}${path}`, type: file?.type ?? "", size: file?.size ?? 0, sent: 0, state: "checking", message: "", policy: "", suggestion: "",
    }));
    for (const item of fresh) items.set(item.id, item);
    tell();
    check(fresh);
  });

  addEventListener("beforeunload", (event) => {
    if ([...items.values()].some((item) => LIVE.has(item.state))) event.preventDefault();
  });
})();
