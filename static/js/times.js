// Shows local time beside UTC: in the tooltip of a relative time (data-when) and in place of an exact one (data-exact). Relative times
// are updated every 30 seconds.
(() => {
  "use strict";
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  const STEPS = [["second", 60], ["minute", 60], ["hour", 24], ["day", 30], ["month", 12], ["year", Infinity]];
  const utc = (moment) => `${moment.toISOString().slice(0, 19).replace("T", " ")} UTC`;

  const ago = (moment) => {
    let amount = (moment - Date.now()) / 1000;
    if (Math.abs(amount) < 10) return amount <= 0 ? "just now" : "in a moment";
    for (const [unit, size] of STEPS) {
      if (Math.abs(amount) < size) return relative.format(amount > 0 ? Math.round(amount) : Math.trunc(amount), unit);
      amount /= size;
    }
    return "";
  };

  const both = (moment) => `${local.format(moment)}\n${utc(moment)}`;

  const update = (root) => {
    for (const time of root.querySelectorAll?.("time[data-when]") ?? []) {
      const moment = new Date(time.dateTime);
      time.textContent = ago(moment);
      time.dataset.tip = both(moment);
    }
    for (const time of root.querySelectorAll?.("time[data-exact]") ?? []) {
      const moment = new Date(time.dateTime);
      time.textContent = `${local.format(moment)} (${utc(moment).slice(11)})`;
    }
  };

  update(document);
  document.addEventListener("htmx:load", (event) => update(event.detail.elt));
  setInterval(() => document.hidden || update(document), 30000);
})();
