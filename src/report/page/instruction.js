// SPDX-License-Identifier: Apache-2.0
// The part of the page about one instruction.

"use strict";
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
  const device = report.modules[row.module].device;
  const warped = t.operands.length > 0 && device !== "CPU" && device !== "TPU";
  box.append(tableOf(["", ">read", ">used", ">written", ">again", ">ratio", ">runs"],
    [[cell(t.in_place ? "in place" : "one run"), bytesCell(t.read_bytes), bytesCell(t.used_bytes), bytesCell(writtenBytes(t)),
      bytesCell(t.reread_bytes), cell(timesText(t.ratio), true), cell(numberText(t.runs, countText), true)]]));
  if (t.operands.length) {
    const lines = t.operands.map(x => {
      const w = report.warps[x.warp], operand = row.operands[x.operand];
      const each = timesRange(x.reads, x.used);
      const sectors = cell(w.sectors === undefined ? "?" : sectorsText(w), true);
      sectors.title = w.reason ?? `${countText(w.sectors)} of ${countText(w.fewest)}` +
        (w.sampled ? `, in a sample of ${countText(w.sampled)} instructions` : "") + `: ${w.map}`;
      if (w.sectors > w.fewest) sectors.classList.add("superset");
      return [element("td", "", `${placesOf(x)} `, link(operand.instruction)), cell(countText(x.elements), true),
              cell(numberText(x.used, countText), true), cell(numberText(x.reads, countText), true), cell(each, true), ...warped ? [sectors] : []];
    });
    box.append(tableOf(["operand", ">elements", ">used", ">reads", ">each", ...warped ? [">sectors"] : []], lines));
  }
  const reasons = new Set([t.reason, ...t.operands.map(x => x.reason)].filter(Boolean));
  for (const reason of reasons) box.append(element("div", "note", tag(t.exactness === "exact" ? "bound" : t.exactness), " " + reason));
  if (warped) box.append(element("div", "note",
    "sectors: pieces of 32 bytes that warps of 32 lanes fetch, for each that would hold the data, if one thread computes one element"));
  return box;
}
// What one run moves in tiles that fit on the chip.
function tiledView(row) {
  const t = row.tiled, m = report.modules[row.module].tiled;
  const box = element("div", "box", element("h3", "", `In tiles with ${bytesText(m.on_chip_bytes)} on chip`));
  const tile = t.whole ? "fits whole" : t.tile ? t.tile.join(" × ") + (t.result === undefined ? "" : ` of result ${t.result}`) : "none";
  const fused = isExact(row.traffic.read_bytes) && isExact(writtenBytes(row.traffic)) ? row.traffic.read_bytes + writtenBytes(row.traffic) : null;
  box.append(tableOf([">moves", "tile", ">its bytes", ">as fused"],
    [[bytesCell(t.bytes), cell(tile), t.tile_bytes === undefined ? cell("") : bytesCell(t.tile_bytes), fused === null ? cell("") : bytesCell(fused)]]));
  if (t.product) box.append(element("div", "note", tag("bound"), ` no order of the product moves less than ${bytesText(lowerOf(t.bytes))}`));
  if (t.reason) box.append(element("div", "note", "no better tile: " + t.reason));
  if (m.source) box.append(element("div", "note", m.source));
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
              bytesCell(number(x.used)), cell(timesRange(x.used.lower === x.used.upper ? x.used.lower : [x.used.lower, x.used.upper], x.elements), true)];
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
  if (row.line !== undefined) note(codeText(report.lines[row.line]));
  const b = row.bitcast;
  if (b) {
    note(tag({yes: "exact", no: "superset", unknown: "unknown"}[b.answer]),
         b.answer === "yes" ? ` a bitcast: ${bytesText(b.bytes)} stay where they are`
         : b.answer === "no" ? ` ${b.moved_bytes === null ? "some" : bytesText(b.moved_bytes)} of ${bytesText(b.bytes)} move` : " whether data moves",
         b.reason ? (b.answer === "unknown" ? ": " : "; ") + b.reason : "");
  }
  for (const w of report.wastes ?? []) {
    if (w.instruction !== i) continue;
    const saved = w.seconds ? timeText(w.seconds) : numberText(w.bytes, bytesText);
    note(tag("bound"), ` ${w.kind}, ${saved}: ${w.text}`);
    for (const m of w.maps ?? []) out.push(element("div", "map mono", report.maps[m].map));
  }
  for (const chain of report.chains) {
    if (!chain.instructions.includes(i)) continue;
    note(tag("superset"), chain.cancels ? " cancels with " : " could be one movement with ",
         ...chain.instructions.filter(j => j !== i).flatMap(j => [link(j), " "]), `: ${bytesText(chain.saving)} saved`);
  }
  if (report.lost_bitcasts.some(l => l.instruction === i))
    note(tag("superset"), ` would become a copy if every array took its best layout under ${module.padding.rule}`);
  out.push(element("h2", "", "Neighborhood"), graph(i, operandsOf, usersOf, membersOf, rows, j => { enter(hashOf(j)); open(j); }));
  if (row.traffic) out.push(trafficView(row));
  if (row.tiled) out.push(tiledView(row));
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
      const inner = membersOf(i).map(j => rows[j]).filter(r => r.computation === name);
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
