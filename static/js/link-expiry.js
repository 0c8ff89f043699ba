// A share link expires in the time zone of the person: the form sends the zone (data-zone) and shows it beside an exact time.
(() => {
  "use strict";
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

  const fill = () => {
    for (const field of document.querySelectorAll("input[data-zone]")) {
      field.value ||= zone;
      const time = field.form?.querySelector("input[type=datetime-local]");
      if (!time) continue;
      const tomorrow = new Date(Date.now() + 24 * 3600 * 1000);
      time.value ||= new Date(tomorrow.getTime() - tomorrow.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
      const hint = document.getElementById(`${time.id}_helptext`);
      if (hint) hint.textContent = `Your time zone: ${field.value}.`;
    }
  };

  document.addEventListener("htmx:afterSettle", fill);
  document.addEventListener("DOMContentLoaded", fill);
})();
