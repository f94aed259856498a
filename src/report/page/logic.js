// SPDX-License-Identifier: Apache-2.0
// Computations of the page: numbers as text, index maps, tables, command lines. They work without a page.

"use strict";
// An exact number is a number; a bound is [lower, upper], and upper may be null.
const isExact = n => !Array.isArray(n);
const upperOf = n => isExact(n) ? n : n[1] ?? n[0];
function numberText(n, show) {
  if (n === null || n === undefined) return "";
  if (isExact(n)) return show(n);
  if (n[1] === null) return "≥ " + show(n[0]);
  if (show(n[0]) === show(n[1])) return "≈ " + show(n[0]);
  return n[0] === 0 ? "≤ " + show(n[1]) : show(n[0]) + " … " + show(n[1]);
}
const countText = n => n.toLocaleString("en");
function bytesText(n) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
  let unit = 0;
  for (; Math.abs(n) >= 999.5 && unit + 1 < units.length; ++unit) n /= 1000;
  return n.toFixed(unit === 0 || Math.abs(n) >= 100 ? 0 : Math.abs(n) < 10 ? 2 : 1) + " " + units[unit];
}

// Index maps as text (docs/lookup/index-maps.md): results and constraints become functions of the variables.
const floorDiv = (a, b) => Math.floor(a / b);
const modulo = (a, b) => a - Math.abs(b) * Math.floor(a / Math.abs(b));
class MapText {
  constructor(text, names) {
    this.tokens = text.match(/->|\d+|\w+|[^\s\w]/g) ?? [];
    this.at = 0;
    this.names = names;
  }
  take(token) {
    if (this.tokens[this.at] !== token) return false;
    ++this.at;
    return true;
  }
  list(close, item) {
    const out = [];
    while (!this.take(close)) {
      out.push(item());
      this.take(",");
    }
    return out;
  }
  integer() {
    const sign = this.take("-") ? -1 : 1;
    return sign * Number(this.tokens[this.at++]);
  }
  interval() {
    this.take("in");
    this.take("[");
    const lower = this.integer();
    this.take(",");
    const upper = this.integer();
    this.take("]");
    return {lower, upper};
  }
  sum() {
    let left = this.product();
    for (;;) {
      const a = left;
      if (this.take("+")) { const b = this.product(); left = v => a(v) + b(v); }
      else if (this.take("-")) { const b = this.product(); left = v => a(v) - b(v); }
      else return left;
    }
  }
  product() {
    let left = this.factor();
    for (;;) {
      const a = left;
      if (this.take("*")) { const b = this.factor(); left = v => a(v) * b(v); }
      else if (this.take("/")) { const b = this.factor(); left = v => floorDiv(a(v), b(v)); }
      else if (this.take("ceildiv")) { const b = this.factor(); left = v => -floorDiv(-a(v), b(v)); }
      else if (this.take("mod")) { const b = this.factor(); left = v => modulo(a(v), b(v)); }
      else return left;
    }
  }
  factor() {
    if (this.take("-")) { const a = this.factor(); return v => -a(v); }
    if (this.take("(")) { const a = this.sum(); this.take(")"); return a; }
    const token = this.tokens[this.at++];
    if (token === "min" || token === "max") {
      this.take("(");
      const a = this.sum();
      this.take(",");
      const b = this.sum();
      this.take(")");
      return token === "min" ? v => Math.min(a(v), b(v)) : v => Math.max(a(v), b(v));
    }
    if (/^\d/.test(token)) { const value = Number(token); return () => value; }
    let place = this.names.indexOf(token);
    if (place < 0) place = this.names.push(token) - 1;
    return v => v[place] ?? 0;
  }
}
// Null for UNDEFINED and KNOWN EMPTY.
function parseMap(text) {
  if (!text.startsWith("(")) return null;
  const names = [];
  const reader = new MapText(text, names);
  const name = () => names[names.push(reader.tokens[reader.at++]) - 1];
  reader.take("(");
  const dims = reader.list(")", name).length;
  const ranges = reader.take("[") ? reader.list("]", name).length : 0;
  const runtimes = reader.take("{") ? reader.list("}", name).length : 0;
  reader.take("->");
  reader.take("(");
  const results = reader.list(")", () => reader.sum());
  const bounds = [], constraints = [];
  if (reader.take(",")) {
    reader.take("domain");
    reader.take(":");
    while (reader.at < reader.tokens.length) {
      const value = reader.sum(), interval = reader.interval();
      if (bounds.length < dims + ranges + runtimes) bounds.push(interval);
      else constraints.push({value, ...interval});
      reader.take(",");
    }
  }
  return {names, dims, ranges, runtimes, results, bounds, constraints};
}
function parseExpr(text, names) { return new MapText(text, names).sum(); }

// The elements that one index reads: at most `limit`, runtime variables at their first value.
function readsOf(map, index, limit) {
  const values = map.bounds.map((b, i) => i < map.dims ? index[i] : b.lower);
  const out = {points: [], complete: true};
  if (map.bounds.some((b, i) => values[i] < b.lower || (i < map.dims && values[i] > b.upper))) return out;
  const last = map.dims + map.ranges;
  for (let steps = 0; ; ++steps) {
    if (steps >= limit) { out.complete = false; return out; }
    if (map.constraints.every(c => { const x = c.value(values); return x >= c.lower && x <= c.upper; }))
      out.points.push(map.results.map(f => f(values)));
    let i = last - 1;
    for (; i >= map.dims; --i) {
      if (++values[i] <= map.bounds[i].upper) break;
      values[i] = map.bounds[i].lower;
    }
    if (i < map.dims) return out;
  }
}

// A tile of a `tessera.tile/1` answer at these tile numbers: for each dimension the indices that are read.
function tileAt(symbolic, numbers) {
  const names = [];
  const value = text => {
    const f = parseExpr(text, names);
    return f(names.map(n => numbers[Number(n.replace(/^tid_/, ""))] ?? 0));
  };
  return symbolic.dims.map(d => {
    const first = value(d.offset), step = value(d.stride), lower = value(d.lower), upper = value(d.upper);
    const out = [];
    for (let k = 0, size = value(d.size); k < size && out.length < 65536; ++k) {
      const at = first + k * step;
      if (at >= lower && at < upper) out.push(at);
    }
    return out;
  });
}

// The elements of a tile, at most `limit`.
function pointsOfTile(sets, limit) {
  let points = [[]], complete = true;
  for (const set of sets) {
    points = points.flatMap(p => set.map(x => [...p, x]));
    if (points.length > limit) { points.length = limit; complete = false; }
  }
  return {points, complete};
}
function distinct(points) {
  const seen = new Set();
  return points.filter(p => { const key = p.join(); return !seen.has(key) && seen.add(key); });
}

// Rows that contain all words, sorted by a column; rows without a value come last.
function filterRows(rows, textOf, query, keep) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(r => keep(r) && words.every(w => textOf(r).includes(w)));
}
function sortRows(rows, value, descending) {
  const keyed = rows.map((row, i) => ({row, i, key: value(row)}));
  const missing = k => k === null || k === undefined || k === "";
  keyed.sort((a, b) => {
    if (missing(a.key) || missing(b.key)) return missing(a.key) - missing(b.key) || a.i - b.i;
    const order = a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
    return (descending ? -order : order) || a.i - b.i;
  });
  return keyed.map(k => k.row);
}

const shellWord = text => /^[\w.\/+=:,@%-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
// What to type for each answer about an instruction.
function commandsFor(report, row) {
  const file = shellWord(report.modules[row.module].file);
  const name = shellWord(row.computation + "/" + row.instruction);
  const out = [["maps", `tessera hlo ${file} --op ${name}`]];
  if (row.traffic) out.push(["traffic", `tessera hlo ${file} --traffic --op ${name}`]);
  if (row.tiled) out.push(["in tiles", `tessera hlo ${file} --traffic --on-chip ${report.modules[row.module].tiled.on_chip_bytes} --op ${name}`]);
  if (row.tile !== undefined) {
    out.push(["tiles", `tessera tile ${file} --op ${name} --tile ${report.tiles[row.tile].tile.join(",")}`]);
  }
  if (row.bitcast) out.push(["bitcast", `tessera hlo ${file} --bitcasts --op ${name}`]);
  for (const x of row.traffic?.operands ?? []) {
    const warp = report.warps[x.warp];
    if (!warp.map || x.element !== undefined) continue;
    const type = report.types[row.operands[x.operand].type].type;
    out.push([`warp, operand ${x.operand}`,
              `tessera access ${shellWord(type)} --threads ${shellWord("map:" + warp.map)} --space global`]);
  }
  return out;
}
