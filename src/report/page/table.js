// SPDX-License-Identifier: Apache-2.0
// What every page has: cells, tables of rows, the controls, and where a reader is. The script of a page gives
// VIEWS (its tables), rows (what they open), hashOf and addressOf (of a row), wordsOf and keeps (for searches),
// showSummary, detailOf, and calls begin.

"use strict";
const report = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const tablePane = $("table"), heads = tablePane.children[0], body = tablePane.children[1], detail = $("detail");
const HEIGHT = 28;
let view = "summary", picked = -1, shown = [];

const tag = word => element("span", "tag " + word, word);
function commandView(text) {
  const copy = element("button", "", "copy");
  copy.onclick = async () => {
    try { await navigator.clipboard.writeText(text); copy.textContent = "copied"; }
    catch { getSelection().selectAllChildren(copy.previousSibling); }
  };
  return element("div", "command", element("code", "", text), copy);
}
function bytesCell(n) {
  const e = element("td", "number", numberText(n, bytesText));
  e.title = numberText(n, countText) + " bytes";
  return e;
}
const cell = (text, number) => element("td", number ? "number" : "", text);
function tableOf(names, lines) {
  const head = element("tr", "", ...names.map(n => element("th", n.startsWith(">") ? "number" : "", n.replace(">", ""))));
  return element("table", "", head, ...lines.map(cells => element("tr", "", ...cells)));
}

// The tables. A column: name, width, value to sort by, text to show, whether it is a number.
const bytesColumn = (name, value, title) =>
  ({name, width: "90px", value: r => { const n = value(r); return n === undefined || n === null ? null : upperOf(n); },
    text: r => numberText(value(r), bytesText), number: true, title});
const countColumn = (name, value, title) =>
  ({name, width: null, value: r => { const n = value(r); return n === undefined || n === null ? null : upperOf(n); },
    text: r => numberText(value(r), countText), number: true, title});
// Numbers are never cut: the largest has the longest text, and limits have a sign before it.
function widthOf(column) {
  if (column.width === null) {
    const numbers = table.all.map(column.value).filter(n => n !== null);
    const largest = numbers.reduce((a, b) => Math.max(a, b), 0);
    const longest = Math.max(column.name.length + 2, countText(largest).length + 2);
    column.width = Math.ceil(longest * 7.9 + 12) + "px";
  }
  return column.width;
}
const textColumn = (name, width, value, className) => ({name, width, value, text: value, className});
let table = null, sorted = {column: -1, descending: true};
const texts = new Map();
function textOf(r) {
  let text = texts.get(r);
  if (text !== undefined) return text;
  const target = table.target(r);
  const parts = table.columns.filter(c => !c.number).map(c => c.text(r));
  if (target !== null) parts.push(...wordsOf(rows[target], r === rows[target]));
  text = parts.join(" ").toLowerCase();
  texts.set(r, text);
  return text;
}
function refresh(keepPlace) {
  const opcode = $("opcode").value, exactness = $("exactness").value;
  const keep = r => {
    if (!opcode && !exactness) return true;
    const target = table.target(r);
    return target !== null && keeps(rows[target], opcode, exactness);
  };
  shown = filterRows(table.all, textOf, $("search").value, keep);
  const column = table.columns[sorted.column];
  if (column) shown = sortRows(shown, column.value, sorted.descending);
  if (!keepPlace) body.scrollTop = 0;
  paint();
}
// Only the visible rows exist.
function paint() {
  const first = Math.max(0, Math.floor(body.scrollTop / HEIGHT) - 6);
  const last = Math.min(shown.length, Math.ceil((body.scrollTop + body.clientHeight) / HEIGHT) + 6);
  const space = element("div");
  space.style.height = shown.length * HEIGHT + "px";
  for (let k = first; k < last; ++k) {
    const r = shown[k], target = table.target(r);
    const e = element("div", "row" + (target !== null && target === picked ? " picked" : ""));
    e.style.top = k * HEIGHT + "px";
    e.setAttribute("role", "option");
    e.setAttribute("aria-selected", target === picked);
    for (const c of table.columns) {
      const text = c.text(r);
      const d = element("div", (c.number ? "number" : "") + " " + (c.className ?? ""));
      // Names often differ only at the end, which stays visible.
      const end = c.className?.includes("name") && text.length > 16 ? text.length - 12 : text.length;
      const shownAs = c.view?.(r);
      if (shownAs) d.append(...shownAs);
      else if (end < text.length) d.append(element("span", "", text.slice(0, end)), element("span", "", text.slice(end)));
      else d.append(text);
      d.title = text;
      if (text === "superset" || text === "unknown") d.classList.add(text);
      e.append(d);
    }
    e.onclick = () => { if (target !== null) { enter(hashOf(target)); pick(target); } };
    space.append(e);
  }
  body.replaceChildren(shown.length ? space : element("div", "empty", "Nothing matches."));
  heads.style.paddingRight = body.offsetWidth - body.clientWidth + "px";
}
function showTable(name) {
  table = VIEWS[name];
  table.all ??= table.rows();
  sorted = table.sorted ??= {column: table.sort, descending: true};
  tablePane.style.setProperty("--columns", table.columns.map(widthOf).join(" "));
  tablePane.style.setProperty("--least", table.least);
  heads.replaceChildren(...table.columns.map((c, i) => {
    const e = element("button", (c.number ? "number" : "") + (i === sorted.column ? " sorted" : ""),
      c.name + (i === sorted.column ? (sorted.descending ? " ↓" : " ↑") : ""));
    if (c.title) e.title = c.title;
    e.onclick = () => {
      table.sorted = {column: i, descending: sorted.column === i ? !sorted.descending : !!c.number};
      showTable(name);
    };
    return e;
  }));
  texts.clear();
  refresh();
  if (picked < 0 && shown.length && table.target(shown[0]) !== null) pick(table.target(shown[0]));
}
function show(name) {
  view = name;
  for (const b of $("nav").querySelectorAll(".view")) b.classList.toggle("on", b.dataset.view === name);
  $("summary").hidden = name !== "summary";
  $("tables").hidden = name === "summary";
  if (name !== "summary") showTable(name);
}

// Where the page is, so that Back returns to the same place of the same list.
const place = () => ({view, search: $("search").value, opcode: $("opcode").value, exactness: $("exactness").value,
                      top: view === "summary" ? $("summary").scrollTop : body.scrollTop});
// Inside another page it has no address of its own.
const addressed = location.protocol !== "about:";
function enter(hash) {
  if (!addressed || hash === location.hash) return;
  history.replaceState(place(), "");
  history.pushState(null, "", hash);
}
function back(to) {
  for (const id of ["search", "opcode", "exactness"]) $(id).value = to[id];
  show(to.view);
  const i = named();
  if (i >= 0 && to.view !== "summary") pick(i);
  (to.view === "summary" ? $("summary") : body).scrollTop = to.top;
  paint();
}
function pick(i) {
  picked = i;
  paint();
  detail.replaceChildren(...detailOf(i));
  detail.querySelector(".graph")?.center();
  detail.scrollTop = 0;
}
// Shows a row from anywhere.
function open(i) {
  if (view === "summary" || !shown.some(r => table.target(r) === i)) {
    $("search").value = $("opcode").value = $("exactness").value = "";
    picked = i;
    if (view === names[1]) refresh(); else show(names[1]);
  }
  const top = shown.findIndex(r => table.target(r) === i) * HEIGHT;
  if (top < body.scrollTop || top + HEIGHT > body.scrollTop + body.clientHeight)
    body.scrollTop = Math.max(0, top - body.clientHeight / 2);
  pick(i);
}

// Cards and findings of a summary.
const card = (value, text, exact) => element("div", "card", element("b", exact === false ? "bound" : "", value),
                                             element("span", "", text));
function findingView(kind, bad, sentence, exactness, command) {
  const e = element("div", "finding", element("div", "kind" + (bad ? " bad" : ""), kind), sentence, tag(exactness));
  if (command) e.append(commandView(command));
  return e;
}

// Controls: the names of the views, the second one first for searches; how many rows some have; the words of the first
// choice with how often they occur.
let names = [];
function begin(views, counts, choices) {
  names = views;
  names.forEach(name => {
    const b = element("button", "view", (VIEWS[name]?.title ?? "Summary") + (counts[name] === undefined ? "" : ` ${countText(counts[name])}`));
    b.dataset.view = name;
    b.onclick = () => { enter("#/" + name); show(name); };
    $("nav").insertBefore(b, $("nav").querySelector(".gap"));
  });
  for (const [word, count] of [...choices].sort((a, b) => a[0] < b[0] ? -1 : 1)) {
    const option = element("option", "", `${word} (${count})`);
    option.value = word;
    $("opcode").append(option);
  }
  showSummary();
  follow();
  document.documentElement.dataset.ready = Math.round(performance.now());
}
const search = () => { if (view === "summary") show(names[1]); else refresh(); };
$("search").oninput = $("opcode").onchange = $("exactness").onchange = search;
body.onscroll = paint;
window.onresize = () => { if (view !== "summary") paint(); };
$("theme").onclick = () => {
  const root = document.documentElement;
  root.dataset.theme = colorOf("scheme") === "dark" ? "light" : "dark";
  if (picked >= 0 && view !== "summary") pick(picked);
};
body.onkeydown = event => {
  const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12}[event.key];
  if (!step || !shown.length) return;
  event.preventDefault();
  const at = shown.findIndex(r => table.target(r) === picked);
  const next = table.target(shown[Math.min(shown.length - 1, Math.max(0, at + step))]);
  if (next === null) return;
  open(next);
  if (addressed) history.replaceState(history.state, "", hashOf(next));
};
// The row or the view that the URL names, else the summary.
const address = () => decodeURIComponent(location.hash.slice(1));
const named = () => address() && !address().startsWith("/") ? rows.findIndex(r => addressOf(r) === address()) : -1;
function follow() {
  const i = named(), asked = address().slice(1);
  if (i >= 0) open(i);
  else show(names.includes(asked) ? asked : "summary");
}
window.onpopstate = event => { if (event.state) back(event.state); else follow(); };
