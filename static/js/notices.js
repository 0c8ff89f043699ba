// Notices: success goes after five seconds, ten where there is something to press (not while it is pointed at or focused), errors stay, equal ones merge with a
// number, at most three are shown. While the dialog is open they stand inside it, else they would be out of reach.
// Other scripts send "notice:say" to the document: { text, tone: "good" | "danger" | "info" }.
(() => {
  "use strict";
  const region = document.querySelector("[data-notices]");
  if (!region) return;
  const dialog = document.querySelector("[data-dialog]");
  const LIFE = 5000;
  const MOST = 3;

  const textOf = (notice) => notice.querySelector(".notice__text").textContent.trim();

  const live = (notice) => {
    if (notice.matches(".notice--danger")) return;
    const leave = () => (notice.matches(":hover, :focus-within") ? setTimeout(leave, 1000) : notice.remove());
    setTimeout(leave, notice.querySelector(".notice__text a") ? 2 * LIFE : LIFE);
  };

  const tidy = () => {
    for (const notice of region.querySelectorAll("[data-notice]:not([data-seen])")) {
      notice.dataset.seen = "1";
      const twin = [...region.querySelectorAll("[data-notice]")].find((other) => other !== notice && other.dataset.notice === notice.dataset.notice && textOf(other) === textOf(notice));
      if (twin) {
        notice.dataset.seen = String(Number(twin.dataset.seen || 1) + 1);
        notice.querySelector("[data-times]").textContent = `× ${notice.dataset.seen}`;
        twin.remove();
      }
      live(notice);
    }
    const shown = [...region.querySelectorAll("[data-notice]")];
    const leaving = [...shown.filter((notice) => !notice.matches(".notice--danger")), ...shown.filter((notice) => notice.matches(".notice--danger"))];
    leaving.slice(0, Math.max(0, shown.length - MOST)).forEach((notice) => notice.remove());
  };

  const say = ({ text, tone = "good" }) => {
    const template = document.querySelector(`template[data-notice-of="${tone}"]`) ?? document.querySelector("template[data-notice-of=info]");
    const notice = template?.content.firstElementChild.cloneNode(true);
    if (!notice) return;
    notice.querySelector(".notice__text").textContent = text;
    region.append(notice);
  };

  new MutationObserver(tidy).observe(region, { childList: true });
  document.addEventListener("notice:say", (event) => say(event.detail));
  region.addEventListener("click", (event) => event.target.closest("[data-notice-close]")?.closest("[data-notice]").remove());

  if (dialog) {
    new MutationObserver(() => (dialog.open ? dialog : document.body).append(region)).observe(dialog, { attributeFilter: ["open"] });
  }

  const lost = () => say({ text: "Pilothouse could not be reached. Nothing was confirmed; try again when the connection is back.", tone: "danger" });
  document.addEventListener("htmx:sendError", lost);
  document.addEventListener("htmx:timeout", lost);
  tidy();
})();
