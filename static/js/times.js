// Local time beside UTC: in the tip of a relative time (data-when), and in place of an exact one (data-exact).
// Relative times are kept true while the page is open.
(() => {
  "use strict";
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  const STEPS = [["second", 60], ["minute", 60], ["hour", 24], ["day", 30], ["month", 12], ["year", Infinity]];
  const utc = (moment) => `${moment.toISOString().slice(0, 19).replace("T", " ")} UTC`;

  const words = (moment) => {
    let amount = (moment - Date.now()) / 1000;
    if (Math.abs(amount) < 10) return amount <= 0 ? "just now" : "in a moment";
    for (const [unit, size] of STEPS) {
      if (Math.abs(amount) < size) return relative.format(amount > 0 ? Math.round(amount) : Math.trunc(amount), unit);
      amount /= size;
    }
    return "";
  };

  const both = (moment) => `${local.format(moment)}\n${utc(moment)}`;

  const tell = (root) => {
    for (const time of root.querySelectorAll?.("time[data-when]") ?? []) {
      const moment = new Date(time.dateTime);
      time.textContent = words(moment);
      time.dataset.tip = both(moment);
    }
    for (const time of root.querySelectorAll?.("time[data-exact]") ?? []) {
      const moment = new Date(time.dateTime);
      time.textContent = `${local.format(moment)} (${utc(moment).slice(11)})`;
    }
  };

  tell(document);
  document.addEventListener("htmx:load", (event) => tell(event.detail.elt));
  setInterval(() => document.hidden || tell(document), 30000);
})();
