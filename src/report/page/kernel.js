// SPDX-License-Identifier: Apache-2.0
// The page of a kernel of Triton, which calls the other scripts: its summary, its tables, one operation.

"use strict";
const rows = report.operations;
rows.forEach((row, i) => { row.place = i; });
const layouts = new Map(report.layouts.map(l => [l.name, l]));

// Names.
const addressOf = row => "line-" + row.line;
const hashOf = i => "#" + addressOf(rows[i]);
const shapeText = shape => shape.join(" × ");
function link(i, text) {
  const a = element("a", "mono", text ?? "line " + rows[i].line);
  a.title = rows[i].op;
  a.href = hashOf(i);
  a.onclick = event => { event.preventDefault(); enter(hashOf(i)); open(i); };
  return a;
}
const layoutsOf = row => row.kind === "conversion" ? [row.from, row.to]
  : [...new Set([row.registers, row.memory, ...row.layouts ?? []].filter(Boolean))];
const between = {conversion: " → ", shared: " with "};
const layoutText = row => layoutsOf(row).join(between[row.kind] ?? ", ");

// Costs, of one execution. What is not counted is null.
const wavefrontsOf = row => row.kind === "shared" ? row.wavefronts ?? null
  : row.exchange?.write !== undefined ? row.exchange.write + row.exchange.read : null;
const idealOf = row => row.kind === "shared" ? row.ideal ?? null
  : row.exchange?.floor ? row.exchange.floor[0] + row.exchange.floor[1] : null;
const excessOf = row => row.kind === "shared" && row.ideal !== undefined ? row.wavefronts - row.ideal : null;
const sectorsOf = row => row.kind === "global" ? row.sectors : null;
const extraOf = row => row.kind === "global" ? row.sectors - row.fewest : null;
const moves = row => ["lanes", "warps", "blocks"].includes(row.level);
const counted = row => row.kind !== "unknown" && !(row.kind === "shared" && row.wavefronts === null);
const timesText = (n, of) => of ? (n / of).toFixed(n / of < 10 ? 1 : 0) + "×" : "";
const sum = (list, value) => list.reduce((all, row) => all + (value(row) ?? 0), 0);

const contiguousText = row => row.contiguous === null ? "not known to be contiguous" : `contiguous along dimension ${row.contiguous}`;

// Kernels repeat an operation for each stage of a pipeline: findings with the same words are one.
function findingsOf() {
  const groups = new Map();
  const add = (kind, row, text, bytes, more) => {
    const key = [kind, row.op, row.source, text, more].join("\n");
    if (!groups.has(key)) groups.set(key, {kind, text, more, weight: bytes, places: []});
    groups.get(key).places.push(row.place);
  };
  for (const row of rows) {
    if (row.conflict) add("conflicts", row, row.conflict.replace("bank conflicts: ", ""), excessOf(row), row.cure);
    if (row.misaligned) add("misaligned", row, "the padding moves vectors off their alignment", 1);
    if (row.kind === "conversion" && moves(row))
      add("exchanges", row, `${row.from} to ${row.to}, ${row.level}: ${countText(row.counts.points - row.counts.stay)} of ${countText(row.counts.points)} registers move; ` +
          `Triton: ${row.triton}${row.shuffles === null ? "" : `, ${countText(row.shuffles)} shuffles a warp`}` +
          (row.exchange ? `, ${bytesText(row.exchange.bytes)} of shared memory` : ""), wavefrontsOf(row) ?? row.shuffles ?? 1);
    if (row.kind === "conversion" && !moves(row) && row.triton === "shared")
      add("exchanges", row, `${row.from} to ${row.to}: nothing moves between threads, and Triton goes through shared memory`, wavefrontsOf(row) ?? 1);
    if (extraOf(row) > 0)
      add("uncoalesced", row, `${countText(row.sectors)} sectors of 32 bytes, where ${countText(row.fewest)} would hold the data; ${contiguousText(row)}`, extraOf(row));
    if (!counted(row)) add("unknown", row, row.kind === "unknown" ? row.sentence : "the wavefronts of this access are not modeled", 0);
  }
  const order = Object.keys(KINDS);
  return [...groups.values()].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || b.weight - a.weight ||
                                             a.places[0] - b.places[0]);
}

// The summary.
const KINDS = {conflicts: "bank conflicts", misaligned: "misaligned", exchanges: "exchanges", uncoalesced: "uncoalesced",
               unknown: "unknown"};
function findingSentence(f) {
  const out = element("div", "");
  const row = rows[f.places[0]];
  out.append(element("code", "", row.op), " in ");
  f.places.slice(0, 6).forEach((i, k) => out.append(k ? ", " : "", link(i)));
  if (f.places.length > 6) out.append(` and ${f.places.length - 6} more`);
  if (row.source) out.append(", ", element("code", "", row.source));
  out.append(": " + f.text);
  if (f.more) out.append(element("div", "note", f.more));
  return out;
}
function showSummary() {
  const out = $("summary").firstElementChild;
  const local = rows.filter(r => r.kind === "shared"), global = rows.filter(r => r.kind === "global");
  const known = local.filter(counted);
  out.replaceChildren(
    element("p", "type", `TTGIR for ${report.target ?? "an unknown target"}, ${report.warps} warps of ${report.threads_per_warp} threads, ` +
            `${report.ctas} ${report.ctas === 1 ? "block" : "blocks"}`),
    element("div", "cards",
      card(countText(rows.length), "operations"),
      card(countText(sum(known, wavefrontsOf)), "wavefronts of loads from and stores to shared memory"),
      card(countText(sum(known, excessOf)), "of them for bank conflicts"),
      card(countText(rows.filter(moves).length), "conversions that move data between threads"),
      card(bytesText(sum(global, r => r.bytes)), "of global memory"),
      card(countText(sum(global, extraOf)), "sectors above the fewest"),
      card(countText(rows.filter(r => !counted(r)).length), "operations not counted")),
    element("h2", "", "What this kernel wastes"));
  const all = findingsOf();
  let last = "";
  for (const f of all) {
    out.append(findingView(f.kind === last ? "" : KINDS[f.kind], f.kind === "conflicts" || f.kind === "misaligned" || f.kind === "unknown",
                           findingSentence(f), f.kind === "unknown" ? "unknown" : "exact", rows[f.places[0]].command));
    last = f.kind;
  }
  if (!all.length) out.append(element("p", "", "Nothing was found: no bank conflict, no exchange between threads, no sector too many."));
  const note = element("p", "note");
  note.append("Numbers are of one execution of each operation in all warps of a block: loops are not multiplied. ", tag("exact"),
    " numbers are counted, not measured; no time is predicted. TMA descriptors, barriers and AMD's transposing loads are not modeled.");
  out.append(note);
}

// The tables.
const maybe = value => r => value(r) ?? null;
function linesOf() {
  const groups = new Map();
  for (const row of rows) {
    const key = row.source ?? "";
    if (!groups.has(key)) groups.set(key, {name: key || "(unknown)", rows: []});
    groups.get(key).rows.push(row);
  }
  return [...groups.values()].map(g => {
    const weight = r => (excessOf(r) ?? 0) * 1e6 + (wavefrontsOf(r) ?? 0) + (extraOf(r) ?? 0);
    return {...g, most_in: g.rows.reduce((a, b) => weight(b) > weight(a) ? b : a).place};
  });
}
// Attributes without an alias, such as a slice, are written out, with what their parent is.
const usersOf = ({name, text}) => rows.filter(r => layoutsOf(r).some(l => l === name || text && l.includes(`parent = ${text}`)));
const VIEWS = {
  operations: {
    title: "Operations", rows: () => rows, target: r => r.place, least: "800px", sort: 6,
    columns: [
      countColumn("line", r => r.line), textColumn("operation", "minmax(140px, 1.7fr)", r => r.op, "mono"),
      textColumn("shape", "minmax(78px, 1fr)", r => r.shape ? shapeText(r.shape) + " " + (r.element ?? "") : ""),
      textColumn("layouts", "minmax(110px, 2fr)", layoutText, "second mono"),
      countColumn("wavefronts", maybe(wavefrontsOf), "of shared memory, in all warps of a block"),
      countColumn("ideal", maybe(idealOf), "wavefronts without a conflict; of a conversion, its floor"),
      countColumn("extra", maybe(excessOf), "wavefronts for bank conflicts"),
      countColumn("sectors", maybe(sectorsOf), "of 32 bytes of global memory"),
      countColumn("loops", r => r.depth, "around the operation"),
      textColumn("source", "minmax(92px, 1.2fr)", r => r.source ?? "", "second mono")]},
  lines: {
    title: "Lines", rows: linesOf, target: r => r.most_in, least: "640px", sort: 3,
    columns: [
      textColumn("line", "minmax(180px, 3fr)", r => r.name, "mono"), countColumn("operations", r => r.rows.length),
      countColumn("wavefronts", r => sum(r.rows, wavefrontsOf), "of shared memory"),
      countColumn("extra", r => sum(r.rows, excessOf), "wavefronts for bank conflicts"),
      countColumn("sectors", r => sum(r.rows, sectorsOf), "of 32 bytes of global memory"),
      countColumn("too many", r => sum(r.rows, extraOf), "sectors above the fewest that hold the data"),
      textColumn("most in", "minmax(150px, 2fr)", r => `${rows[r.most_in].line} ${rows[r.most_in].op}`, "mono")]},
  layouts: {
    title: "Layouts", rows: () => report.layouts, target: r => usersOf(r)[0]?.place ?? null, least: "640px", sort: -1,
    columns: [
      textColumn("name", "minmax(90px, 0.6fr)", r => r.name, "mono name"),
      textColumn("layout", "minmax(300px, 4fr)", r => r.text ?? "error: " + r.error, "second mono"),
      countColumn("operations", r => usersOf(r).length, "that have the layout")]},
};

// Searches.
const wordsOf = row => [row.op, row.sentence, row.source ?? "", row.conflict ?? "", row.cure ?? "", "line " + row.line];
const keeps = (row, op, finding) => (!op || row.op === op) && (!finding || found(row) === finding);
function found(row) {
  if (!counted(row)) return KINDS.unknown;
  if (row.conflict) return KINDS.conflicts;
  if (row.misaligned) return KINDS.misaligned;
  if (row.kind === "conversion" && (moves(row) || row.triton === "shared")) return KINDS.exchanges;
  return extraOf(row) > 0 ? KINDS.uncoalesced : "nothing";
}

// One operation.
function costBox(row) {
  const box = element("div", "box", element("h3", "", "What it costs"));
  const line = (names, cells) => box.append(tableOf(names, [cells]));
  const number = n => cell(n === null || n === undefined ? "" : countText(n), true);
  if (row.kind === "shared") {
    if (row.wavefronts === null) box.append(element("div", "", `${row.mode}: its wavefronts are not modeled`));
    else if (row.matrices !== undefined) line(["mode", ">matrices", ">wavefronts", ">ideal"],
      [cell(row.mode), number(row.matrices), number(row.wavefronts), number(row.ideal)]);
    else line(["mode", ">vector", ">instructions", ">wavefronts", ">ideal", ">times"],
      [cell(row.mode), number(row.vector), number(row.instructions), number(row.wavefronts), number(row.ideal), cell(timesText(row.wavefronts, row.ideal), true)]);
  } else if (row.kind === "conversion") {
    const c = row.counts;
    line(["level", ">stay", ">register", ">lane", ">warp", ">block"],
      [cell(row.level), number(c.stay), number(c.register), number(c.lane), number(c.warp), number(c.block)]);
    box.append(element("div", "note", `Triton: ${row.triton}` + (row.shuffles === null ? "" : `, ${countText(row.shuffles)} shuffles a warp`)));
    if (row.exchange?.write !== undefined) {
      line(["through shared memory", ">bytes", ">write", ">read", ">floor of both"],
        [cell("without a conflict"), number(row.exchange.bytes), number(row.exchange.write), number(row.exchange.read),
         cell(row.exchange.floor.map(countText).join(" + "), true)]);
      if (row.exchange.matrix) box.append(element("div", "note", `by matrix instructions: write ${row.exchange.matrix[0]}, read ${row.exchange.matrix[1]}`));
    }
  } else if (row.kind === "global") {
    line(["contiguous", ">vector", ">instructions", ">bytes", ">sectors", ">fewest", ">lines"],
      [cell(row.contiguous === null ? "not known" : "dimension " + row.contiguous), number(row.vector), number(row.instructions),
       number(row.bytes), number(row.sectors), number(row.fewest), number(row.lines)]);
  } else if (row.kind === "reduction") {
    line(["axis", ">registers", ">lanes", ">warps", ">blocks"],
      [cell(String(row.axis)), number(row.over.register), number(row.over.lane), number(row.over.warp), number(row.over.block)]);
  } else if (row.kind === "allocation") {
    line(["memory", ">bytes"], [cell(row.memory), number(row.bytes)]);
  } else {
    box.append(element("div", "", row.kind === "unknown" ? `error: ${row.sentence}` : row.sentence));
  }
  return box;
}
function conflictBox(row) {
  const box = element("div", "box", element("h3", "", "Bank conflicts"), element("div", "bad", row.conflict.replace("bank conflicts: ", "")));
  if (row.cure) box.append(element("div", "note", row.cure));
  if (row.better) {
    const line = row.better.line === undefined ? -1 : rows.findIndex(r => r.line === row.better.line);
    box.append(tableOf(["the buffer", ">wavefronts of this access"], [
      [element("td", "mono", layouts.get(row.memory)?.text ?? row.memory), cell(countText(row.wavefronts), true)],
      [element("td", "mono", row.better.layout), cell(countText(row.better.wavefronts), true)]]));
    if (line >= 0) box.append(element("div", "note", "allocated in ", link(line)));
  }
  return box;
}
function detailOf(i) {
  const row = rows[i];
  const where = element("div", "note", `line ${row.line}` + (row.depth ? `, in ${row.depth} ${row.depth === 1 ? "loop" : "loops"}` : "") +
                        (row.source ? `, ${row.source}` : ""), " ", tag(counted(row) ? "exact" : "unknown"));
  const out = [element("h2", "mono", row.op), element("div", "type mono", row.shape ? `${shapeText(row.shape)} ${row.element ?? `of ${row.bits} bits`}` : ""), where];
  if (row.conflict) out.push(conflictBox(row));
  if (row.misaligned) out.push(element("div", "box", element("div", "bad", "misaligned: the padding moves vectors off their alignment")));
  out.push(costBox(row));
  const named = layoutsOf(row);
  if (named.length) {
    out.push(element("div", "box", element("h3", "", "Layouts"), tableOf(["", "layout"], named.map(name =>
      [element("td", "", element("code", "", layouts.has(name) ? name : "")), element("td", "mono", layouts.get(name)?.text ?? layouts.get(name)?.error ?? name)]))));
  }
  const same = rows.filter(r => r.source && r.source === row.source && r !== row);
  if (same.length) {
    out.push(element("div", "box", element("h3", "", `Also from ${row.source}`),
      tableOf(["line", "operation", ">extra wavefronts"], same.slice(0, 40).map(r => [element("td", "", link(r.place, String(r.line))), cell(r.op), cell(excessOf(r) ? countText(excessOf(r)) : "", true)]))));
  }
  if (row.code) out.push(element("h2", "", "In the text"), element("div", "box", element("div", "map", element("code", "", row.code))));
  const file = shellWord(report.file);
  const ask = [["all operations, the most costly first", `tessera info ${file} --sort cost`]];
  if (row.command) ask.push([row.kind === "conversion" ? "this conversion" : "this access, and layouts without its conflicts", row.command]);
  if (row.registers && layouts.get(row.registers)?.text)
    ask.push(["who holds which element", `tessera show ${shellWord(row.shape.join("x") + ":" + layouts.get(row.registers).text)}`]);
  out.push(element("h2", "", "Ask for this answer"), element("div", "box",
    ...ask.flatMap(([what, text]) => [element("div", "note", what), commandView(text)])));
  return out;
}

// The choices of the controls.
$("search").placeholder = "Search operations, layouts, sources";
$("opcode").setAttribute("aria-label", "Operation");
$("opcode").options[0].textContent = "every operation";
$("exactness").setAttribute("aria-label", "Finding");
$("exactness").replaceChildren(...["", ...Object.values(KINDS)].map(word => {
  const option = element("option", "", word || "every finding");
  option.value = word;
  return option;
}));
const operationCounts = new Map();
for (const row of rows) operationCounts.set(row.op, (operationCounts.get(row.op) || 0) + 1);
begin(["summary", "operations", ...rows.some(r => r.source) ? ["lines"] : [], "layouts"],
      {operations: rows.length, layouts: report.layouts.length}, operationCounts);
