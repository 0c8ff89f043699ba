// Copies the text of a button's data-copy, or of the element that data-copy-from names, and says what was copied
// (data-copied). Where the clipboard is closed to us, the text is selected instead.
(() => {
  "use strict";
  const say = (text, tone) => document.querySelector("notice-list").say(text, tone);

  const byField = (text, near) => {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    near.after(field);
    field.select();
    let copied = false;
    try {
      copied = document.execCommand("copy");
    } catch {
      copied = false;
    }
    field.remove();
    near.focus();
    return copied;
  };

  const byHand = (button) => {
    const shown = button.parentElement?.querySelector("code, input, textarea, pre");
    if (!shown) return;
    if (shown.select) shown.select();
    else getSelection().selectAllChildren(shown);
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy], [data-copy-from]");
    if (!button) return;
    const source = button.dataset.copyFrom ? document.getElementById(button.dataset.copyFrom) : null;
    const text = source ? (source.value ?? source.textContent) : button.dataset.copy;
    let copied = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copied = byField(text, button);
    }
    if (!copied) {
      byHand(button);
      say("The browser does not allow copying here: the text is selected instead.", "info");
      return;
    }
    button.dataset.done = "";
    setTimeout(() => delete button.dataset.done, 1500);
    say(button.dataset.copied ?? "Text copied", "good");
  });
})();
