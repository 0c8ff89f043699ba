// <object-list>: the folders and objects of a bucket by mouse and keyboard: one row at a time is a tab stop, keys act on it or on the
// selection, all rows share one menu. It stays on the page inside <list-selection> while htmx replaces the lists in it.
// It uses methods of <list-selection>, <upload-picker>, <upload-pending> and <popup-menu>. Rows of files that are being uploaded have no box.
// Method: settle(): to be called after rows were put in or taken out.
(() => {
  "use strict";
  const ROW = "[data-rows] tbody > tr:not(.more)";

  const rowOf = (element) => element?.closest?.(ROW) ?? null;
  const linkOf = (row) => row?.querySelector("th a");
  const boxOf = (row) => row?.querySelector("input");
  const idOf = (row) => row.dataset.id ?? `${boxOf(row).name}\n${boxOf(row).value}`;
  const controlsOf = (row) => row.querySelectorAll("th a, input, td button");

  // Each control names its row, for those who hear it alone.
  const label = (row) => {
    const text = linkOf(row)?.textContent;
    if (!text || !boxOf(row)) return;
    for (const control of controlsOf(row)) {
      control.tabIndex = -1;
      if (control.hasAttribute("aria-label")) control.setAttribute("aria-label", `${control.getAttribute("aria-label")} ${text}`);
      else control.title = text;
    }
  };

  class ObjectList extends HTMLElement {
    #labelled = new WeakSet();
    // The row with the tab stop: its entry, and its place in case the entry is gone.
    #current = "";
    #place = 0;
    // The focus was in what is being replaced.
    #hadFocus = false;
    #menuRow = null;
    #listeners;

    connectedCallback() {
      this.#listeners = new AbortController();
      const { signal } = this.#listeners;
      document.addEventListener("keydown", (event) => this.#pressed(event), { signal });
      this.addEventListener("focusin", ({ target }) => this.#focused(rowOf(target)), { signal });
      this.addEventListener("click", (event) => this.#clicked(event), { signal });
      this.addEventListener("toggle", ({ target }) => this.#toggled(target), { signal, capture: true });
      this.addEventListener("htmx:beforeSwap", ({ detail }) => this.#replacing(detail.target), { signal });
      this.addEventListener("htmx:afterSettle", () => this.settle(), { signal });
      // The viewer leads back to the row of its file.
      const seen = new URLSearchParams(location.hash.slice(1)).get("at");
      this.#hadFocus = Boolean(seen);
      if (seen) this.#current = `key\n${seen}`;
      this.settle();
    }

    disconnectedCallback() {
      this.#listeners.abort();
    }

    get #browser() {
      return this.querySelector("#objects");
    }

    get #table() {
      return this.querySelector("[data-rows]");
    }

    get #menu() {
      return this.querySelector("popup-menu[data-row-menu]");
    }

    get #selection() {
      return this.closest("list-selection");
    }

    get #rows() {
      return [...this.querySelectorAll(ROW)].filter(linkOf);
    }

    // How many entries stand side by side: more than one in a grid.
    get #columns() {
      const rows = this.#rows;
      const below = rows.findIndex((row) => row.offsetTop !== rows[0].offsetTop);
      return below < 0 ? rows.length : below;
    }

    // New rows get their labels and roles: displayed as grids, they are no rows to some browsers. The stop stays with its entry or place.
    settle() {
      for (const body of this.#table?.tBodies ?? []) {
        if (this.#labelled.has(body)) continue;
        this.#labelled.add(body);
        body.setAttribute("role", "rowgroup");
        for (const row of body.rows) {
          for (const cell of row.cells) cell.setAttribute("role", cell.scope ? "rowheader" : "cell");
          row.setAttribute("role", "row");
          label(row);
        }
      }
      const row = this.#table?.querySelector("[data-stop]") ?? this.#newStop();
      const main = document.getElementById("main");
      if (this.#hadFocus && [document.body, main].includes(document.activeElement)) (linkOf(row) ?? main).focus();
      this.#hadFocus = false;
    }

    #newStop() {
      const rows = this.#rows;
      const row = rows.find((one) => idOf(one) === this.#current) ?? rows[Math.min(this.#place, rows.length - 1)];
      if (row) this.#stop(row);
      this.#place = Math.max(0, rows.indexOf(row));
      return row;
    }

    #stop(row) {
      const before = this.#table.querySelector("[data-stop]");
      if (before && before !== row) {
        before.removeAttribute("data-stop");
        for (const control of controlsOf(before)) control.tabIndex = -1;
      }
      row.setAttribute("data-stop", "");
      for (const control of controlsOf(row)) control.tabIndex = 0;
      this.#current = idOf(row);
    }

    #focused(row) {
      if (!linkOf(row)) return;
      this.#stop(row);
      this.#place = this.#rows.indexOf(row);
    }

    // The bar of a selection goes with what was chosen.
    #replacing(target) {
      const focused = document.activeElement;
      const part = target === this.#browser ? focused : (rowOf(focused) ?? focused?.closest("[data-selection] .selection"));
      this.#hadFocus ||= target.contains(part);
    }

    #clicked(event) {
      const { target } = event;
      if (event.defaultPrevented) return;
      const link = target.closest(`${ROW} > th > a`);
      const entry = target.closest("[data-row-menu] button");
      if (target.matches(".objects__picture")) {
        event.preventDefault();
        this.#view(rowOf(target), event);
      } else if (link?.href && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) {
        event.preventDefault();
        this.#open(link, event);
      } else if (target.closest("[data-more]")) this.#showMenu(rowOf(target));
      else if (entry && "rowOpen" in entry.dataset) this.#open(linkOf(this.#menuRow), event);
      else if (entry) this.#act(entry, this.#menuRow, event);
    }

    #open(link, event) {
      const isFolder = boxOf(rowOf(link))?.name === "folder";
      if (isFolder) this.#place = 0;
      const target = isFolder ? "#objects" : "#objects-details";
      htmx.ajax("GET", link.pathname + link.search, { event, source: link, target, swap: "outerHTML", push: "true" });
    }

    #showMenu(row) {
      if (!boxOf(row)) return;
      const menu = this.#menu;
      const address = boxOf(row).name === "key" ? "forKey" : "forFolder";
      this.#menuRow = row;
      menu.querySelector("[data-row-name]").textContent = linkOf(row).textContent;
      for (const entry of menu.querySelectorAll("[data-for-key], [data-for-folder]")) entry.hidden = !entry.dataset[address];
      menu.openFrom(row.querySelector("[data-more]"));
      menu.querySelector("[data-row-open]").focus();
    }

    #view(row, event) {
      this.#act(this.#menu.querySelector("[data-row-act=view]"), row, event);
    }

    #act(entry, row, event) {
      const box = boxOf(row);
      if (!box) return void (entry.dataset.rowAct === "delete" && document.querySelector("upload-pending").cancel(row));
      const address = entry.dataset[box.name === "key" ? "forKey" : "forFolder"];
      if (!address || entry.ariaDisabled) return;
      const whole = `${address}?${box.name}=${encodeURIComponent(box.value)}`;
      // The viewer goes on in the order of this list.
      if ("goes" in entry.dataset) location.assign(entry.dataset.goes ? `${whole}&${location.search.slice(1)}` : whole);
      else htmx.ajax("GET", whole, { event, source: linkOf(row), target: "#dialog" });
    }

    // On the selection, otherwise on the row that has the focus.
    #perform(name, event) {
      const entry = this.#menu?.querySelector(`[data-row-act="${name}"]`);
      const row = rowOf(document.activeElement);
      if (!this.#selection.act(name) && row && entry) this.#act(entry, row, event);
    }

    #walk(choose, isExtending) {
      const rows = this.#rows;
      if (!rows.length) return;
      const here = rowOf(document.activeElement);
      const row = here
        ? rows[Math.max(0, Math.min(rows.length - 1, choose(rows.indexOf(here), rows.length)))]
        : (rows.find((one) => idOf(one) === this.#current) ?? rows[0]);
      linkOf(row).focus();
      if (!isExtending || !boxOf(here) || !boxOf(row) || row === here) return;
      if (!boxOf(here).checked) this.#selection.toggle(boxOf(here));
      this.#selection.toggle(boxOf(boxOf(row).checked ? here : row));
    }

    #goUp() {
      const above = [...this.querySelectorAll("[data-steps] a")].at(-1);
      if (!above) return;
      this.#current = `folder\n${this.#browser.dataset.path}`;
      this.#place = 0;
      above.click();
      this.#hadFocus = true;
    }

    #typePath() {
      this.querySelector("[data-path-box]").open = true;
      document.getElementById("path-typed").select();
    }

    // A click on the path opens it, too.
    #toggled(box) {
      const field = document.getElementById("path-typed");
      if (box.open && "pathBox" in box.dataset && document.activeElement !== field) field.select();
    }

    // Keys of one character, which a person may have switched off.
    #anywhere = {
      j: () => this.#walk((place) => place + 1),
      k: () => this.#walk((place) => place - 1),
      u: () => document.querySelector("upload-picker").choose("pick-files"),
      p: () => this.#typePath(),
      m: (event) => this.#perform("move", event),
      c: (event) => this.#perform("copy", event),
      v: (event) => this.#perform("view", event),
    };
    #inList = {
      ArrowDown: ({ shiftKey }) => this.#walk((place) => place + this.#columns, shiftKey),
      ArrowUp: ({ shiftKey }) => this.#walk((place) => place - this.#columns, shiftKey),
      ArrowRight: ({ shiftKey }) => this.#walk((place) => place + 1, shiftKey),
      ArrowLeft: ({ shiftKey }) => this.#walk((place) => place - 1, shiftKey),
      Home: () => this.#walk(() => 0),
      End: () => this.#walk((_, length) => length - 1),
      Delete: (event) => this.#perform("delete", event),
      F2: (event) => this.#perform("rename", event),
      Backspace: () => this.#goUp(),
    };
    #onRow = {
      " ": ({ shiftKey }, row) => boxOf(row) && this.#selection.toggle(boxOf(row), shiftKey),
      ".": (_, row) => this.#showMenu(row),
    };

    #pressed(event) {
      if (!this.#browser || event.defaultPrevented || event.isComposing || document.querySelector("dialog[open], :popover-open")) return;
      if (event.key === "Escape") return this.#escape(event);
      if (event.key === "Enter" && event.shiftKey && event.target.matches("[data-search]")) return this.#searchBucket(event);
      const row = rowOf(event.target);
      const action = event.altKey ? null : this.#actionOf(event, row);
      if (!action) return;
      event.preventDefault();
      action(event, row);
    }

    #actionOf({ target, key, ctrlKey, metaKey }, row) {
      // From the filter down to what it found.
      if (key === "ArrowDown" && target.matches("[data-search]")) return this.#inList.Home;
      if (target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]")) return null;
      // The keys of the list go on where a dialog gave the focus back to a button of the bar, and from the box that selects all.
      const isFree = row || target === document.body || target.id === "main" || target.closest("[data-act], [data-select-all]");
      if (ctrlKey || metaKey) return key.toLowerCase() === "a" && isFree ? () => this.#selection.all() : null;
      const isOn = document.documentElement.dataset.singleKeys === "on";
      return (isOn && this.#anywhere[key]) || (isFree && this.#inList[key]) || (row && target === linkOf(row) && this.#onRow[key]);
    }

    // The text is kept, also what was typed since the list was fetched.
    #searchBucket(event) {
      const address = new URL(this.querySelector("[data-whole-bucket]").href);
      const text = event.target.value.replaceAll('"', "").trim();
      if (text) address.searchParams.set("q", `"${text}"`);
      event.preventDefault();
      location.assign(address);
    }

    #escape({ target }) {
      const box = this.querySelector("[data-path-box][open]");
      const filter = this.#browser.querySelector("[data-search]");
      if (box) {
        box.open = false;
        box.querySelector("summary").focus();
      } else if (document.querySelector("[data-panel-close]")) {
        return;
      } else if (target === filter && !filter.value) {
        this.#walk(() => 0);
      } else if (filter?.value && target !== filter) {
        filter.value = "";
        filter.form.requestSubmit();
      }
    }
  }

  customElements.define("object-list", ObjectList);
})();
