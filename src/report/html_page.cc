// SPDX-License-Identifier: Apache-2.0
#include "report/html_page.h"

namespace tessera::detail {

const char* const kPageHead = R"page(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
)page";

const char* const kPageStyle = R"page(<style>
:root {
  --back: #fbfbf9; --panel: #ffffff; --line: #dcdcd6; --text: #1d1f21; --soft: #63676c; --mark: #0b5cad;
  --pick: #e3eefb; --exact: #1d7a3c; --superset: #9a5b00; --unknown: #b3261e; --code: #f3f3ef;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme=light]) {
    --back: #16181b; --panel: #1d2024; --line: #34383e; --text: #e6e7e9; --soft: #9aa0a7; --mark: #7fb8f5;
    --pick: #22364d; --exact: #6fcf8e; --superset: #f0b357; --unknown: #ff8a80; --code: #25292e;
  }
}
:root[data-theme=dark] {
  --back: #16181b; --panel: #1d2024; --line: #34383e; --text: #e6e7e9; --soft: #9aa0a7; --mark: #7fb8f5;
  --pick: #22364d; --exact: #6fcf8e; --superset: #f0b357; --unknown: #ff8a80; --code: #25292e;
}
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { display: grid; grid-template-rows: auto 1fr; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
code, .mono { font: 13.5px/1.55 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
header { padding: 14px 20px 12px; border-bottom: 1px solid var(--line); background: var(--panel); }
h1 { margin: 0; font-size: 19px; font-weight: 600; overflow-wrap: anywhere; }
#digest { margin: 2px 0 10px; color: var(--soft); }
#digest b { color: var(--text); font-weight: 600; }
.tools { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
input, select, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line);
  border-radius: 6px; padding: 5px 10px; }
input { flex: 1 1 260px; min-width: 160px; }
input:focus-visible, select:focus-visible, button:focus-visible, #list:focus-visible {
  outline: 2px solid var(--mark); outline-offset: 1px; }
main { display: grid; grid-template-columns: minmax(320px, 42%) 1fr; min-height: 0; }
#list { overflow: auto; position: relative; border-right: 1px solid var(--line); }
.row { position: absolute; left: 0; right: 0; height: 46px; padding: 4px 16px; cursor: pointer;
  border-left: 4px solid transparent; white-space: nowrap; overflow: hidden; }
.row:hover { background: var(--code); }
.row.picked { background: var(--pick); border-left-color: var(--mark); }
.row div { overflow: hidden; text-overflow: ellipsis; }
.row .second { color: var(--soft); font-size: 13px; line-height: 1.35; }
.row .name { line-height: 1.4; }
.tag { font-size: 12.5px; border: 1px solid; border-radius: 999px; padding: 0 8px; white-space: nowrap; }
.exact { color: var(--exact); } .superset { color: var(--superset); } .unknown { color: var(--unknown); }
#detail { overflow: auto; padding: 18px 24px 40px; }
#detail h2 { margin: 0 0 2px; font-size: 18px; overflow-wrap: anywhere; }
#detail .type { color: var(--soft); overflow-wrap: anywhere; }
.pair { margin-top: 18px; padding: 12px 16px; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
.pair h3 { margin: 0 0 6px; font-size: 14.5px; font-weight: 600; overflow-wrap: anywhere; }
.pair a { color: var(--mark); cursor: pointer; text-decoration: none; }
.pair a:hover { text-decoration: underline; }
.map { margin: 10px 0 4px; overflow-wrap: anywhere; }
.map + .map { border-top: 1px dashed var(--line); padding-top: 10px; }
.function { font-size: 15px; }
ul.domain { display: flex; flex-wrap: wrap; gap: 6px; margin: 6px 0 0; padding: 0; list-style: none; }
ul.domain li { background: var(--code); border-radius: 5px; padding: 0 8px; }
.note { color: var(--soft); font-size: 14px; margin-top: 6px; overflow-wrap: anywhere; }
.empty { color: var(--soft); padding: 24px; }
@media (max-width: 760px) {
  main { grid-template-columns: 1fr; grid-template-rows: 45% 1fr; }
  #list { border-right: 0; border-bottom: 1px solid var(--line); }
}
</style>
</head>
<body>
<header>
)page";

const char* const kPageBody =
    R"page(<p id="digest"><noscript>This page needs JavaScript to show its list.</noscript></p>
<div class="tools">
<input id="search" type="search" placeholder="Search names, opcodes, types, maps" aria-label="Search">
<select id="opcode" aria-label="Opcode"><option value="">every opcode</option></select>
<select id="exactness" aria-label="Exactness"><option value="">every answer</option><option>exact</option>
<option>superset</option><option>unknown</option></select>
<button id="theme" type="button">dark / light</button>
</div>
</header>
<main>
<div id="list" tabindex="0" role="listbox" aria-label="Instructions"></div>
<article id="detail" aria-live="polite"></article>
</main>
)page";

const char* const kPageScript = R"page(<script>
"use strict";
const rows = JSON.parse(document.getElementById("data").textContent);
const stats = JSON.parse(document.getElementById("stats").textContent).stats;
const $ = id => document.getElementById(id);
const list = $("list"), detail = $("detail"), search = $("search");
const HEIGHT = 46;
let shown = rows.map((_, i) => i), picked = -1;
const severalFiles = new Set(rows.map(r => r.file)).size > 1;
// The part of the URL after the #.
const addressOf = r => (severalFiles ? r.file + ":" : "") + r.computation + "/" + r.instruction;

function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

// The totals and the list of opcodes.
const digest = $("digest");
digest.replaceChildren();
for (const [number, word] of [[stats.instructions, "instructions"], [stats.maps, "maps"], [stats.exact, "exact"],
                              [stats.superset, "superset"], [stats.unknown, "unknown"]]) {
  if (digest.childNodes.length) digest.append(" · ");
  digest.append(element("b", "", number.toLocaleString("en")), " " + word);
}
const counts = new Map();
for (const row of rows) counts.set(row.opcode, (counts.get(row.opcode) || 0) + 1);
for (const [opcode, count] of [...counts].sort((a, b) => a[0] < b[0] ? -1 : 1)) {
  const option = element("option", "", `${opcode} (${count})`);
  option.value = opcode;
  $("opcode").append(option);
}

// The searchable text of each row, built by the first search.
let texts = null;
function textOf(i) {
  texts ??= rows.map(r => [r.file, r.module, r.computation + "/" + r.instruction, r.opcode, r.type,
    r.bitcast ? "bitcast: " + r.bitcast.answer : "",
    ...r.indexing.flatMap(p => p.maps.map(m => m.map + " " + m.reason))].join(" ").toLowerCase());
  return texts[i];
}

// Only the visible rows exist.
function layout() {
  const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 4);
  const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + 4);
  const space = element("div");
  space.style.height = shown.length * HEIGHT + "px";
  for (let k = first; k < last; ++k) {
    const row = rows[shown[k]];
    const e = element("div", "row" + (shown[k] === picked ? " picked" : ""));
    e.style.top = k * HEIGHT + "px";
    e.setAttribute("role", "option");
    e.setAttribute("aria-selected", shown[k] === picked);
    const name = element("div", "name mono", row.instruction);
    if (row.indexing.length && row.exactness !== "exact") {
      name.append(" ", element("span", "tag " + row.exactness, row.exactness));
    }
    e.append(name, element("div", "second", `${row.opcode} · ${row.type} · ${row.computation}` +
                                             (severalFiles ? ` · ${row.file}` : "")));
    e.onclick = () => pick(shown[k]);
    space.append(e);
  }
  list.replaceChildren(shown.length ? space : element("div", "empty", "No instruction matches."));
}

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const opcode = $("opcode").value, exactness = $("exactness").value;
  shown = [];
  rows.forEach((row, i) => {
    if (opcode && row.opcode !== opcode) return;
    if (exactness && (row.exactness !== exactness || !row.indexing.length)) return;
    if (words.length && !words.every(w => textOf(i).includes(w))) return;
    shown.push(i);
  });
  list.scrollTop = 0;
  layout();
}

function mapView(text) {
  const view = element("div");
  const cut = text.indexOf(", domain: ");
  view.append(element("code", "function", cut < 0 ? text : text.slice(0, cut)));
  if (cut >= 0) {
    const domain = element("ul", "domain");
    for (const item of text.slice(cut + 10).split(/(?<=\]), /)) domain.append(element("li", "mono", item));
    view.append(domain);
  }
  return view;
}

function runtimeView(value, row) {
  const note = element("div", "note");
  const clamp = value.clamp ? `, clamped to [${value.clamp.join(", ")}]` : "";
  note.append(element("code", "", value.var), " is read at run time from ");
  note.append(...(value.calls ? [element("code", "", value.source)] : [link(value.source, row)]));
  if (value.tuple_path) note.append(element("code", "", "#" + value.tuple_path.join("#")));
  for (const call of [...value.calls ?? []].reverse()) {
    note.append(call.branch === undefined ? " in " : ` in branch ${call.branch} of `, element("code", "", call.caller));
  }
  if (value.hops) note.append(` on the replica after hop ${value.hops}`);
  note.append(" at ", element("code", "", value.map), clamp);
  return note;
}

// A link to the instruction of this name in the same computation.
function link(name, row) {
  const target = rows.findIndex(r => r.instruction === name && r.computation === row.computation &&
                                       r.module === row.module && r.file === row.file);
  if (target < 0) return element("code", "", name);
  const a = element("a", "mono", name);
  a.onclick = () => pick(target, true);
  return a;
}

function bitcastView(b) {
  const note = element("div", "note");
  const color = {yes: "exact", no: "superset", unknown: "unknown"}[b.answer];
  note.append(element("span", "tag " + color, `bitcast: ${b.answer}`));
  if (b.answer === "yes") note.append(` ${b.bytes.toLocaleString("en")} bytes stay`);
  if (b.answer === "no") {
    note.append(b.moved_bytes === null ? " some" : ` ${b.moved_bytes.toLocaleString("en")}`,
                ` of ${b.bytes.toLocaleString("en")} bytes move`);
  }
  if (b.element) note.append(`, first (${b.element.join(", ")}) from byte ${b.from_byte} to byte ${b.to_byte}`);
  if (b.reason) note.append((b.answer === "unknown" ? " " : "; ") + b.reason);
  return note;
}

function show(i) {
  const row = rows[i];
  detail.replaceChildren(element("h2", "mono", row.instruction),
    element("div", "type mono", `${row.type} ${row.opcode}`),
    element("div", "note", `in ${row.computation}` + (row.module ? ` of module ${row.module}` : "") +
                           (severalFiles ? ` in ${row.file}` : "")));
  if (row.bitcast) detail.append(bitcastView(row.bitcast));
  const outputs = new Set(row.indexing.map(p => p.output)).size;
  const tuple = row.type.startsWith("(");
  for (const pair of row.indexing) {
    const box = element("section", "pair");
    const head = element("h3");
    const operand = row.operands[pair.operand] ?? {name: "unknown", type: ""};  // not found
    const out = outputs > 1 || tuple ? `output ${pair.output}` : "the output";
    if (row.direction === "out") {
      head.append(`What ${out} reads of operand ${pair.operand}, `, link(operand.name, row), " ",
                  element("code", "type", operand.type));
    } else {
      head.append(`Where ${out} reads operand ${pair.operand}, `, link(operand.name, row), " ",
                  element("code", "type", operand.type));
    }
    box.append(head);
    for (const m of pair.maps) {
      const e = element("div", "map");
      const exactness = m.exact ? "exact" : m.map === "UNDEFINED" ? "unknown" : "superset";
      if (m.element !== undefined) e.append(element("div", "note", `element ${m.element} of the tuple`));
      if (exactness === "unknown") e.append(element("div", "", "Nothing is known."));
      else if (m.map === "KNOWN EMPTY") e.append(element("div", "", "Nothing is read."));
      else e.append(mapView(m.map));
      for (const value of m.runtime) e.append(runtimeView(value, row));
      for (const [hop, replica] of m.replica.entries()) {
        const numbered = /^\((replica|partition)\)/.exec(replica);
        const groups = m.replica_groups[hop];
        const note = element("div", "note", numbered ? numbered[1] + ": " : `position in the group of ${groups}: `);
        note.append(element("code", "", replica));
        e.append(note);
      }
      const verdict = element("div", "note");
      verdict.append(element("span", "tag " + exactness, exactness), m.reason ? " " + m.reason : "");
      e.append(verdict);
      box.append(e);
    }
    detail.append(box);
  }
  if (!row.operands.length && !row.indexing.length) detail.append(element("p", "note", "It has no operands."));
  else if (!row.indexing.length) detail.append(element("p", "note", "It reads none of its operands."));
  detail.scrollTop = 0;
}

function pick(i, reveal) {
  picked = i;
  if (reveal && !shown.includes(i)) {
    search.value = $("opcode").value = $("exactness").value = "";
    filter();
  }
  if (reveal) {
    const top = shown.indexOf(i) * HEIGHT;
    if (top < list.scrollTop || top + HEIGHT > list.scrollTop + list.clientHeight) {
      list.scrollTop = Math.max(0, top - list.clientHeight / 2);
    }
  }
  layout();
  show(i);
  history.replaceState(null, "", "#" + encodeURIComponent(addressOf(rows[i])));
}

list.onscroll = layout;
window.onresize = layout;
search.oninput = $("opcode").onchange = $("exactness").onchange = filter;
$("theme").onclick = () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
};
list.onkeydown = event => {
  const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12}[event.key];
  if (!step || !shown.length) return;
  event.preventDefault();
  const at = shown.indexOf(picked);
  pick(shown[Math.min(shown.length - 1, Math.max(0, at + step))], true);
};
// The instruction named in the URL, else the first one that reads more than scalars.
const named = decodeURIComponent(location.hash.slice(1));
let first = named ? rows.findIndex(r => addressOf(r) === named) : -1;
if (first < 0) first = rows.findIndex(r => r.indexing.some(p => p.maps.some(m => m.map.startsWith("(d0"))));
layout();
if (rows.length) pick(Math.max(0, first), true);
</script>
</body>
</html>
)page";

}  // namespace tessera::detail
