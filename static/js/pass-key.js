// <pass-key challenge="address"> inside a form: its button [data-ask] asks the browser to make (with `create`) or prove a passkey, writes the answer
// into the form's field `credential` and sends the form. The challenge comes from the address as JSON.
(() => {
  "use strict";
  if (customElements.get("pass-key")) return;

  const UNABLE = "Passkeys need https or localhost, and a host name instead of an IP address.";
  const FAILED = "No passkey was used. Try again.";
  const KNOWN = "This device has a passkey of this account already.";

  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const opened = (list) => list?.map((one) => ({ ...one, id: bytes(one.id) }));

  const read = ({ publicKey: asked }) => ({
    ...asked,
    challenge: bytes(asked.challenge),
    ...(asked.user && { user: { ...asked.user, id: bytes(asked.user.id) } }),
    ...(asked.excludeCredentials && { excludeCredentials: opened(asked.excludeCredentials) }),
    ...(asked.allowCredentials && { allowCredentials: opened(asked.allowCredentials) }),
  });

  const write = ({ id, rawId, type, response }, extensions) => {
    const parts = {};
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (response[name]) parts[name] = text(response[name]);
    }
    return JSON.stringify({ id, rawId: text(rawId), type, response: parts, clientExtensionResults: extensions });
  };

  customElements.define("pass-key", class extends HTMLElement {
    connectedCallback() {
      const button = this.querySelector("[data-ask]");
      if (!window.PublicKeyCredential) {
        button.disabled = true;
        this.#say(UNABLE);
        return;
      }
      button.addEventListener("click", () => this.#ask(button));
    }

    #say(sentence) {
      const line = this.querySelector("[role=alert]");
      line.textContent = sentence;
      line.hidden = !sentence;
    }

    async #ask(button) {
      const form = this.closest("form");
      this.#say("");
      button.setAttribute("aria-busy", "true");
      try {
        const answer = await fetch(this.getAttribute("challenge"), { headers: { Accept: "application/json" } });
        if (!answer.ok) throw new Error(String(answer.status));
        const options = await answer.json();
        const publicKey = read(options.request_options ?? options);
        const found = await navigator.credentials[this.hasAttribute("create") ? "create" : "get"]({ publicKey });
        form.elements.credential.value = write(found, found.getClientExtensionResults());
        form.requestSubmit();
      } catch (error) {
        this.#say({ SecurityError: UNABLE, InvalidStateError: KNOWN }[error.name] ?? FAILED);
      } finally {
        button.removeAttribute("aria-busy");
      }
    }
  });
})();
