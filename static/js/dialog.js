// The one dialog: opens when htmx has filled it, closes on the event dialog:close or a [data-dialog-close] button, and
// gives focus back to what opened it. A form with data-must-be waits for the typed name (a courtesy: the server compares).
(() => {
  "use strict";
  const dialog = document.querySelector("[data-dialog]");
  const place = document.getElementById("dialog");
  if (!dialog || !place) return;
  let opener = null;
  // From dialog:close to the close event, which comes later than htmx:afterSettle: what still stands in it is not to be shown again.
  let leaving = false;

  const courtesy = () => {
    const field = place.querySelector("[data-must-be]");
    const button = field?.form.querySelector("button[type=submit]");
    if (button) button.disabled = field.value !== field.dataset.mustBe;
  };

  const refused = () => place.querySelector("[aria-invalid=true]:not(:disabled)") ?? place.querySelector("[role=alert][tabindex]");

  // The form went out as it stands, and what came back says nothing of it: what was wrong with it before is no longer so.
  const forget = () => {
    for (const words of place.querySelectorAll("form :is(.field__error, [role=alert])")) words.remove();
    for (const field of place.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  };

  const first = () => place.querySelector("[data-focus]") ?? place.querySelector("form :is(input:not([type=hidden], [type=radio]:not(:checked)), select, textarea)");

  // A post from the page opens the dialog, too: the server must know that no form of it waits for an alert.
  document.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.target === place && !dialog.open) event.detail.headers["X-Dialog"] = "closed";
  });

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.target !== place || dialog.open) return;
    // A key pressed the element by script: the focus stood elsewhere, and goes back there.
    const byKey = event.detail.requestConfig?.triggeringEvent?.isTrusted === false && document.activeElement !== document.body;
    opener = byKey ? document.activeElement : event.detail.elt;
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target !== place && !place.contains(event.detail.target)) return;
    courtesy();
    if (leaving || !place.firstElementChild) return;
    const opening = !dialog.open;
    if (opening) {
      opener ??= event.detail.requestConfig?.elt ?? null;
      dialog.showModal();
    }
    const broken = event.detail.target.id === "dialog-alert" && event.detail.requestConfig?.elt.matches("form");
    if (broken) forget();
    const there = broken ? event.detail.target : refused() ?? (opening ? first() : null);
    there?.focus();
    // A name to be changed: what stands before its ending.
    if (there?.dataset.select) there.setSelectionRange(0, Number(there.dataset.select));
  });

  document.addEventListener("input", (event) => {
    if (event.target.matches?.("[data-must-be]") && place.contains(event.target)) courtesy();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest?.("[data-dialog-close]") && dialog.contains(event.target)) dialog.close();
  });
  document.addEventListener("dialog:close", () => {
    leaving = dialog.open;
    dialog.close();
  });

  dialog.addEventListener("close", () => {
    leaving = false;
    place.replaceChildren();
    const back = opener?.isConnected ? opener : document.getElementById("main");
    opener = null;
    // A menu's entry is hidden again by now: its button takes the focus.
    const menu = back?.closest?.("[popover]");
    (menu ? document.querySelector(`[popovertarget="${menu.id}"]`) : back)?.focus();
  });
})();
