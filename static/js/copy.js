// A button with data-copy (a text) or data-copy-from (the id of an element) copies, and confirms it with data-copied. Where the browser
// refuses, the text is selected instead.
(() => {
  "use strict";
  const DONE_MS = 1500;
  const say = (text, tone) => document.querySelector("notice-list").say(text, tone);

  // Without https there is no clipboard API, only a command for what is selected.
  const copyByCommand = (text, button) => {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    button.after(field);
    field.select();
    let isCopied = false;
    try {
      isCopied = document.execCommand("copy");
    } catch {
      isCopied = false;
    }
    field.remove();
    button.focus();
    return isCopied;
  };

  const select = (element) => {
    if (element?.select) element.select();
    else if (element) getSelection().selectAllChildren(element);
  };

  document.addEventListener("click", async ({ target }) => {
    const button = target.closest?.("[data-copy], [data-copy-from]");
    if (!button) return;
    const source = button.dataset.copyFrom ? document.getElementById(button.dataset.copyFrom) : null;
    const text = source ? (source.value ?? source.textContent) : button.dataset.copy;
    let isCopied = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      isCopied = copyByCommand(text, button);
    }
    if (!isCopied) {
      select(button.parentElement?.querySelector("code, input, textarea, pre"));
      say("Your browser doesn't allow copying here. The text is selected instead.", "info");
      return;
    }
    button.dataset.done = "";
    setTimeout(() => delete button.dataset.done, DONE_MS);
    say(button.dataset.copied ?? "Copied", "good");
  });
})();
