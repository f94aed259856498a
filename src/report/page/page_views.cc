// SPDX-License-Identifier: Apache-2.0
// The page itself: the summary, the tables, and everything about one instruction.
#include "report/page/page.h"

namespace tessera::detail {

const char* const kPageViews = R"page(
"use strict";
const report = JSON.parse(document.getElementById("data").textContent);
const rows = report.instructions;
const $ = id => document.getElementById(id);
const tablePane = $("table"), heads = tablePane.children[0], body = tablePane.children[1], detail = $("detail");
const HEIGHT = 28;
const severalFiles = new Set(report.modules.map(m => m.file)).size > 1;
const severalModules = report.modules.length > 1;
let view = "summary", picked = -1, shown = [];
rows.forEach((row, i) => { row.place = i; });

// Names.
const fullName = row => row.computation + "/" + row.instruction;
const addressOf = row => (severalModules ? row.module + ":" : "") + fullName(row);
const typeOf = row => report.types[row.type].type;
const operandsOf = i => [...new Set(rows[i].operands.map(o => o.instruction).filter(j => j !== null))];
let users = null;
function usersOf(i) {
  if (!users) {
    users = rows.map(() => []);
    rows.forEach((row, j) => { for (const k of operandsOf(j)) users[k].push(j); });
  }
  return users[i];
}
function link(i, text) {
  if (i === null || i === undefined) return element("code", "", text ?? "?");
  const a = element("a", "mono", text ?? rows[i].instruction);
  a.title = fullName(rows[i]);
  a.href = "#" + encodeURIComponent(addressOf(rows[i]));
  a.onclick = event => { event.preventDefault(); open(i); };
  return a;
}
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

// The summary.
const KINDS = {total: "in all", reads: "reads most", wastes: "wastes most", uncoalesced: "uncoalesced",
               padding: "padded", copies: "copied", unknown: "unknown"};
function showSummary() {
  const out = $("summary").firstElementChild;
  out.replaceChildren();
  report.modules.forEach((m, at) => {
    if (severalModules) out.append(element("h2", "", severalFiles ? `${m.file}: ${m.module}` : m.module));
    const card = (value, text, exact) => element("div", "card", element("b", exact === false ? "bound" : "", value),
                                                 element("span", "", text));
    const t = m.traffic;
    out.append(element("div", "cards",
      card(countText(m.instructions), "instructions"), card(countText(t.steps), "steps that move data"),
      card(numberText(t.moved_bytes, bytesText), "move if nothing is reused", isExact(t.moved_bytes)),
      card(numberText(t.minimum_bytes, bytesText), "must move", isExact(t.minimum_bytes)),
      card(bytesText(m.padding.now_bytes - m.padding.element_bytes), "of padding"),
      card(bytesText(m.copies.traffic_bytes), "moved by copies"),
      card(countText(t.unknown), "unknown steps")));
    out.append(element("h2", "", "What this program wastes"));
    let last = "";
    for (const f of report.summary) {
      if (f.module !== at) continue;
      const sentence = element("div", "");
      const name = f.instruction === undefined ? null : fullName(rows[f.instruction]);
      const cut = name ? f.text.indexOf(name) : -1;
      if (cut < 0) sentence.append(f.text);
      else sentence.append(f.text.slice(0, cut), link(f.instruction, name), f.text.slice(cut + name.length));
      const bad = f.bytes > 0 || (f.kind === "uncoalesced" && f.instruction !== undefined) ||
                  (f.kind === "unknown" && f.instruction !== undefined);
      const e = element("div", "finding",
        element("div", "kind" + (bad && f.kind !== "reads" ? " bad" : ""), f.kind === last ? "" : KINDS[f.kind] ?? f.kind),
        sentence, tag(f.exact ? "exact" : "bound"));
      last = f.kind;
      if (f.command) e.append(commandView(f.command));
      out.append(e);
    }
  });
  const note = element("p", "note");
  note.append("Bytes are those of elements, as the program's maps read them: no cache is assumed. ", tag("exact"),
    " numbers are counted; ", tag("bound"), " ones are limits. The tables above sort and search every instruction.");
  out.append(note);
}

// The tables. A column: name, width, value to sort by, text to show, whether it is a number.
const bytesColumn = (name, value, title) =>
  ({name, width: "84px", value: r => { const n = value(r); return n === undefined || n === null ? null : upperOf(n); },
    text: r => numberText(value(r), bytesText), number: true, title});
const countColumn = (name, value, title) =>
  ({name, width: "92px", value: r => { const n = value(r); return n === undefined || n === null ? null : upperOf(n); },
    text: r => numberText(value(r), countText), number: true, title});
const textColumn = (name, width, value, className) => ({name, width, value, text: value, className});
function excess(row) {
  const all = (row.traffic?.operands ?? []).map(x => report.warps[x.warp]).filter(w => w.sectors > w.fewest);
  return all.length ? Math.max(...all.map(w => w.sectors / w.fewest)) : null;
}
const timesText = n => n === null || n === undefined ? "" : n.toFixed(n < 10 ? 1 : 0) + "×";
const VIEWS = {
  instructions: {
    title: "Instructions", rows: () => rows, target: r => r.place, least: "980px", sort: 5,
    columns: [
      textColumn("instruction", "minmax(170px, 2fr)", r => r.instruction, "mono"),
      textColumn("opcode", "minmax(90px, 1fr)", r => r.opcode),
      textColumn("type", "minmax(110px, 1.4fr)", typeOf, "second mono"),
      bytesColumn("read", r => r.traffic?.read_bytes, "bytes that one run reads, each element as often as the maps read it"),
      bytesColumn("used", r => r.traffic?.used_bytes, "different bytes among them"),
      bytesColumn("again", r => r.traffic?.reread_bytes, "bytes that all runs read again after the first time"),
      bytesColumn("written", r => r.traffic?.written_bytes),
      {name: "ratio", width: "66px", value: r => r.traffic?.ratio ?? null, text: r => timesText(r.traffic?.ratio), number: true,
       title: "(read + written) / (used + written)"},
      {name: "runs", width: "62px", value: r => r.traffic ? upperOf(r.traffic.runs) : null,
       text: r => r.traffic ? numberText(r.traffic.runs, countText) : "", number: true},
      {name: "sectors", width: "66px", value: excess, text: r => timesText(excess(r)), number: true,
       title: "sectors of 32 bytes that the first warp fetches, for one that its bytes need"},
      textColumn("answer", "78px", r => r.indexing.length ? r.exactness : "")]},
  operands: {
    title: "Operands", target: r => r.row.place, least: "860px", sort: 4,
    rows: () => rows.flatMap(row => (row.traffic?.operands ?? []).map(x => ({row, x}))),
    columns: [
      textColumn("instruction", "minmax(150px, 1.6fr)", r => r.row.instruction, "mono"),
      textColumn("operand", "minmax(130px, 1.4fr)", r => `${r.x.operand} ${operandName(r)}`, "mono"),
      textColumn("type", "minmax(110px, 1.2fr)", r => report.types[r.row.operands[r.x.operand].type].type, "second mono"),
      countColumn("elements", r => r.x.elements, "of the array"),
      countColumn("reads", r => r.x.reads, "elements read, each as often as the maps read it"),
      countColumn("used", r => r.x.used, "different elements that are read"),
      {name: "each", width: "76px", number: true, title: "reads for each element that is used",
       value: r => upperOf(r.x.used) ? upperOf(r.x.reads) / upperOf(r.x.used) : null,
       text: r => upperOf(r.x.used) ? timesText(upperOf(r.x.reads) / upperOf(r.x.used)) : ""},
      {name: "sectors", width: "80px", number: true, title: "fetched by the first warp, and how many would do",
       value: r => { const w = report.warps[r.x.warp]; return w.sectors ? w.sectors / w.fewest : null; },
       text: r => { const w = report.warps[r.x.warp]; return w.sectors === undefined ? "" : `${w.sectors} / ${w.fewest}`; }}]},
  arrays: {
    title: "Arrays", rows: () => report.arrays, target: r => r.first, least: "780px", sort: 5,
    columns: [
      textColumn("type", "minmax(190px, 2fr)", r => report.types[r.type].type, "mono"),
      countColumn("arrays", r => r.arrays), bytesColumn("elements", r => r.element_bytes, "of one array, without padding"),
      bytesColumn("now", r => r.now_bytes, "in memory, as written"), bytesColumn("best", r => r.best_bytes, "the smallest layout of the rule"),
      bytesColumn("saving", r => r.saving, "of all arrays of the type"),
      textColumn("best layout", "minmax(190px, 2fr)", r => r.saving > 0 ? r.best : "", "second mono")]},
  movements: {
    title: "Movements", rows: () => report.movements, target: r => r.instruction, least: "740px", sort: 2,
    columns: [
      textColumn("instruction", "minmax(150px, 1.6fr)", r => rows[r.instruction].instruction, "mono"),
      textColumn("moves", "76px", r => r.moves),
      bytesColumn("traffic", r => r.traffic_bytes, "read and written in all runs"),
      bytesColumn("result", r => r.bytes), bytesColumn("moved", r => r.moved_bytes, "bytes of the result that are elsewhere in the operand"),
      textColumn("plan", "110px", r => r.kernels.join(", ")),
      textColumn("why", "minmax(160px, 2fr)", r => r.reason ?? "", "second")]},
  changes: {
    title: "Changes", rows: () => report.comparison.changes, target: r => r.instruction, least: "640px", sort: -1,
    columns: [
      textColumn("instruction", "minmax(150px, 1.6fr)", r => r.instruction === null ? "" : rows[r.instruction].instruction, "mono"),
      textColumn("was", "minmax(150px, 1.6fr)", r => r.old ?? "new", "second mono"),
      textColumn("type", "minmax(110px, 1.2fr)", r => r.type, "second mono"),
      bytesColumn("before", r => r.old_bytes), bytesColumn("after", r => r.bytes),
      bytesColumn("change", r => r.bytes - r.old_bytes)]},
};
const operandName = r => { const j = r.row.operands[r.x.operand].instruction; return j === null ? "?" : rows[j].instruction; };
let table = null, sorted = {column: -1, descending: true};
const texts = new Map();
function textOf(r) {
  let text = texts.get(r);
  if (text !== undefined) return text;
  const target = table.target(r);
  const row = target === null ? null : rows[target];
  const parts = table.columns.filter(c => !c.number).map(c => c.text(r));
  if (row) {
    parts.push(fullName(row), row.opcode, typeOf(row), report.modules[row.module].file);
    if (row.bitcast) parts.push("bitcast: " + row.bitcast.answer);
    if (r === row) for (const p of row.indexing) for (const m of p.maps) parts.push(report.maps[m].map, report.maps[m].reason);
  }
  text = parts.join(" ").toLowerCase();
  texts.set(r, text);
  return text;
}
function refresh(keepPlace) {
  const opcode = $("opcode").value, exactness = $("exactness").value;
  const keep = r => {
    if (!opcode && !exactness) return true;
    const target = table.target(r);
    if (target === null) return false;
    const row = rows[target];
    return (!opcode || row.opcode === opcode) && (!exactness || (row.exactness === exactness && row.indexing.length > 0));
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
      const d = element("div", (c.number ? "number" : "") + " " + (c.className ?? ""), text);
      if (!c.number) d.title = text;
      if (text === "superset" || text === "unknown") d.classList.add(text);
      e.append(d);
    }
    e.onclick = () => { if (target !== null) pick(target); };
    space.append(e);
  }
  body.replaceChildren(shown.length ? space : element("div", "empty", "Nothing matches."));
  heads.style.paddingRight = body.offsetWidth - body.clientWidth + "px";
}
function showTable(name) {
  table = VIEWS[name];
  table.all ??= table.rows();
  sorted = table.sorted ??= {column: table.sort, descending: true};
  tablePane.style.setProperty("--columns", table.columns.map(c => c.width).join(" "));
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

// One instruction.
function mapView(text) {
  const out = element("div");
  const cut = text.indexOf(", domain: ");
  out.append(element("code", "function", cut < 0 ? text : text.slice(0, cut)));
  if (cut >= 0) {
    const domain = element("ul", "domain");
    for (const item of text.slice(cut + 10).split(/(?<=\]), /)) domain.append(element("li", "mono", item));
    out.append(domain);
  }
  return out;
}
function runtimeView(value, row) {
  const note = element("div", "note");
  const clamp = value.clamp ? `, clamped to [${value.clamp.join(", ")}]` : "";
  const target = value.calls ? -1 : rows.findIndex(r => r.instruction === value.source && r.computation === row.computation &&
                                                       r.module === row.module);
  note.append(element("code", "", value.var), " is read at run time from ",
              target < 0 ? element("code", "", value.source) : link(target));
  if (value.tuple_path) note.append(element("code", "", "#" + value.tuple_path.join("#")));
  for (const call of [...value.calls ?? []].reverse()) {
    note.append(call.branch === undefined ? " in " : ` in branch ${call.branch} of `, element("code", "", call.caller));
  }
  if (value.hops) note.append(` on the replica after hop ${value.hops}`);
  note.append(" at ", element("code", "", value.map), clamp);
  return note;
}
function oneMap(m, row) {
  const e = element("div", "map");
  const exactness = m.exact ? "exact" : m.map === "UNDEFINED" ? "unknown" : "superset";
  if (m.element !== undefined) e.append(element("div", "note", `element ${m.element} of the tuple`));
  if (exactness === "unknown") e.append(element("div", "", "Nothing is known."));
  else if (m.map === "KNOWN EMPTY") e.append(element("div", "", "Nothing is read."));
  else e.append(mapView(m.map));
  for (const value of m.runtime) e.append(runtimeView(value, row));
  for (const [hop, replica] of m.replica.entries()) {
    const numbered = /^\((replica|partition)\)/.exec(replica);
    e.append(element("div", "note", numbered ? numbered[1] + ": " : `position in the group of ${m.replica_groups[hop]}: `,
                     element("code", "", replica)));
  }
  e.append(element("div", "note", tag(exactness), m.reason ? " " + m.reason : ""));
  return e;
}
function trafficView(row) {
  const t = row.traffic;
  const box = element("div", "box", element("h3", "", "Traffic"));
  box.append(tableOf(["", ">read", ">used", ">written", ">again", ">ratio", ">runs"],
    [[cell(t.in_place ? "in place" : "one run"), bytesCell(t.read_bytes), bytesCell(t.used_bytes), bytesCell(t.written_bytes),
      bytesCell(t.reread_bytes), cell(timesText(t.ratio), true), cell(numberText(t.runs, countText), true)]]));
  if (t.operands.length) {
    const lines = t.operands.map(x => {
      const w = report.warps[x.warp], operand = row.operands[x.operand];
      const each = upperOf(x.used) ? timesText(upperOf(x.reads) / upperOf(x.used)) : "";
      const sectors = cell(w.sectors === undefined ? "?" : `${w.sectors} / ${w.fewest}`, true);
      sectors.title = w.reason ?? w.map;
      if (w.sectors > w.fewest) sectors.classList.add("superset");
      return [element("td", "", `${x.operand} `, link(operand.instruction)), cell(countText(x.elements), true),
              cell(numberText(x.used, countText), true), cell(numberText(x.reads, countText), true), cell(each, true), sectors];
    });
    box.append(tableOf(["operand", ">elements", ">used", ">reads", ">each", ">sectors"], lines));
  }
  const reasons = new Set([t.reason, ...t.operands.map(x => x.reason)].filter(Boolean));
  for (const reason of reasons) box.append(element("div", "note", tag(t.exactness === "exact" ? "bound" : t.exactness), " " + reason));
  if (t.operands.length) box.append(element("div", "note", "sectors: pieces of 32 bytes that the first warp fetches, and how many its bytes need"));
  return box;
}
const runtimeFree = map => map && map.runtimes === 0;
// What one element, or one tile, of the result reads.
// The arrays of a type.
const arraysOf = type => type.leaves ? type.leaves.map(i => report.types[i]) : [type];
function readsView(row) {
  const type = arraysOf(report.types[row.type])[0] ?? {};
  const tile = row.tile === undefined ? null : report.tiles[row.tile];
  if (!type.dims) return null;
  const pairs = row.indexing.filter(p => p.output === 0 && report.types[row.operands[p.operand]?.type]?.dims)
    .map(p => ({...p, exactMaps: p.maps.every(m => report.maps[m].exact),
                maps: p.maps.map(m => parseMap(report.maps[m].map)).filter(runtimeFree)}));
  const tiled = tile?.tiles.filter(t => t.symbolic && row.operands[t.operand] && report.types[row.operands[t.operand].type].dims) ?? [];
  if (!pairs.length && !tiled.length) return null;
  const box = element("div", "box");
  const space = element("div", "pictures");
  let mode = tiled.length ? "tile" : "element";
  let at = type.dims.map(d => Math.floor(d / 2));
  const button = (word, text) => {
    const b = element("button", "", text);
    b.dataset.mode = word;
    b.onclick = () => { mode = word; draw(); };
    return b;
  };
  const modes = element("span", "switch");
  if (tiled.length) modes.append(button("tile", "one tile"), " ");
  if (pairs.length) modes.append(button("element", "one element"));
  box.append(element("h3", "", "What it reads ", modes), space);
  const side = 240;
  const draw = () => {
    for (const b of modes.querySelectorAll("button")) b.classList.toggle("on", b.dataset.mode === mode);
    space.replaceChildren();
    const read = colorOf("read"), mark = colorOf("mark");
    const sizes = tile?.tile ?? [];
    const numbers = at.map((x, i) => Math.floor(x / (sizes[i] || 1)));
    const own = arrayCanvas(type.dims, side);
    own.canvas.className = "pick";
    if (mode === "tile") {
      const ends = type.dims.map((d, i) => [numbers[i] * sizes[i], Math.min(d, (numbers[i] + 1) * sizes[i])]);
      const [r0, r1] = ends.length > 1 ? ends[ends.length - 2] : [0, 1], [c0, c1] = ends.at(-1) ?? [0, 1];
      own.pen.fillStyle = mark;
      own.pen.fillRect(c0 * own.x, r0 * own.y, Math.max((c1 - c0) * own.x, 2), Math.max((r1 - r0) * own.y, 2));
    } else {
      own.fill(at.at(-2) ?? 0, at.at(-1) ?? 0, mark);
    }
    own.lines();
    own.canvas.onclick = event => {
      const [r, c] = own.cellAt(event);
      if (at.length > 1) at[at.length - 2] = r;
      if (at.length > 0) at[at.length - 1] = c;
      draw();
    };
    const slice = sliceText(type.dims, at.slice(0, -2));
    const what = mode === "tile" ? `tile ${sizes.slice(0, at.length).join(" × ")} at (${numbers.map((n, i) => n * sizes[i]).join(", ")})`
                                 : `element (${at.join(", ")})`;
    space.append(figure(`${what} of the result ${slice} · click to choose`, own.canvas));
    for (const [operand, items] of Map.groupBy ? Map.groupBy(mode === "tile" ? tiled : pairs, x => x.operand)
                                               : grouped(mode === "tile" ? tiled : pairs, x => x.operand)) {
      const dims = report.types[row.operands[operand].type].dims;
      const name = operandName({row, x: {operand}});
      const parts = mode === "tile" ? items.map(item => pointsOfTile(tileAt(item.symbolic, numbers), 100000))
                                    : items.flatMap(item => item.maps.map(map => readsOf(map, at, 100000)));
      const points = distinct(parts.flatMap(part => part.points));
      const complete = parts.every(part => part.complete);
      const bound = items.some(i => mode === "tile" ? !i.exact : !i.exactMaps);
      const title = `${!complete ? "more than " : bound ? "at most " : ""}${countText(points.length)} of operand ${operand} ${name}`;
      const drawn = pointsPicture(title, dims, points, side, read);
      space.append(drawn.figure);
    }
  };
  box.redraw = draw;
  draw();
  return box;
}
function grouped(items, key) {
  const out = new Map();
  for (const item of items) { const k = key(item); if (!out.has(k)) out.set(k, []); out.get(k).push(item); }
  return out;
}
function tilesView(row) {
  const tile = report.tiles[row.tile];
  const box = element("div", "box", element("h3", "", `Tiles of ${tile.tile.join(" × ")}`));
  for (const t of tile.tiles) {
    const head = element("div", "map", `operand ${t.operand} `, link(row.operands[t.operand]?.instruction), " ",
                         element("code", "type", t.type));
    if (t.symbolic) {
      const part = key => "(" + t.symbolic.dims.map(d => d[key]).join(", ") + ")";
      head.append(tableOf(["offset", "size", "stride"], [["offset", "size", "stride"].map(k => element("td", "mono", part(k)))]));
      if (t.symbolic.constraint !== "always satisfied")
        head.append(element("div", "note", "if ", element("code", "", t.symbolic.constraint)));
    }
    head.append(element("div", "note", tag(t.exact ? "exact" : t.symbolic ? "bound" : "unknown"), t.reason ? " " + t.reason : ""));
    box.append(head);
  }
  if (tile.traffic.length) {
    box.append(tableOf(["operand", ">a tile reads", ">all tiles read", ">times the array"], tile.traffic.map(x => {
      const bits = x.element_bits, size = n => Math.ceil(n * bits / 8);
      const number = c => c.lower === c.upper ? size(c.lower) : [size(c.lower), c.upper === null ? null : size(c.upper)];
      return [element("td", "", `${x.operand} `, link(row.operands[x.operand]?.instruction)), bytesCell(number(x.tile_used)),
              bytesCell(number(x.used)), cell(x.elements && x.used.upper !== null ? timesText(x.used.upper / x.elements) : "", true)];
    })));
  }
  return box;
}
function detailOf(i) {
  const row = rows[i], type = report.types[row.type];
  const module = report.modules[row.module];
  const tags = row.indexing.length ? [" ", tag(row.exactness)] : [];
  const where = element("div", "note", `in ${row.computation}` + (severalModules ? ` of ${module.module}` : "") +
                        (severalFiles ? ` in ${module.file}` : "") + (row.root ? ", the root" : ""), ...tags);
  const out = [element("h2", "mono", row.instruction), element("div", "type mono", `${type.type} ${row.opcode}`), where];
  const note = (...parts) => out.push(element("div", "note", ...parts));
  const b = row.bitcast;
  if (b) {
    note(tag({yes: "exact", no: "superset", unknown: "unknown"}[b.answer]),
         b.answer === "yes" ? ` a bitcast: ${bytesText(b.bytes)} stay where they are`
         : b.answer === "no" ? ` ${b.moved_bytes === null ? "some" : bytesText(b.moved_bytes)} of ${bytesText(b.bytes)} move` : " whether data moves",
         b.reason ? (b.answer === "unknown" ? ": " : "; ") + b.reason : "");
  }
  for (const chain of report.chains) {
    if (!chain.instructions.includes(i)) continue;
    note(tag("superset"), chain.cancels ? " cancels with " : " could be one movement with ",
         ...chain.instructions.filter(j => j !== i).flatMap(j => [link(j), " "]), `: ${bytesText(chain.saving)} saved`);
  }
  if (report.lost_bitcasts.some(l => l.instruction === i))
    note(tag("superset"), ` would become a copy if every array took its best layout under ${module.padding.rule}`);
  out.push(element("h2", "", "Neighborhood"), graph(i, operandsOf, usersOf, rows, open));
  if (row.traffic) out.push(trafficView(row));
  const reads = readsView(row);
  if (reads) out.push(reads);
  if (row.tile !== undefined && report.tiles[row.tile].tiles.length) out.push(tilesView(row));
  const outputs = new Set(row.indexing.map(p => p.output)).size;
  for (const pair of row.indexing) {
    const operand = row.operands[pair.operand] ?? {instruction: null};
    const of = outputs > 1 || type.type.startsWith("(") ? `output ${pair.output}` : "the output";
    out.push(element("div", "box", element("h3", "", `What ${of} reads of operand ${pair.operand}, `, link(operand.instruction, operand.instruction === null ? "unknown" : undefined), " ",
      element("code", "type", operand.type === undefined ? "" : report.types[operand.type].type)),
      ...pair.maps.map(m => oneMap(report.maps[m], row))));
  }
  for (const array of arraysOf(type).slice(0, 8)) {
    const layout = layoutPicture(array);
    if (!layout) continue;
    const padded = array.memory_bytes > array.bytes ?
      `${bytesText(array.memory_bytes)} in memory for ${bytesText(array.bytes)} of elements` : "";
    out.push(element("div", "box", element("h3", "", "The result in memory ", element("code", "type", array.type)),
                     element("div", "pictures", layout), element("div", "note mono", array.offset), element("div", "note", padded)));
  }
  if (row.called) {
    for (const name of row.called) {
      const inner = rows.filter(r => r.computation === name && r.module === row.module);
      out.push(element("div", "box", element("h3", "", `Inside: ${name}`), tableOf(["instruction", "opcode", "type", "operands"],
        inner.slice(0, 400).map(r => [element("td", "", link(r.place), r.root ? " (root)" : ""), cell(r.opcode), element("td", "mono", typeOf(r)),
          element("td", "", ...r.operands.flatMap((o, k) => [k ? ", " : "", link(o.instruction)]))])),
        inner.length > 400 ? element("div", "note", `and ${inner.length - 400} more`) : ""));
    }
  }
  out.push(element("h2", "", "Ask for this answer"), element("div", "box",
    ...commandsFor(report, row).flatMap(([what, text]) => [element("div", "note", what), commandView(text)])));
  return out;
}
function pick(i) {
  picked = i;
  paint();
  detail.replaceChildren(...detailOf(i));
  detail.querySelector(".graph").center();
  detail.scrollTop = 0;
  history.replaceState(null, "", "#" + encodeURIComponent(addressOf(rows[i])));
}
// Shows an instruction from anywhere.
function open(i) {
  if (view === "summary" || !shown.some(r => table.target(r) === i)) {
    $("search").value = $("opcode").value = $("exactness").value = "";
    picked = i;
    if (view === "instructions") refresh(); else show("instructions");
  }
  const top = shown.findIndex(r => table.target(r) === i) * HEIGHT;
  if (top < body.scrollTop || top + HEIGHT > body.scrollTop + body.clientHeight)
    body.scrollTop = Math.max(0, top - body.clientHeight / 2);
  pick(i);
}

// Controls.
const names = ["summary", "instructions", "operands", "arrays", "movements", ...report.comparison ? ["changes"] : []];
names.forEach(name => {
  const count = {arrays: report.arrays.length, movements: report.movements.length, instructions: rows.length,
                 changes: report.comparison?.changes.length}[name];
  const b = element("button", "view", (VIEWS[name]?.title ?? "Summary") + (count === undefined ? "" : ` ${countText(count)}`));
  b.dataset.view = name;
  b.onclick = () => { history.replaceState(null, "", "#/" + name); show(name); };
  $("nav").insertBefore(b, $("nav").querySelector(".gap"));
});
const counts = new Map();
for (const row of rows) counts.set(row.opcode, (counts.get(row.opcode) || 0) + 1);
for (const [opcode, count] of [...counts].sort((a, b) => a[0] < b[0] ? -1 : 1)) {
  const option = element("option", "", `${opcode} (${count})`);
  option.value = opcode;
  $("opcode").append(option);
}
const search = () => { if (view === "summary") show("instructions"); else refresh(); };
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
  if (next !== null) open(next);
};
// The instruction or the view that the URL names, else the summary.
function follow() {
  const named = decodeURIComponent(location.hash.slice(1));
  const i = named && !named.startsWith("/") ? rows.findIndex(r => addressOf(r) === named) : -1;
  if (i >= 0) open(i);
  else show(names.includes(named.slice(1)) ? named.slice(1) : "summary");
}
window.onhashchange = follow;
showSummary();
follow();
document.documentElement.dataset.ready = Math.round(performance.now());
)page";

}  // namespace tessera::detail
