// <kept-text>: keeps what is typed in its form in this browser until the form was accepted or the person signs out, and restores it after
// a click elsewhere, a reload or the end of the session. Text fields and lists are kept, and hidden fields with data-keep. Secrets are
// not (data-secret, data-unkept): leaving the page or the dialog asks first.
// Attributes: key (of person and form; without it nothing is kept), bound (the form was refused and shows what was posted).
// Mark inside: data-kept-discard, a button. The server names accepted keys in a cookie.
(() => {
  "use strict";
  const PREFIX = "kept:";
  const DAYS_MAX = 30;
  const COOKIE = /(?:^|; )((?:__Host-|pilothouse_)accepted)=([^;]*)/;
  const LEAVE = "Leave without saving? The secret you typed isn't kept.";
  const KEPT = "textarea, select, input:is([type=text], [type=search], [type=url], [type=email], [type=number], [data-keep])";
  const SECRET = "[data-secret], [data-unkept]";

  // Where the browser blocks storage, nothing is kept.
  const stored = (act) => {
    try {
      return act(localStorage);
    } catch {
      return null;
    }
  };

  const forgetAccepted = () => {
    const [, name, keys] = COOKIE.exec(document.cookie) ?? [];
    const isOver = (key, text) => keys === "all" || keys?.split(".").includes(key) || !(JSON.parse(text).at > Date.now() - DAYS_MAX * 864e5);
    if (name) document.cookie = `${name}=; path=/; max-age=0; samesite=lax${name.startsWith("__Host-") ? "; secure" : ""}`;
    return stored((store) => {
      for (const [key, text] of Object.entries(store)) {
        if (key.startsWith(PREFIX) && isOver(key.slice(PREFIX.length), text)) store.removeItem(key);
      }
    });
  };

  const changed = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));
  const valueOf = (field) => (field.matches("select") ? [...field.options].find((one) => one.defaultSelected)?.value ?? field.value : field.defaultValue);

  class KeptText extends HTMLElement {
    #listeners;
    #isSent = false;
    #first = {};

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      const form = this.#form;
      const dialog = this.closest("dialog");
      forgetAccepted();
      for (const field of this.#fields) this.#first[field.name] = field.type === "hidden" ? field.value : valueOf(field);
      form.addEventListener("input", ({ target }) => target.matches(KEPT) && this.#keep(), { signal });
      form.addEventListener("submit", () => (this.#isSent = true), { signal });
      this.addEventListener("click", ({ target }) => target.closest("[data-kept-discard]") && this.#discard(), { signal });
      // A form that htmx sent may lead to another page.
      form.addEventListener("htmx:beforeOnLoad", ({ detail }) => (this.#isSent ||= Boolean(detail.xhr.getResponseHeader("HX-Redirect"))), { signal });
      form.addEventListener("htmx:afterRequest", ({ detail }) => (this.#isSent &&= detail.successful), { signal });
      addEventListener("beforeunload", (event) => this.#isUnsaved && event.preventDefault(), { signal });
      dialog?.addEventListener("cancel", (event) => this.#isUnsaved && !confirm(LEAVE) && event.preventDefault(), { signal });
      dialog?.addEventListener("click", (event) => {
        if (!event.target.closest("[data-dialog-close]") || !this.#isUnsaved || confirm(LEAVE)) return;
        event.preventDefault();
        event.stopImmediatePropagation();
      }, { signal, capture: true });
      // Somebody may have typed before this script came.
      if (this.hasAttribute("bound") || this.#isTyped) this.#keep();
      else this.#restore();
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    get #form() {
      return this.closest("form");
    }

    get #fields() {
      return [...this.#form.elements].filter((field) => field.name && field.matches(KEPT) && !field.matches(`${SECRET}, [readonly], [data-must-be]`));
    }

    get #isTyped() {
      return this.#fields.some((field) => field.value !== this.#first[field.name]);
    }

    get #isUnsaved() {
      return !this.#isSent && [...this.#form.querySelectorAll(SECRET)].some((field) => field.value !== field.defaultValue);
    }

    get #key() {
      return this.getAttribute("key") && PREFIX + this.getAttribute("key");
    }

    // At once and not on leaving: after a sign-out nothing may be written any more.
    #keep() {
      if (!this.#key) return;
      const fields = Object.fromEntries(this.#fields.map((field) => [field.name, field.value]));
      const isKept = this.hasAttribute("bound") || this.#isTyped;
      stored((store) => (isKept ? store.setItem(this.#key, JSON.stringify({ at: Date.now(), fields })) : store.removeItem(this.#key)));
    }

    #restore() {
      const text = this.#key && stored((store) => store.getItem(this.#key));
      if (!text) return;
      const { at, fields } = JSON.parse(text);
      const differing = this.#fields.filter((field) => typeof fields[field.name] === "string" && field.value !== fields[field.name]);
      if (!differing.some((field) => field.type !== "hidden")) {
        stored((store) => store.removeItem(this.#key));
        return;
      }
      for (const field of differing) field.value = fields[field.name];
      for (const field of differing) changed(field);
      stored((store) => store.setItem(this.#key, text));
      const day = new Date(at).toDateString() === new Date().toDateString() ? {} : { day: "numeric", month: "short" };
      const time = this.querySelector("time");
      time.dateTime = new Date(at).toISOString();
      time.textContent = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", ...day }).format(at);
      this.hidden = false;
    }

    #discard() {
      stored((store) => store.removeItem(this.#key));
      for (const field of this.#fields) {
        if (field.value === this.#first[field.name]) continue;
        field.value = this.#first[field.name];
        changed(field);
      }
      this.hidden = true;
      this.#fields.find((field) => field.type !== "hidden")?.focus();
    }
  }

  if (!customElements.get("kept-text")) customElements.define("kept-text", KeptText);
})();
