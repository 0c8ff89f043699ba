// The one dialog: opens when htmx has filled it, closes on the server's event dialog:close or by a button with data-dialog-close, and
// gives the focus back to what opened it. Back closes it. A form with data-must-be waits for the typed name; the server compares it again.
(() => {
  "use strict";
  const dialog = document.querySelector("[data-dialog]");
  const content = document.getElementById("dialog");
  if (!dialog || !content) return;
  const FIELD = "form :is(input:not([type=hidden], [type=radio]:not(:checked)), select, textarea)";
  let opener = null;
  let before = null;
  // The close event comes after htmx:afterSettle: between dialog:close and it, the content must not open the dialog again.
  let isClosing = false;
  // The history has one entry more once a dialog was opened, for Back to close it. It stays, for the next one; Back goes past it.
  let isAtEntry = history.state?.dialog === true;

  const compareTyped = () => {
    const field = content.querySelector("[data-must-be]");
    const button = field?.form.querySelector("button[type=submit]");
    if (button) button.disabled = field.value !== field.dataset.mustBe;
  };

  const invalid = () => content.querySelector("[aria-invalid=true]:not(:disabled)") ?? content.querySelector("[role=alert][tabindex]");
  const first = () => content.querySelector("[data-focus]") ?? content.querySelector(FIELD);

  const action = () => content.querySelector(".dialog__inner > :not(.dialog__head) :is(button, a)");

  // The form was sent and the answer is no verdict on its fields, so former errors don't apply any more.
  const clearErrors = () => {
    for (const error of content.querySelectorAll("form :is(.field__error, [role=alert])")) error.remove();
    for (const field of content.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  };

  // The outcome is being checked, as the alert says: the same must not be sent again.
  const waitForOutcome = (form) => {
    for (const button of form.querySelectorAll("button[type=submit]")) {
      button.disabled = true;
      button.classList.remove("button--primary", "button--danger");
    }
  };

  // A post from the page may open the dialog: the server must know that no form in it can show an alert.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.target === content && !dialog.open) detail.headers["X-Dialog"] = "closed";
  });

  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.target !== content || dialog.open) return;
    // Pressed by a keyboard shortcut: the focus was elsewhere, and goes back there.
    const isShortcut = detail.requestConfig?.triggeringEvent?.isTrusted === false && document.activeElement !== document.body;
    opener = isShortcut ? document.activeElement : detail.elt;
  });

  document.addEventListener("htmx:afterSettle", ({ detail: { target, requestConfig } }) => {
    if (!content.contains(target)) return;
    compareTyped();
    if (isClosing || !content.firstElementChild) return;
    const isOpening = !dialog.open;
    if (isOpening) {
      opener ??= requestConfig?.elt ?? null;
      before = document.activeElement;
      dialog.showModal();
      if (!isAtEntry) history.pushState({ dialog: true }, "");
      isAtEntry = true;
    }
    const hasFailed = target.id === "dialog-alert" && requestConfig?.elt.matches("form");
    if (hasFailed) clearErrors();
    if (hasFailed && target.querySelector("[data-in-doubt]")) waitForOutcome(requestConfig.elt);
    const isLost = document.activeElement === document.body;
    const next = hasFailed ? target : invalid() ?? (isOpening || isLost ? first() ?? (isLost ? action() : null) : null);
    next?.focus();
    // In a file name, the part before the extension.
    if (next?.dataset.select) next.setSelectionRange(0, Number(next.dataset.select));
  });

  document.addEventListener("input", ({ target }) => {
    if (target.matches?.("[data-must-be]") && content.contains(target)) compareTyped();
  });

  document.addEventListener("click", ({ target }) => {
    if (target.closest?.("[data-dialog-close]") && dialog.contains(target)) dialog.close();
  });
  // The answer to something pressed on the page closes no dialog that another control opened.
  document.addEventListener("dialog:close", ({ target }) => {
    if (!content.contains(target)) return;
    isClosing = dialog.open;
    dialog.close();
  });

  // Before htmx, which would restore the page: it hasn't changed.
  addEventListener(
    "popstate",
    (event) => {
      const isForward = event.state?.dialog === true;
      if (!isForward && !isAtEntry) return;
      event.stopImmediatePropagation();
      isAtEntry = isForward;
      if (isForward) return;
      if (!dialog.open) history.back();
      else if (dialog.dispatchEvent(new Event("cancel", { cancelable: true }))) dialog.close();
      else {
        history.pushState({ dialog: true }, "");
        isAtEntry = true;
      }
    },
    { capture: true },
  );
  for (const name of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) document.addEventListener(name, () => (isAtEntry = false));

  dialog.addEventListener("close", () => {
    isClosing = false;
    // What it still reads comes too late: it would open it again, or fill the next one. A write goes on.
    for (const reading of content.querySelectorAll(".htmx-request:not([hx-post])")) htmx.trigger(reading, "htmx:abort");
    content.replaceChildren();
    const back = opener?.isConnected ? opener : document.getElementById("main");
    opener = null;
    // The event comes late: a key pressed since the dialog closed may have moved the focus already.
    if (![before, document.body].includes(document.activeElement)) return;
    // An entry of a menu is hidden by now: the button of the menu takes the focus.
    const menu = back?.closest?.("[popover]");
    (menu ? document.querySelector(`[popovertarget="${menu.id}"]`) : back)?.focus();
  });
})();
