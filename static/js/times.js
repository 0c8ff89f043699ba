// Shows local time beside UTC: in the tooltip of a relative time (data-when) and in place of an exact one (data-exact; of "clock" the
// time of day alone, without UTC), written like the dates of the server: 23 Nov 2026, 14:02:10. Relative times are updated every 30 s;
// what was a while ago on the day before reads "yesterday 14:02". Seconds until something (data-in) are counted down. A cookie names the time zone to the server.
(() => {
  "use strict";
  const dated = (timeZone) => {
    const date = new Intl.DateTimeFormat("en", { timeZone, day: "numeric", month: "short", year: "numeric" });
    const clock = new Intl.DateTimeFormat("en", { timeZone, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
    return (moment) => {
      const of = Object.fromEntries(date.formatToParts(moment).map(({ type, value }) => [type, value]));
      return [`${of.day} ${of.month} ${of.year}`, clock.format(moment)];
    };
  };
  const [local, utc] = [dated(), dated("UTC")];
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  const YESTERDAY_AFTER_SECONDS = 6 * 3600;
  const STEPS = [["second", 60], ["minute", 60], ["hour", 24], ["day", 30], ["month", 12], ["year", Infinity]];

  const isYesterday = (moment) => {
    const day = new Date();
    day.setDate(day.getDate() - 1);
    return local(moment)[0] === local(day)[0];
  };

  const ago = (moment) => {
    let amount = (moment - Date.now()) / 1000;
    if (amount < -YESTERDAY_AFTER_SECONDS && isYesterday(moment)) return `yesterday ${local(moment)[1].slice(0, 5)}`;
    if (Math.abs(amount) < 10) return amount <= 0 ? "just now" : "in a moment";
    for (const [unit, size] of STEPS) {
      if (Math.abs(amount) < size) return relative.format(amount > 0 ? Math.round(amount) : Math.trunc(amount), unit);
      amount /= size;
    }
    return "";
  };

  const both = (moment) => `${local(moment).join(", ")}\n${utc(moment).join(", ")} UTC`;

  const ends = new WeakMap();
  const count = (root) => {
    for (const time of root.querySelectorAll?.("time[data-in]") ?? []) {
      if (!ends.has(time)) ends.set(time, performance.now() + Number(time.dataset.in) * 1000);
      const left = Math.ceil((ends.get(time) - performance.now()) / 1000);
      const words = left > 0 ? `in ${left} s` : "now";
      if (time.textContent !== words) time.textContent = words;
    }
  };

  const update = (root) => {
    count(root);
    for (const time of root.querySelectorAll?.("time[data-when]") ?? []) {
      const moment = new Date(time.dateTime);
      time.textContent = ago(moment);
      time.dataset.tip = both(moment);
    }
    for (const time of root.querySelectorAll?.("time[data-exact]") ?? []) {
      const moment = new Date(time.dateTime);
      const [date, clock] = local(moment);
      const beside = moment.getTimezoneOffset() ? ` (${utc(moment)[1]}\u00a0UTC)` : "\u00a0UTC";
      time.textContent = time.dataset.exact === "clock" ? clock : `${date}, ${clock}${beside}`;
    }
  };

  // The server's days begin when the reader's do.
  document.cookie = `pilothouse_zone=${new Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/; max-age=31536000; samesite=lax`;

  update(document);
  document.addEventListener("htmx:load", (event) => update(event.detail.elt));
  setInterval(() => document.hidden || update(document), 30000);
  setInterval(() => count(document), 1000);
})();
