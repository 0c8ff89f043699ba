// <send-queue>: sends files in their order, a few at a time, each as the raw body of a PUT. The element around it has the files, and a property
// `sends` with what is asked of it and told to it: request(item): address, headers and file, or nothing to leave it out; began(item),
// progressed(item, bytes), answered(item, request), lost(item); and if it likes mayBegin(), sent(item): all of it, idle(): nothing is left.
// Attribute: data-at-once (how many). Property: underWay (the items being sent, with their requests).
// Methods: add(item), again(item): before all others, abort(item), begin(), rest(seconds): nothing begins for so long, amount(bytes),
// admits(patterns, file): whether its name or type matches one of them; a file of unknown type matches all types.
(() => {
  "use strict";
  const UNITS = ["bytes", "KB", "MB", "GB", "TB", "PB"];

  const matches = (pattern, { name, type }) => {
    if (pattern.startsWith(".")) return name.toLowerCase().endsWith(pattern);
    return !type || type === pattern || (pattern.endsWith("/*") && type.startsWith(pattern.slice(0, -1)));
  };

  class SendQueue extends HTMLElement {
    underWay = new Map();
    #waiting = [];
    #restsUntil = 0;

    get #owner() {
      return this.parentElement.sends;
    }

    add(item) {
      this.#waiting.push(item);
      this.begin();
    }

    // An item whose request ends just now begins again after that.
    again(item) {
      this.#waiting.unshift(item);
      if (!this.underWay.has(item)) this.begin();
    }

    abort(item) {
      this.underWay.get(item)?.abort();
    }

    begin() {
      const mayBegin = performance.now() >= this.#restsUntil && (this.#owner.mayBegin?.() ?? true);
      while (mayBegin && this.underWay.size < Number(this.dataset.atOnce) && this.#waiting.length) {
        const item = this.#waiting.shift();
        const request = !this.underWay.has(item) && this.#owner.request(item);
        if (request) this.#put(item, request);
      }
      if (!this.underWay.size && !this.#waiting.length) this.#owner.idle?.();
    }

    rest(seconds) {
      this.#restsUntil = performance.now() + seconds * 1000;
      setTimeout(() => this.begin(), seconds * 1000 + 1);
    }

    amount(bytes) {
      let unit = 0;
      let left = bytes;
      while (left >= 999.95 && unit < UNITS.length - 1) [left, unit] = [left / 1000, unit + 1];
      return left === 1 && !unit ? "1 byte" : `${unit ? left.toFixed(1) : left} ${UNITS[unit]}`;
    }

    admits(patterns, file) {
      return !patterns.length || patterns.some((pattern) => matches(pattern, file));
    }

    #put(item, { address, headers, file }) {
      const request = new XMLHttpRequest();
      request.open("PUT", address);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded }) => this.#owner.progressed(item, loaded);
      request.upload.onload = () => this.#owner.sent?.(item);
      request.onload = () => this.#owner.answered(item, request);
      request.onerror = () => this.#owner.lost(item);
      request.onloadend = () => {
        this.underWay.delete(item);
        this.begin();
      };
      this.underWay.set(item, request);
      this.#owner.began(item);
      request.send(file);
    }
  }

  customElements.define("send-queue", SendQueue);
})();
