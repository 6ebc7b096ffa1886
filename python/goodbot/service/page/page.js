"use strict";
// Everything that a site or a person wrote is inserted as text.

const byId = (id) => document.getElementById(id);
const lines = (id) => byId(id).value.split("\n").map((line) => line.trim()).filter(Boolean);

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

async function post(path, content) {
  const headers = { "Content-Type": "application/json" };
  if (byId("token").value) headers.Authorization = `Bearer ${byId("token").value}`;
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(content) });
  if (answer.status === 401) byId("secret").hidden = false;
  const found = await answer.json();
  if (!answer.ok) throw new Error(`${found.detail} ${found.cure}`);
  return found;
}

async function ask(event) {
  event.preventDefault();
  const urls = lines("urls");
  const robots = lines("robots");
  byId("result").hidden = byId("detail").hidden = true;
  byId("status").textContent = "Asking …";
  try {
    const content = { urls, uses: true, explain: true, ...(robots.length ? { robots } : {}) };
    const { verdicts } = await post("v1/verdicts", content);
    draw(urls, verdicts);
    const allowed = verdicts.filter((one) => one.allowed).length;
    byId("status").textContent = `${allowed} of ${verdicts.length} allowed.`;
  } catch (error) {
    byId("status").textContent = error.message;
  }
}

function draw(urls, verdicts) {
  const width = verdicts.length / urls.length;
  const head = element("tr", "");
  head.append(element("th", "URL", { scope: "col" }));
  for (const one of verdicts.slice(0, width)) head.append(element("th", one.robot, { scope: "col" }));
  const rows = urls.map((url, number) => {
    const row = element("tr", "");
    row.append(element("th", url, { scope: "row" }));
    for (const one of verdicts.slice(number * width, (number + 1) * width)) {
      const line = one.line === null ? "" : `, line ${one.line}`;
      const button = element("button", one.verdict + line, { class: one.verdict, "aria-pressed": "false" });
      button.addEventListener("click", () => explain(one, button));
      const cell = element("td", "");
      cell.append(button);
      row.append(cell);
    }
    return row;
  });
  const thead = element("thead", "");
  const tbody = element("tbody", "");
  thead.append(head);
  tbody.append(...rows);
  byId("matrix").replaceChildren(thead, tbody);
  byId("result").hidden = false;
}

function pairs(id, found) {
  const told = found.filter(([, text]) => text);
  byId(id).replaceChildren(...told.flatMap(([name, text]) => [element("dt", name), element("dd", text)]));
}

function list(id, texts, none) {
  byId(id).replaceChildren(...(texts.length ? texts : [none]).map((text) => element("li", text)));
}

async function explain(one, button) {
  for (const other of document.querySelectorAll("td button")) other.setAttribute("aria-pressed", "false");
  button.setAttribute("aria-pressed", "true");
  byId("why").textContent = `${one.robot}: ${one.url}`;
  byId("sentence").textContent = one.sentence;
  pairs("facts", [
    ["reason", one.reason],
    ["decided by", one.source],
    ["dialect", one.dialect],
    ["fresh until", one.until],
    ["ask again", one.retry_at],
    ["next visit", one.next_visit && one.next_visit.sentence],
  ]);
  const considered = (one.considered || []).map((rule) =>
    `Line ${rule.rule.line}, ${rule.rule.text}: ${rule.decides ? "decides" : "loses"}: ${rule.why}`);
  list("considered", considered, "No rule was compared.");
  pairs("uses", Object.values(one.uses || {}).map((use) => [use.use, use.sentence]));
  if (!one.uses) pairs("uses", [["unknown", "robots.txt of the site is not known."]]);
  list("history", [], "…");
  byId("detail").hidden = false;
  byId("detail").focus();
  let history = [];
  let none = "No version is stored.";
  try {
    history = (await post("v1/policies", { url: one.url, robot: one.robot })).history || [];
  } catch (error) {
    none = error.message;
  }
  list("history", history.map((seen) =>
    `${seen.first} to ${seen.last}: ${seen.access} (${seen.reason})${seen.size === null ? "" : `, ${seen.size} bytes`}`), none);
}

byId("question").addEventListener("submit", ask);
