// <upload-session>: asks Pilothouse about files, and waits while the session is over: it says so, and finds out when the same person is
// signed in again, in another tab or by any other way. It stands inside <upload-queue>.
// Property: isOver.
// Methods: headers(place, type), ask(place, address, payload), ended(problem): whether an answer with this X-Problem says that the session
// is over, returned(place): resolves once that person is signed in again; every item has the new CSRF token then.
(() => {
  "use strict";
  const AGAIN_MS = 4000;
  const TRIES_MAX = 5;
  // Nobody is signed in, or somebody signed in since: the CSRF token is another one.
  const ENDED = ["SignedOut", "StaleForm"];

  const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const online = () => new Promise((resolve) => (navigator.onLine ? resolve() : addEventListener("online", resolve, { once: true })));

  class UploadSession extends HTMLElement {
    #back = null;
    #listeners;

    connectedCallback() {
      this.#listeners = new AbortController();
      // The answer to a refreshed list would be the sign-in page, and the queue would be lost.
      document.addEventListener("htmx:beforeOnLoad", (event) => {
        const { requestConfig, xhr } = event.detail;
        const [item] = this.#items;
        if (!item || xhr.getResponseHeader("X-Problem") !== "SignedOut" || requestConfig.triggeringEvent?.type !== "objects:changed") return;
        event.preventDefault();
        this.returned(item.place);
      }, { signal: this.#listeners.signal });
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    get isOver() {
      return this.#back !== null;
    }

    get #items() {
      return this.closest("upload-queue").items.values();
    }

    headers({ csrf }, type) {
      return { "X-CSRFToken": csrf, "Content-Type": type, Accept: "application/json" };
    }

    ended(problem) {
      return ENDED.includes(problem);
    }

    // One question about many files, repeated while the server is busy, the connection is lost or the session is over.
    async ask(place, address, payload) {
      for (let tries = 1; ; tries += 1) {
        let answer, body, isOver;
        try {
          await online();
          answer = await fetch(address, { method: "POST", headers: this.headers(place, "application/json"), body: JSON.stringify(payload) });
          isOver = this.ended(answer.headers.get("X-Problem"));
          body = isOver ? {} : await answer.json();
        } catch {
          if (!navigator.onLine) continue;
          throw new Error("Pilothouse did not answer. Check that you are still signed in.");
        }
        if (answer.ok) return body;
        if (!(isOver || [429, 503].includes(answer.status)) || tries > TRIES_MAX) {
          throw new Error([body.title ?? "Signed out.", body.text].filter(Boolean).join(" "));
        }
        await (isOver ? this.returned(place) : pause(Math.min(body.retry_after || 2, 60)));
      }
    }

    returned(place) {
      this.#back ??= this.#wait(place).finally(() => {
        this.#back = null;
        this.hidden = true;
      });
      return this.#back;
    }

    async #wait(place) {
      let csrf = await this.#token(place);
      for (; !csrf; csrf = await this.#token(place)) {
        this.hidden = false;
        await this.#rest();
      }
      for (const item of this.#items) item.place.csrf = csrf;
    }

    // It asks at once when the person comes back from the other tab.
    #rest() {
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, AGAIN_MS);
        addEventListener("focus", () => {
          clearTimeout(timer);
          resolve();
        }, { once: true, signal: this.#listeners.signal });
      });
    }

    // The upload page for browsers without script holds the token. Another person's session sends nothing of this one.
    async #token({ send, person }) {
      try {
        const answer = await fetch(send, { redirect: "manual" });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        return page.body.dataset.person === person ? page.querySelector("[name=csrfmiddlewaretoken]")?.value : "";
      } catch {
        return "";
      }
    }
  }

  customElements.define("upload-session", UploadSession);
})();
