// An exact end is meant in the person's own zone: the form is told which, and says so. Other links end in words of that zone, too.
(() => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

  const fill = () => {
    for (const field of document.querySelectorAll("input[data-zone]")) {
      field.value ||= zone;
      const end = field.form?.querySelector("input[type=datetime-local]");
      if (!end) continue;
      const soon = new Date(Date.now() + 24 * 3600 * 1000);
      end.value ||= new Date(soon.getTime() - soon.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
      const hint = document.getElementById(`${end.id}_helptext`);
      if (hint) hint.textContent = `In your zone, ${field.value}.`;
    }
  };

  document.addEventListener("htmx:afterSettle", fill);
  document.addEventListener("DOMContentLoaded", fill);
})();
