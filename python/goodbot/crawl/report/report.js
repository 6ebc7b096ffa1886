/* The script of a report: tables of many rows that can be sorted, searched and filtered.

   The page is whole without it. Text of rows comes from strangers: it goes into text nodes only,
   never into markup. The parts: reading packed rows, a table's rows in their order, the table on
   the page, the panel of a row, and the addresses (#table?column=value) that lead to rows. */
"use strict";
(() => {
  const OVERSCAN = 12; // rows above and below the window that are on the page too
  const MOST_CHOICES = 200; // a column with more different values has no list to choose from
  const MOST_RELATED = 20; // rows of another table that the panel lists
  const NOTHING = "-";
  const WIDTHS = { text: 14, number: 5, bytes: 7, duration: 8, time: 12.5 }; // rem
  const [CHARACTER, PADDING, WIDEST] = [0.54, 1.9, 15]; // rem: a character, a cell's padding, a column
  const TAIL = 16; // characters at the end of a URL that are never cut

  // Values as text, in the words of cells.py.

  const round = (number) => String(Number(number.toPrecision(3)));
  const grouped = (number) => number.toLocaleString("en-US");
  const UNITS = [[86400, "d"], [3600, "h"], [60, "min"]];
  const SIZES = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]];

  function briefly(microseconds) {
    const seconds = microseconds / 1e6;
    if (seconds > 0 && seconds < 1) return `${round(seconds * 1000)} ms`;
    const unit = UNITS.find(([size]) => seconds >= 2 * size);
    return unit ? `${round(seconds / unit[0])} ${unit[1]}` : `${round(seconds)} s`;
  }

  function inBytes(number) {
    const unit = SIZES.find(([size]) => number >= size);
    if (unit) return `${(number / unit[0]).toFixed(1)} ${unit[1]}`;
    return `${number} byte${number === 1 ? "" : "s"}`;
  }

  const FORMATS = {
    number: grouped,
    bytes: inBytes,
    duration: briefly,
    time: (value) => new Date(value / 1000).toISOString().slice(0, 19).replace("T", " "),
  };

  function textOf(column, value) {
    if (value === null || value === "") return NOTHING;
    const format = FORMATS[column.kind];
    return format ? format(value) : value;
  }

  /* The site of the crawl stands at the top of the page; its URLs are shown without it. */
  const SITE = document.querySelector("header").dataset.site;
  const isOfSite = (url) => SITE !== undefined && url.startsWith(`${SITE}/`);
  const shortened = (url) => (isOfSite(url) ? url.slice(SITE.length) : url);

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  // Packed rows: base64 of gzip of lines, each of them JSON: the number of rows, and for each column a
  // list of its values, or the one value of all rows.

  function bytesOf(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
    return bytes;
  }

  async function unpacked(name, columns) {
    const element = document.getElementById(`rows-${name}`);
    const bytes = bytesOf(element.textContent);
    element.remove(); // the rows are in memory now
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const text = await new Response(stream).text();
    const values = columns.map(() => []);
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      const [count, ...blocks] = JSON.parse(text.slice(start, end));
      blocks.forEach((block, i) => {
        for (let row = 0; row < count; row += 1) values[i].push(Array.isArray(block) ? block[row] : block.all);
      });
      start = end + 1;
    }
    return values;
  }

  // The rows of a table, and those that are shown, in their order.

  function test(where) {
    const [sign, item] = [where[0], where.slice(1)];
    if (sign === "~") return (value) => value !== null && value.split(", ").includes(item);
    if (sign === "!") return (value) => value !== null && !value.split(", ").includes(item);
    return (value) => String(value ?? "") === where;
  }

  class Rows {
    constructor(columns, values) {
      this.columns = columns;
      this.values = values;
      this.count = values[0].length;
      this.order = new Uint32Array(0);
      this.texts = null;
    }

    column(name) {
      return this.columns.findIndex((column) => column.name === name);
    }

    searched(words) {
      if (!this.texts) {
        const texts = this.values.filter((_, i) => !(this.columns[i].kind in FORMATS));
        this.texts = Array.from({ length: this.count }, (_, row) =>
          texts.map((values) => values[row] ?? "").join("\n").toLowerCase());
      }
      return (row) => words.every((word) => this.texts[row].includes(word));
    }

    choose({ q, where, sort }) {
      const tests = [...where].map(([name, value]) => {
        const [values, holds] = [this.values[this.column(name)], test(value)];
        return values ? (row) => holds(values[row]) : () => true;
      });
      const words = q.toLowerCase().split(/\s+/).filter(Boolean);
      if (words.length) tests.push(this.searched(words));
      const order = [];
      for (let row = 0; row < this.count; row += 1) {
        if (tests.every((holds) => holds(row))) order.push(row);
      }
      this.order = this.sorted(order, sort);
    }

    sorted(order, sort) {
      const values = this.values[this.column(sort.replace(/^-/, ""))];
      if (!values) return Uint32Array.from(order);
      const sign = sort.startsWith("-") ? -1 : 1;
      const missing = (value) => value === null || value === "";
      const known = order.filter((row) => !missing(values[row]));
      const rest = order.filter((row) => missing(values[row]));
      known.sort((a, b) => {
        const [one, other] = [values[a], values[b]];
        if (one === other) return a - b;
        return one < other ? -sign : sign;
      });
      return Uint32Array.from(known.concat(rest));
    }

    choices(index) {
      const counts = new Map();
      for (const value of this.values[index]) {
        if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
        if (counts.size > MOST_CHOICES) return [];
      }
      return [...counts].sort((a, b) => b[1] - a[1]);
    }

    withUrl(url) {
      const values = this.values[this.columns.findIndex((column) => column.kind === "url")];
      const found = [];
      if (values) values.forEach((value, row) => { if (value === url) found.push(row); });
      return found;
    }
  }

  // A table on the page.

  const views = new Map();

  class View {
    constructor(element) {
      this.element = element;
      this.name = element.dataset.table;
      this.title = element.querySelector(".first").getAttribute("aria-label");
      this.columns = [...element.querySelectorAll(".first th")].map((head) => ({
        name: head.dataset.name,
        kind: head.dataset.kind,
        label: head.textContent,
        isNarrow: !("wide" in head.dataset),
        leads: head.dataset.leads,
      }));
      this.state = { q: "", where: new Map(), sort: element.dataset.sort ?? "" };
      this.active = 0;
    }

    open() {
      this.opened ??= this.build();
      return this.opened;
    }

    async build() {
      this.rows = new Rows(this.columns, await unpacked(this.name, this.columns));
      this.shown = this.columns.map((column, i) => ({ ...column, i }))
        .filter(({ i }) => i === 0 || this.rows.values[i].some((value) => value !== null && value !== ""));
      this.frame = make("div", { class: "frame" });
      this.head = make("tr");
      this.body = make("tbody");
      const columns = make("colgroup", {}, ...this.shown.map(({ kind }) => make("col", { class: kind })));
      this.grid = make("table", { role: "grid", "aria-label": this.title }, columns,
        make("thead", {}, this.head), this.body);
      const widths = this.shown.map((column) => this.widthOf(column));
      const width = widths.reduce((sum, one) => sum + one, 0);
      this.grid.style.setProperty("--least", `${width}rem`);
      [...columns.children].forEach((column, i) => {
        const { kind } = this.shown[i];
        if (kind !== "url" && kind !== "text") column.style.width = `${widths[i]}rem`; // these share the rest
      });
      this.frame.append(this.grid);
      for (const column of this.shown) this.head.append(this.headOf(column));
      this.element.classList.add("live");
      this.element.prepend(this.tools(), this.frame);
      this.frame.addEventListener("scroll", () => this.draw(), { passive: true });
      this.body.addEventListener("click", (event) => this.clicked(event));
      this.grid.addEventListener("keydown", (event) => this.pressed(event));
      new ResizeObserver(() => this.draw(true)).observe(this.frame);
      this.update();
    }

    /* A column of texts is as wide as the longest of them, within bounds. */
    widthOf({ kind, label, i }) {
      const least = (label.length + 2.5) * CHARACTER + PADDING;
      if (kind in FORMATS) return Math.max(WIDTHS[kind], least);
      const longest = this.rows.values[i].reduce((most, value) => Math.max(most, shortened(value ?? "").length), 0);
      return Math.min(Math.max(least, longest * CHARACTER + PADDING), kind === "text" ? WIDTHS.text : WIDEST);
    }

    headOf(column) {
      const button = make("button", { type: "button" }, column.label);
      button.addEventListener("click", () => {
        const first = column.kind in FORMATS ? `-${column.name}` : column.name;
        const second = column.kind in FORMATS ? column.name : `-${column.name}`;
        this.change({ sort: this.state.sort === first ? second : first });
      });
      return make("th", { scope: "col", class: column.kind in FORMATS && column.kind !== "time" ? "number" : column.kind }, button);
    }

    tools() {
      const label = this.title.toLowerCase();
      this.search = make("input", { type: "search", placeholder: "Search", autocomplete: "off",
        spellcheck: "false", "aria-label": `Search ${label}` });
      this.search.addEventListener("input", () => this.change({ q: this.search.value }));
      this.selects = new Map();
      for (const column of this.shown) {
        const choices = column.kind === "choice" ? this.rows.choices(column.i) : [];
        if (choices.length > 1) this.selects.set(column.name, this.select(column, choices));
      }
      this.order = make("select", { class: "order", "aria-label": `Sort ${label}` },
        make("option", { value: "" }, "As listed"),
        ...this.shown.flatMap((column) => [
          make("option", { value: column.name }, `By ${column.label} ↑`),
          make("option", { value: `-${column.name}` }, `By ${column.label} ↓`)]));
      this.order.addEventListener("change", () => this.change({ sort: this.order.value }));
      this.clear = make("button", { type: "button" }, "Show all");
      this.clear.addEventListener("click", () => this.change({ q: "", where: new Map() }));
      this.told = make("output", { "aria-live": "polite" });
      return make("div", { class: "tools" }, this.search, ...this.selects.values(), this.order,
        this.clear, this.told);
    }

    select(column, choices) {
      const select = make("select", { "aria-label": `Only this ${column.label}` },
        make("option", { value: "" }, `${column.label[0].toUpperCase()}${column.label.slice(1)}: any`),
        ...choices.map(([value, count]) => make("option", { value }, `${value} (${grouped(count)})`)));
      select.addEventListener("change", () => {
        const where = new Map(this.state.where);
        if (select.value) where.set(column.name, select.value);
        else where.delete(column.name);
        this.change({ where });
      });
      return select;
    }

    /* Change what is shown, and the address of the page with it. */
    change(state) {
      Object.assign(this.state, state);
      this.update();
      history.replaceState(null, "", addressOf(this.name, this.state));
    }

    show(state) {
      Object.assign(this.state, { q: "", where: new Map(), sort: this.element.dataset.sort ?? "" }, state);
      this.update();
    }

    update() {
      const { q, where, sort } = this.state;
      this.rows.choose(this.state);
      const shown = this.rows.order.length;
      if (this.search.value !== q) this.search.value = q;
      for (const [name, select] of this.selects) select.value = where.get(name) ?? "";
      this.order.value = sort;
      [...this.head.children].forEach((head, i) => {
        const { name } = this.shown[i];
        const way = { [name]: "ascending", [`-${name}`]: "descending" }[sort];
        if (way) head.setAttribute("aria-sort", way);
        else head.removeAttribute("aria-sort");
      });
      const hidden = [...where].filter(([name]) => !this.selects.get(name)?.value)
        .map(([name, value]) => this.inWords(name, value));
      this.clear.hidden = !q && !where.size;
      const total = this.rows.count;
      const count = shown === total ? `${grouped(total)} rows` : `${grouped(shown)} of ${grouped(total)} rows`;
      this.told.textContent = [...hidden, count].join(" · ");
      this.grid.setAttribute("aria-rowcount", shown + 1);
      this.active = 0;
      this.frame.scrollTop = 0;
      this.draw(true);
    }

    inWords(name, value) {
      const label = this.columns.find((column) => column.name === name)?.label ?? name;
      if (value[0] === "~") return `${label}: ${value.slice(1)}`;
      return value[0] === "!" ? `${label}: without ${value.slice(1)}` : `${label}: ${value || NOTHING}`;
    }

    /* Put the rows of the window on the page. */
    draw(isForced = false) {
      const height = parseFloat(getComputedStyle(this.frame).getPropertyValue("--row"));
      const count = this.rows.order.length;
      const first = Math.max(0, Math.floor(this.frame.scrollTop / height) - OVERSCAN);
      const last = Math.min(count, Math.ceil((this.frame.scrollTop + this.frame.clientHeight) / height) + OVERSCAN);
      if (!isForced && first === this.first && last === this.last) return;
      [this.first, this.last] = [first, last];
      const hadFocus = this.body.contains(document.activeElement);
      const drawn = [this.space(first * height)];
      for (let at = first; at < last; at += 1) drawn.push(this.rowAt(at));
      drawn.push(this.space((count - last) * height));
      if (!count) drawn.push(make("tr", { class: "space" }, make("td", { colspan: this.shown.length }, make("p", { class: "empty" }, "No row matches."))));
      this.body.replaceChildren(...drawn);
      if (hadFocus) this.focus();
    }

    space(height) {
      const cell = make("td", { colspan: this.shown.length });
      cell.style.height = `${height}px`;
      return make("tr", { class: "space", "aria-hidden": "true", hidden: height === 0 }, cell);
    }

    rowAt(at) {
      const row = this.rows.order[at];
      const line = make("tr", { "aria-rowindex": at + 2, tabindex: at === this.active ? 0 : -1 });
      line.dataset.at = at;
      for (const column of this.shown) line.append(this.cell(column, row));
      return line;
    }

    cell(column, row) {
      const value = this.rows.values[column.i][row];
      const text = textOf(column, value);
      const isNumber = column.kind in FORMATS && column.kind !== "time";
      const classes = [isNumber ? "number" : column.kind];
      if (!column.isNarrow) classes.push("wide-only");
      if (text === NOTHING) classes.push("nothing");
      const cell = make("td", { class: classes.join(" "), role: "gridcell", "data-label": column.label });
      if (column.kind === "url" && text !== NOTHING) {
        const brief = shortened(text);
        const end = brief.length > 2 * TAIL ? brief.length - TAIL : brief.length;
        const parts = [brief.slice(0, end), brief.slice(end)].filter(Boolean);
        cell.append(make("span", { class: "cut" }, ...parts.map((part) => make("span", {}, part))));
        if (brief !== text) cell.setAttribute("aria-label", text);
      } else cell.append(text);
      if (text.length > 20) cell.title = text;
      return cell;
    }

    // The keyboard and the mouse.

    clicked(event) {
      const line = event.target.closest("tr[data-at]");
      if (!line || String(getSelection())) return;
      this.active = Number(line.dataset.at);
      this.openPanel();
    }

    pressed(event) {
      if (!event.target.closest("tr[data-at]")) return;
      const height = parseFloat(getComputedStyle(this.frame).getPropertyValue("--row"));
      const page = Math.max(1, Math.floor(this.frame.clientHeight / height) - 2);
      const count = this.rows.order.length;
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count };
      if (event.key === "Enter" || event.key === " ") this.openPanel();
      else if (event.key in steps) this.go(Math.min(count - 1, Math.max(0, this.active + steps[event.key])), height);
      else return;
      event.preventDefault();
    }

    go(at, height) {
      this.active = at;
      const head = this.head.offsetHeight;
      const [top, bottom] = [at * height, (at + 1) * height];
      const inner = this.frame.clientHeight - head;
      if (top < this.frame.scrollTop) this.frame.scrollTop = top;
      else if (bottom > this.frame.scrollTop + inner) this.frame.scrollTop = bottom - inner;
      this.draw(true);
      this.focus();
    }

    focus() {
      const line = this.body.querySelector(`tr[data-at="${this.active}"]`);
      if (line) line.focus({ preventScroll: true });
    }

    openPanel() {
      showPanel(this, this.rows.order[this.active]);
    }
  }

  // The panel of a row: all its values, the commands for its evidence and copy, related rows.

  const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\"'\"'")}'`);

  function command(label, text) {
    const button = make("button", { type: "button" }, "Copy");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(button.previousSibling);
      }
    });
    return [make("p", { class: "note" }, label), make("div", { class: "command" }, make("code", {}, text), button)];
  }

  function commands(url) {
    const { evidence, copy, links } = document.querySelector("header").dataset;
    const filled = (text) => text.replace(/URL$/, () => quoted(url));
    return [make("h3", {}, "Evidence and copy"),
      ...command("What was decided and why, and every request", filled(evidence)),
      ...command("The kept copy, if one may be kept", filled(copy)),
      ...command("The pages that link to it", filled(links))];
  }

  /* A value among others of its row: a number needs the name of its column. */
  function inWords(column, value) {
    const text = textOf(column, value);
    return column.kind in FORMATS && column.kind !== "time" ? `${column.label} ${text}` : text;
  }

  async function related(view, url, into) {
    for (const other of views.values()) {
      if (other === view || !other.columns.some((column) => column.kind === "url")) continue;
      await other.open();
      const found = other.rows.withUrl(url);
      if (!found.length) continue;
      const key = other.columns.find((column) => column.kind === "url").name;
      const link = make("a", { href: addressOf(other.name, { q: "", where: new Map([[key, url]]), sort: "" }) },
        `${other.title} (${grouped(found.length)})`);
      const rows = found.slice(0, MOST_RELATED).map((row) => make("li", {}, other.columns
        .map((column, i) => [column, other.rows.values[i][row]])
        .filter(([column, value]) => column.name !== key && value !== null && value !== "")
        .map(([column, value]) => inWords(column, value)).join(" · ")));
      into.append(make("h3", {}, link), make("ul", {}, ...rows));
    }
  }

  function showPanel(view, row) {
    const values = view.columns.map((column, i) => [column, view.rows.values[i][row]]);
    const url = values.find(([column]) => column.kind === "url")?.[1];
    const close = make("button", { type: "button" }, "Close");
    const list = make("dl");
    for (const [column, value] of values) {
      if (value === null || value === "" || value === url) continue;
      const text = textOf(column, value);
      const leads = column.leads && make("a", { href: addressOf(column.leads, { q: "", where: new Map([["url", url]]), sort: "" }) }, text);
      list.append(make("dt", {}, column.label), make("dd", {}, leads || text));
    }
    const inner = make("div", { class: "inner" }, close, make("h2", { id: "panel-title" }, url ?? view.title), list);
    if (url) {
      if (/^https?:\/\//.test(url)) {
        inner.append(make("p", {}, make("a", { href: url, rel: "noopener noreferrer", target: "_blank" }, "Open the page")));
      }
      inner.append(...commands(url));
    }
    const more = make("div");
    inner.append(more);
    const panel = make("dialog", { class: "panel", "aria-labelledby": "panel-title" }, inner);
    close.addEventListener("click", () => panel.close());
    panel.addEventListener("click", (event) => { if (event.target === panel) panel.close(); });
    panel.addEventListener("close", () => { panel.remove(); view.focus(); });
    document.body.append(panel);
    panel.showModal();
    if (url) related(view, url, more);
  }

  // Addresses: #table?q=words&sort=-column&column=value

  function addressOf(name, { q, where, sort }) {
    const words = new URLSearchParams();
    if (q) words.set("q", q);
    if (sort) words.set("sort", sort);
    for (const [column, value] of where) words.set(`.${column}`, value);
    return `#${name}${String(words) && `?${words}`}`;
  }

  async function follow(address) {
    const [name, words = ""] = address.replace(/^#/, "").split("?");
    const view = views.get(name);
    const target = document.getElementById(name) ?? view?.element;
    if (!target) return;
    if (view) {
      await view.open();
      const where = new Map();
      const found = new URLSearchParams(words);
      for (const [key, value] of found) if (key.startsWith(".")) where.set(key.slice(1), value);
      if (words) view.show({ where, q: found.get("q") ?? "", sort: found.get("sort") ?? "" });
    }
    (words ? view.element : target).scrollIntoView({ block: "start" });
    if (words) view.focus();
  }

  function followLink(event) {
    const link = event.target.closest?.("a[href^='#']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    link.closest("dialog")?.close();
    const where = new URLSearchParams(link.dataset.where ?? "");
    const address = where.size
      ? addressOf(link.getAttribute("href").slice(1), { q: "", where, sort: "" })
      : link.getAttribute("href");
    history.pushState(null, "", address);
    follow(address);
  }

  function start() {
    if (typeof DecompressionStream === "undefined") return; // the first rows stay as they are
    for (const element of document.querySelectorAll("[data-table]")) {
      views.set(element.dataset.table, new View(element));
    }
    const watcher = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watcher.unobserve(target);
        views.get(target.dataset.table).open();
      }
    }, { rootMargin: "800px" });
    for (const { element } of views.values()) watcher.observe(element);
    document.addEventListener("click", followLink);
    addEventListener("popstate", () => follow(location.hash));
    if (location.hash) follow(location.hash);
  }

  start();
})();
