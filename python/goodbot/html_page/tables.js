
"use strict";
// Each table can be searched and sorted. Without this script it is a plain table.
for (const table of document.querySelectorAll(".wide table")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  if (body.rows.length < 2) continue;
  const sort = (column, isDown) => {
    const isNumber = heads[column].classList.contains("number");
    const value = (row) => {
      const text = row.cells[column].textContent;
      return isNumber ? Number(text.replace(/[^0-9.-]/g, "")) || 0 : text;
    };
    const rows = [...body.rows].map((row) => [value(row), row]);
    rows.sort(([a], [b]) => (isNumber ? a - b : a.localeCompare(b, "en", { numeric: true })));
    if (isDown) rows.reverse();
    for (const [, row] of rows) body.append(row);
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", isDown ? "descending" : "ascending");
  };
  const tools = document.createElement("div");
  tools.className = "tools";
  const search = document.createElement("input");
  search.type = "search";
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  const choice = document.createElement("select");
  choice.append(new Option("as it is", ""));
  heads.forEach((head, column) => {
    const name = head.textContent;
    choice.append(new Option(name, column));
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () =>
      sort(column, head.getAttribute("aria-sort") === "ascending"));
    head.replaceChildren(button);
  });
  choice.addEventListener("change", () => {
    if (choice.value !== "") sort(Number(choice.value), false);
  });
  const labelled = (text, input, name) => {
    const label = document.createElement("label");
    label.className = name;
    label.append(`${text} `, input);
    tools.append(label);
  };
  labelled("Search this table", search, "");
  labelled("Sort by", choice, "order");
  table.parentElement.before(tools);
}
