// How the upload scripts ask the server: many files in one question, patient with a full house and with a lost connection.
(() => {
  "use strict";
  const TRIES = 5;

  const headers = (place, type) => ({ "X-CSRFToken": place.csrf, "Content-Type": type, Accept: "application/json" });
  const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const words = (body) => [body.title, body.text].filter(Boolean).join(" ");
  const online = () => new Promise((resolve) => (navigator.onLine ? resolve() : addEventListener("online", resolve, { once: true })));

  // Who signs in anew gets a new token for forms; the page for those without script has one.
  const renew = async (place, items) => {
    const text = await (await fetch(place.send)).text();
    const csrf = new DOMParser().parseFromString(text, "text/html").querySelector("[name=csrfmiddlewaretoken]")?.value;
    if (csrf) for (const item of items.values()) item.place.csrf = csrf;
  };

  document.addEventListener("uploads:open", ({ detail: { desk } }) => {
    const ask = async (place, address, payload) => {
      const post = () => fetch(address, { method: "POST", headers: headers(place, "application/json"), body: JSON.stringify(payload) });
      for (let tries = 1; ; tries += 1) {
        let answer, body;
        try {
          await online();
          answer = await post();
          if (answer.status === 403) answer = await renew(place, desk.items).then(post);
          body = await answer.json();
        } catch {
          if (!navigator.onLine) continue;
          throw new Error("Pilothouse did not answer. Are you still signed in?");
        }
        desk.out = answer.status === 401;
        if (answer.ok) return body;
        if (![429, 503].includes(answer.status) || tries > TRIES) throw new Error(words(body));
        await pause(Math.min(body.retry_after || 2, 60));
      }
    };
    Object.assign(desk, { ask, headers, words });
  });
})();
