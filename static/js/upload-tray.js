// The upload tray but for its rows: totals, the plan with its policy, counters that filter, and what can be done with all.
(() => {
  "use strict";
  const groups = {
    different: ["different"], name: ["name"], same: ["same"], new: ["new"], failed: ["failed", "refused"],
    way: ["planning", "waiting", "sending", "storing"], out: ["skipped", "cancelled"], stored: ["stored", "checked"],
  };
  const show = { group: "", states: null, text: "" };
  let announced = "";
  let complete = false;

  const tray = () => document.querySelector("[data-upload-tray]");
  const part = (root, name) => root.querySelector(`[data-part="${name}"]`);
  const write = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const number = (value) => value.toLocaleString("en");
  const files = (value) => `${number(value)} ${value === 1 ? "file" : "files"}`;
  const count = (counts, states) => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);

  // How many of the files that wait would be sent, left out, or still have no answer.
  const answers = (desk) => {
    const sums = { send: 0, skip: 0, ask: 0 };
    for (const item of desk.items.values()) {
      if (!desk.PLANNED.includes(item.state)) continue;
      const how = desk.choose(item);
      sums[how === "skip" ? "skip" : how ? "send" : "ask"] += 1;
    }
    return sums;
  };

  const limits = (desk) => {
    const { limit, types, learnt } = [...desk.items.values()].at(-1).place;
    const bucket = [limit === null ? "any size" : `at most ${desk.amount(limit)} a file`, types.length ? `only ${types.join(", ")}` : "any type"];
    const service = learnt < Infinity ? `refused ${desk.amount(learnt)} as too large` : "may have a limit of its own, which it does not tell beforehand";
    return `The bucket takes ${bucket.join(", ")}. Pilothouse sets no limit. The service ${service}.`;
  };

  const plan = (root, desk, totals, sums) => {
    const { counts } = desk;
    const area = part(root, "plan");
    area.hidden = !totals.held || Boolean(counts.planning);
    if (area.hidden) return;
    const bits = [];
    if (sums.send) bits.push(`${number(sums.send)} to send`);
    if (sums.skip) bits.push(`${number(sums.skip)} to leave out`);
    if (sums.ask) bits.push(`${number(sums.ask)} to decide`);
    write(part(root, "sentence"), `Compared with the bucket: ${bits.join(", ")}. Nothing of these has been sent.`);
    write(part(root, "limits"), limits(desk));
    part(root, "taken").hidden = !count(counts, ["same", "different"]);
    part(root, "policy").value = desk.policy;
    part(root, "names").hidden = count(counts, ["name"]) < 2;
    const go = part(root, "go");
    go.disabled = !(sums.send + sums.skip);
    write(go, sums.send ? `Upload ${files(sums.send)}` : sums.skip ? `Leave out ${files(sums.skip)}` : "Nothing to upload yet");
  };

  const chips = (root, counts) => {
    let used = 0;
    for (const chip of root.querySelectorAll("[data-act=show]")) {
      const of = count(counts, groups[chip.dataset.how]);
      chip.hidden = !of && show.group !== chip.dataset.how;
      used += Number(!chip.hidden);
      chip.setAttribute("aria-pressed", String(show.group === chip.dataset.how));
      write(chip.lastElementChild, number(of));
    }
    part(root, "chips").hidden = used < 2 && !show.group;
  };

  const sums = (root, desk, totals) => {
    const { counts, amount } = desk;
    const waits = totals.held && desk.choose ? answers(desk) : { send: 0, skip: 0, ask: 0 };
    const failed = count(counts, groups.failed);
    const begun = totals.stored || totals.sent || (totals.busy && !counts.planning);
    const so = [`${number(totals.stored)} of ${number(totals.files)} stored`, `${amount(totals.sent)} of ${amount(totals.size)} sent`];
    const bits = totals.files ? (begun || !totals.held ? so : [files(totals.files), amount(totals.size)]) : [];
    if (counts.checked) bits.push(`${number(counts.checked)} checked`);
    if (totals.busy && totals.speed) bits.push(`${amount(Math.round(totals.speed))}/s`);
    if (counts.planning) bits.push(`${number(counts.planning)} to compare`);
    else if (waits.ask) bits.push(`${number(waits.ask)} to decide`);
    if (counts.skipped) bits.push(`${number(counts.skipped)} left out`);
    if (counts.cancelled) bits.push(`${number(counts.cancelled)} cancelled`);
    if (failed) bits.push(`${number(failed)} not uploaded`);
    write(part(root, "total"), bits.join(" · "));
    write(part(root, "title"), totals.busy && !navigator.onLine ? "Waiting for the connection" : counts.planning ? "Comparing with the bucket" : totals.busy ? "Uploading" : totals.held ? "Plan of the upload" : "Uploads");
    const bar = part(root, "total-bar");
    bar.hidden = !totals.files;
    bar.max = Math.max(totals.size, 1);
    bar.value = totals.size ? Math.min(totals.sent, totals.size) : Number(!totals.busy && !totals.held);
    plan(root, desk, totals, waits);
    chips(root, counts);
    part(root, "cancel-all").hidden = !totals.busy && !totals.held;
    part(root, "retry-all").hidden = !counts.failed;
    write(part(root, "retry-all"), `Retry ${files(counts.failed ?? 0)} that failed`);
    part(root, "clear-all").hidden = totals.busy || totals.held > 0;
    part(root, "find").hidden = desk.items.size < 25;
    part(root, "find-all").hidden = part(root, "find").hidden && [...root.querySelectorAll(".tray__all > button")].every((button) => button.hidden);
    // Once everything is stored there is nothing to look after, and what the tray covers can be used again.
    const now = totals.files > 0 && totals.stored === totals.files && !failed;
    if (now !== complete) root.querySelector("details").open = !(complete = now);
    const rest = failed ? `, ${failed} not uploaded` : "";
    const ended = `Uploads ended: ${bits[0] ?? "nothing stored"}${rest}.`;
    const news = totals.busy ? "" : totals.held ? "The plan of the upload is ready." : ended;
    if (news !== announced) write(part(root, "news"), (announced = news));
  };

  document.addEventListener("uploads:state", ({ detail: { desk, totals } }) => {
    const root = tray();
    if (!root) return;
    root.hidden = !desk.items.size;
    document.documentElement.toggleAttribute("data-uploads-open", Boolean(desk.items.size));
    if (root.hidden) Object.assign(show, { group: "", states: null });
    sums(root, desk, totals);
    document.dispatchEvent(new CustomEvent("uploads:rows", { detail: { root, desk, show } }));
  });

  const press = (detail) => document.dispatchEvent(new CustomEvent("uploads:do", { detail }));

  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-upload-tray] button[data-act]");
    if (!button) return;
    const { act, how, id } = button.dataset;
    if (act === "show") {
      show.group = show.group === how ? "" : how;
      show.states = groups[show.group] ?? null;
    }
    press({ act, how, id: id ? Number(id) : 0 });
  });
  document.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLSelectElement && target.dataset.part === "policy") press({ act: "policy", how: target.value });
  });
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset.part !== "find") return;
    show.text = target.value.trim().toLowerCase();
    press({ act: "find" });
  });
})();
