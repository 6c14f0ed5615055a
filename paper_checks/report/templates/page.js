"use strict";
// The tables of claims and of results: search, filters, sorting. Without this script every row is shown.
function wire(form) {
  const table = document.getElementById(form.dataset.table);
  const shown = document.querySelector(`.shown[data-of="${form.dataset.table}"]`);
  const { prefix, noun } = form.dataset;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const columns = Array.from(form.querySelectorAll("select"), (select) => select.name);
  const words = new Map(rows.map((row) => [row, (row.textContent + " " + row.dataset.words).toLowerCase()]));
  let order = { key: "", down: false };

  function wanted() {
    return Object.fromEntries(["q", ...columns].map((name) => [name, form.elements[name].value]));
  }

  function matches(row, want) {
    const terms = want.q.toLowerCase().split(/\s+/).filter(Boolean);
    return terms.every((term) => words.get(row).includes(term)) &&
      columns.every((name) => !want[name] || row.dataset[name] === want[name]);
  }

  function filter() {
    const want = wanted();
    let count = 0;
    for (const row of rows) {
      row.hidden = !matches(row, want);
      count += row.hidden ? 0 : 1;
    }
    shown.textContent = count === rows.length ? `${count} ${noun}` : `${count} of ${rows.length} ${noun}`;
    remember(want);
  }

  function value(row, key, kind) {
    const cell = row.querySelector(`[data-key="${key}"]`);
    const text = cell.dataset.sort ?? cell.textContent.trim();
    return kind === "number" ? Number(text) : text;
  }

  function sort() {
    const heading = table.tHead.querySelector(`[data-key="${order.key}"]`);
    for (const other of table.tHead.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
    let sorted = rows;
    if (heading) {
      heading.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      const kind = heading.dataset.kind;
      const sign = order.down ? -1 : 1;
      const compare = kind === "number" ? (a, b) => a - b : (a, b) => a.localeCompare(b, "en");
      sorted = rows.map((row) => [value(row, order.key, kind), row])
        .sort((a, b) => sign * compare(a[0], b[0]))
        .map((pair) => pair[1]);
    }
    body.append(...sorted);
    remember(wanted());
  }

  // Up, then down, then as it was.
  function next(key) {
    if (order.key !== key) order = { key, down: false };
    else if (!order.down) order = { key, down: true };
    else order = { key: "", down: false };
    sort();
  }

  function set(query, name, text) {
    if (text) query.set(prefix + name, text);
    else query.delete(prefix + name);
  }

  // The address holds what is shown, so that it can be passed on.
  function remember(want) {
    const query = new URLSearchParams(location.search);
    for (const [name, text] of Object.entries(want)) set(query, name, text);
    set(query, "sort", order.key && (order.down ? "-" : "") + order.key);
    const text = query.toString();
    try {
      history.replaceState(null, "", (text ? "?" + text : location.pathname) + location.hash);
    } catch (error) {
      // A browser may refuse that for files; the page works without.
    }
  }

  function recall() {
    const query = new URLSearchParams(location.search);
    for (const name of ["q", ...columns]) form.elements[name].value = query.get(prefix + name) ?? "";
    for (const name of columns) if (form.elements[name].selectedIndex < 0) form.elements[name].value = "";
    const key = query.get(prefix + "sort") ?? "";
    const known = Array.from(table.tHead.querySelectorAll("[data-key]"), (heading) => heading.dataset.key);
    const bare = key.replace(/^-/, "");
    if (known.includes(bare)) order = { key: bare, down: key.startsWith("-") };
  }

  for (const heading of table.tHead.querySelectorAll("[data-key]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    button.addEventListener("click", () => next(heading.dataset.key));
    heading.replaceChildren(button);
  }
  recall();
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  if (order.key) sort();
  filter();
}

for (const form of document.querySelectorAll("form.filters")) wire(form);

// A link to what is folded away unfolds it; not every browser does so by itself.
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = [];
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS" && !at.open) folded.push(at);
  for (const one of folded) one.open = true;
  if (folded.length) target.scrollIntoView();
}
addEventListener("hashchange", unfold);
unfold();
