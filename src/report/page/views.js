// SPDX-License-Identifier: Apache-2.0
// The page of a program, which calls the other scripts: its summary, its tables, its names.

"use strict";
const rows = report.instructions;
const severalFiles = new Set(report.modules.map(m => m.file)).size > 1;
const severalModules = report.modules.length > 1;
rows.forEach((row, i) => { row.place = i; });

// Names.
const fullName = row => row.computation + "/" + row.instruction;
const addressOf = row => (severalModules ? row.module + ":" : "") + fullName(row);
const hashOf = i => "#" + encodeURIComponent(addressOf(rows[i]));
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
// The instructions of the computations that one calls, as the dump lists them.
let computations = null;
function membersOf(i) {
  if (!rows[i].called) return [];
  const key = (module, name) => `${module} ${name}`;
  computations ??= grouped(rows, row => key(row.module, row.computation));
  return rows[i].called.flatMap(name => (computations.get(key(rows[i].module, name)) ?? []).map(row => row.place));
}
function link(i, text) {
  if (i === null || i === undefined) return element("code", "", text ?? "?");
  const a = element("a", "mono", text ?? rows[i].instruction);
  a.title = fullName(rows[i]);
  a.href = hashOf(i);
  a.onclick = event => { event.preventDefault(); enter(hashOf(i)); open(i); };
  return a;
}

// Time, wastes and memory of a module.
const wholeTime = at => rows.reduce((sum, r) => sum + (r.module === at && r.time ? mostSeconds(r.time.seconds) : 0), 0);
// Where a waste is in the code: a link, the function and the scope.
function placeView(w) {
  const out = element("div", "place");
  if (w.line) out.append(lineLink(w.line, w.function), w.function ? ` in ${w.function}` : "");
  if (w.scope) out.append(w.line ? " · " : "", element("span", "mono", w.scope));
  if (w.neighbor !== undefined && w.neighbor !== null) out.append(" (of ", link(w.neighbor), ")");
  if (w.code) out.append(element("div", "mono code", w.code));
  return out;
}
function showWastes(out, m, at) {
  const own = report.wastes.filter(w => w.module === at && (!m.time || mostSeconds(w.seconds) > 0));
  const whole = wholeTime(at);
  if (m.time) {
    out.append(element("h2", "", `Time on ${m.time.chip}`),
      partsBar([["memory", mostSeconds(m.time.memory_seconds)], ["operations", mostSeconds(m.time.compute_seconds)],
                ["links", mostSeconds(m.time.link_seconds)], ["not decided", mostSeconds(m.time.undecided_seconds)]], whole, secondsText),
      element("p", "note", `What the steps wait for, one after another, at the peak rates of ${m.time.source}: an estimate.` +
              (m.time.not_timed ? ` Not timed, for want of a rate: ${m.time.not_timed}.` : "")));
  }
  if (!own.length) return;
  const fused = rows.some(r => r.module === at && r.opcode === "fusion");
  out.append(element("h2", "", m.time ? "What could save time" : "What could move fewer bytes"),
    fused ? "" : element("p", "note", "No step is a fusion, as in a dump from before fusion: the compiler may still fuse steps, so no fusions are proposed."));
  // Wastes of one kind at one line are one entry.
  const groups = [...grouped(own, w => w.kind + "\n" + (w.line ?? "") + "\n" + (w.line || !w.scope ? w.line ? "" : w.instruction : w.scope)).values()];
  const most = all => all.reduce((sum, w) => sum + (m.time ? mostSeconds(w.seconds) : upperOf(w.bytes)), 0);
  for (const all of sortRows(groups, most, true).slice(0, 12)) {
    const w = all[0], others = all.length - 1;
    // What comes on top of the time is a share of both.
    const onTop = w.on_top ? most(all) : 0;
    const saved = m.time ? [others ? "≤ " + secondsText(most(all)) : timeText(w.seconds), shareText(most(all), whole + onTop)]
                         : [others ? "≤ " + bytesText(most(all)) : numberText(w.bytes, bytesText), ""];
    out.append(element("div", "waste",
      element("div", "saved", element("b", "", saved[0]), element("span", "", saved[1])),
      element("div", "", element("span", "kind", w.kind), " ", link(w.instruction, fullName(rows[w.instruction])), " " + w.text + "." +
              (others ? ` And ${countText(others)} like it.` : ""), placeView(w))));
  }
  if (groups.length > 12 || own.length > groups.length) {
    const all = element("a", "", `all ${countText(own.length)}`);
    all.onclick = () => { enter("#/wastes"); show("wastes"); };
    out.append(element("p", "note", all));
  }
}
// What moves in tiles that fit on the chip: what must, and what the best tiles found move.
function tiledCard(tiled) {
  const out = card(numberText(tiled.bytes, bytesText), `in tiles with ${bytesText(tiled.on_chip_bytes)} on chip`, isExact(tiled.bytes));
  out.title = (tiled.source ? tiled.source + ": " : "") + "at least this moves, and the best tiles found move at most that";
  return out;
}
function showMemory(out, m, at) {
  const points = m.memory.steps.map(([i, n]) => [rows[i].instruction, upperOf(n)]);
  if (points.length < 2) return;
  const peak = m.memory.steps.findIndex(([i]) => i === m.memory.at);
  out.append(element("h2", "", "Memory"));
  const box = element("div", "box chartbox", areaChart(points, peak, bytesText, i => { const j = m.memory.steps[i][0]; enter(hashOf(j)); open(j); }));
  out.append(box);
  const held = m.memory.held.slice(0, 8).map(a => [element("td", "", link(a.instruction), a.element === undefined ? "" : ` #${a.element}`),
    bytesCell(a.bytes), bytesCell(a.bytes - a.element_bytes), cell(a.argument ? "an argument" : a.until === null ? "a result" : `until ${rows[a.until].instruction}`)]);
  box.append(element("h3", "", "Live at the peak"), tableOf(["array", ">bytes", ">padding", "how long"], held),
    element("div", "note", (m.memory.held.length > 8 ? `and ${countText(m.memory.held.length - 8)} more; ` : "") +
      `arguments ${bytesText(m.memory.argument_bytes)}, results ${bytesText(m.memory.result_bytes)}, constants ${bytesText(m.memory.constant_bytes)}` +
      (m.memory.scheduled ? "" : "; the dump has no schedule, so another order may need more or less") + (m.memory.reason ? `; a bound: ${m.memory.reason}` : "")));
}

// The summary.
const KINDS = {total: "in all", tiled: "in tiles", reads: "reads most", wastes: "wastes most", uncoalesced: "uncoalesced",
               padding: "padded", copies: "copied", unknown: "unknown"};
function showSummary() {
  const out = $("summary").firstElementChild;
  out.replaceChildren();
  report.modules.forEach((m, at) => {
    if (severalModules) out.append(element("h2", "", severalFiles ? `${m.file}: ${m.module}` : m.module));
    const t = m.traffic;
    out.append(element("div", "cards",
      card(countText(m.instructions), "instructions"), card(countText(t.steps), "steps that move data"),
      card(numberText(t.moved_bytes, bytesText), "move if nothing is reused", isExact(t.moved_bytes)),
      card(numberText(t.minimum_bytes, bytesText), "must move", isExact(t.minimum_bytes)),
      card(bytesText(m.padding.now_bytes - m.padding.element_bytes), "of padding"),
      card(bytesText(m.copies.traffic_bytes), "moved by copies"),
      card(countText(t.unknown), "unknown steps"),
      card(numberText(m.work.flops, operationsText), "floating-point operations", isExact(m.work.flops)),
      card(numberText(m.memory.peak_bytes, bytesText), "live at most at once", isExact(m.memory.peak_bytes)),
      m.tiled ? tiledCard(m.tiled) : null,
      m.time ? card(timeText(m.time.seconds), "at peak rates (estimate)", false) : null));
    showWastes(out, m, at);
    showMemory(out, m, at);
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
      out.append(findingView(f.kind === last ? "" : KINDS[f.kind] ?? f.kind, bad && f.kind !== "reads", sentence, f.exact ? "exact" : "bound", f.command));
      last = f.kind;
    }
  });
  const note = element("p", "note");
  note.append("Bytes are those of elements, as the program's maps read them: no cache is assumed. ", tag("exact"),
    " numbers are counted; ", tag("bound"), " ones are limits. The tables above sort and search every instruction.");
  out.append(note);
}

function excess(row) {
  const all = (row.traffic?.operands ?? []).map(x => report.warps[x.warp]).filter(w => w.sectors > w.fewest);
  return all.length ? Math.max(...all.map(w => w.sectors / w.fewest)) : null;
}
// The operands that are one array: `0`, `0, 1`.
const placesOf = x => [x.operand, ...(x.also ?? [])].join(", ");
const lowerOf = n => isExact(n) ? n : n[0];
const hasUpper = n => isExact(n) || n[1] !== null;
const writtenBytes = t => t.least_written_bytes === t.written_bytes ? t.written_bytes : [t.least_written_bytes, t.written_bytes];
// How often each of the bytes is read on average: `8.0×`, `4.0 to 5.0×`, or `≥ 4.0×`.
function timesRange(reads, used) {
  if (!upperOf(used)) return "";
  const from = hasUpper(used) ? lowerOf(reads) / upperOf(used) : 0;
  if (isExact(reads) && isExact(used)) return timesText(from);
  if (!lowerOf(used) || !hasUpper(reads)) return "≥ " + timesText(from);
  const to = upperOf(reads) / lowerOf(used);
  return timesText(from) === timesText(to) ? timesText(to) : timesText(from).slice(0, -1) + " to " + timesText(to);
}
const timesText = n => n === null || n === undefined ? "" : n.toFixed(n < 10 ? 1 : 0) + "×";
// `8.0×`, or what is known only from a sample or as a limit.
const sectorsText = w => !w.fewest ? "" : (w.exactness === "sample" ? "≈" : w.exactness ? "≤" : "") + timesText(w.sectors / w.fewest);
// Of lines and of scopes, which are a tree. A step counts in each row that has a part of it.
const codeText = r => "\u00a0\u00a0".repeat(r.depth ?? 0) + (r.name || "(unknown)") + (r.function ? " in " + r.function : "");
const timed = report.modules.some(m => m.time);
const timeColumn = (name, value, title) => ({name, width: "84px", number: true, title, timed: true,
  value: r => { const t = value(r); return t ? mostSeconds(t) : null; }, text: r => timeText(value(r))});
const codeColumns = name => [
  {...textColumn(name, "minmax(220px, 4fr)", codeText, "mono"), view: name === "line" ? r => r.name ? [lineLink(r.name, r.function), r.function ? " in " + r.function : ""] : null : undefined},
  ...name === "line" && report.lines.some(r => r.code) ? [textColumn("code", "minmax(160px, 3fr)", r => r.code ?? "", "mono second")] : [],
  {name: "time", width: "84px", number: true, timed: true, title: "of the parts of steps here, at peak rates",
   value: r => r.seconds ?? null, text: r => r.seconds ? secondsText(r.seconds) : ""},
  countColumn("steps", r => r.steps, "with a part in the row"),
  bytesColumn("moved", r => r.moved_bytes, "bytes that all runs read and write if nothing is reused"),
  bytesColumn("must", r => r.minimum_bytes, "bytes that must move"),
  countColumn("flops", r => r.flops, "operations on floating-point numbers in all runs"),
  textColumn("most in", "minmax(110px, 1.4fr)", r => r.most_in === null ? "" : rows[r.most_in].instruction, "mono name")];
const VIEWS = {
  instructions: {
    title: "Instructions", rows: () => rows, target: r => r.place, least: timed ? "1060px" : "970px", sort: timed ? 3 : 6,
    columns: [
      textColumn("instruction", "minmax(146px, 2fr)", r => r.instruction, "mono name"),
      textColumn("opcode", "minmax(96px, 1fr)", r => r.opcode),
      textColumn("type", "minmax(72px, 1.6fr)", typeOf, "second mono"),
      timeColumn("time", r => r.time?.seconds, "of all runs, at the peak rates of the chip"),
      {...textColumn("waits for", "84px", r => r.time?.waits_for ?? ""), timed: true},
      countColumn("flops", r => r.work?.flops, "operations on floating-point numbers in one run"),
      bytesColumn("read", r => r.traffic?.read_bytes, "bytes that the loops of one run read, each element as often as a loop reads it"),
      bytesColumn("used", r => r.traffic?.used_bytes, "different bytes among them"),
      bytesColumn("again", r => r.traffic?.reread_bytes, "bytes that all runs read again after the first time"),
      bytesColumn("written", r => r.traffic && writtenBytes(r.traffic)),
      {...bytesColumn("tiled", r => r.tiled?.bytes, "bytes that one run moves in tiles that fit on the chip: at least, and with the best tile found"), tiled: true},
      {name: "ratio", width: "52px", value: r => r.traffic?.ratio ?? null, text: r => timesText(r.traffic?.ratio), number: true,
       title: "(read + written) / (used + written)"},
      {name: "runs", width: "44px", value: r => r.traffic ? upperOf(r.traffic.runs) : null,
       text: r => r.traffic ? numberText(r.traffic.runs, countText) : "", number: true},
      {name: "sectors", width: "64px", value: excess, text: r => timesText(excess(r)), number: true, warps: true,
       title: "sectors of 32 bytes fetched, for each that would hold the data, if one thread computes one element"},
      textColumn("answer", "76px", r => r.indexing.length ? r.exactness : "")]},
  operands: {
    title: "Operands", target: r => r.row.place, least: "830px", sort: 4,
    rows: () => rows.flatMap(row => (row.traffic?.operands ?? []).map(x => ({row, x}))),
    columns: [
      textColumn("instruction", "minmax(132px, 1.6fr)", r => r.row.instruction, "mono name"),
      textColumn("operand", "minmax(124px, 1.4fr)", r => `${placesOf(r.x)} ${operandName(r)}`, "mono name"),
      textColumn("type", "minmax(110px, 1.2fr)", r => report.types[r.row.operands[r.x.operand].type].type, "second mono"),
      countColumn("elements", r => r.x.elements, "of the array"),
      countColumn("reads", r => r.x.reads, "elements read, each as often as a loop reads it"),
      countColumn("used", r => r.x.used, "different elements that are read"),
      {name: "each", width: "70px", number: true, title: "reads for each element that is used, on average",
       value: r => upperOf(r.x.used) ? upperOf(r.x.reads) / upperOf(r.x.used) : null,
       text: r => timesRange(r.x.reads, r.x.used)},
      {name: "sectors", width: "66px", number: true, warps: true,
       title: "of 32 bytes fetched, for each that would hold the data, if one thread computes one element",
       value: r => { const w = report.warps[r.x.warp]; return w.sectors ? w.sectors / w.fewest : null; },
       text: r => sectorsText(report.warps[r.x.warp])}]},
  arrays: {
    title: "Arrays", rows: () => report.arrays, target: r => r.first, least: "780px", sort: 5,
    columns: [
      textColumn("type", "minmax(190px, 2fr)", r => report.types[r.type].type, "mono"),
      countColumn("arrays", r => r.arrays), bytesColumn("elements", r => r.element_bytes, "of one array, without padding"),
      bytesColumn("now", r => r.now_bytes, "in memory, as written"), bytesColumn("best", r => r.best_bytes, "the smallest layout of the rule"),
      bytesColumn("saving", r => r.saving, "of all arrays of the type"),
      textColumn("best layout", "minmax(190px, 2fr)", r => r.saving > 0 ? r.best : "", "second mono")]},
  movements: {
    title: "Movements", rows: () => report.movements, target: r => r.instruction, least: "830px", sort: 2,
    columns: [
      textColumn("instruction", "minmax(150px, 1.6fr)", r => rows[r.instruction].instruction, "mono name"),
      textColumn("moves", "66px", r => r.moves),
      bytesColumn("traffic", r => r.traffic_bytes, "read and written in all runs"),
      bytesColumn("result", r => r.bytes), bytesColumn("moved", r => r.moved_bytes, "bytes of the result that are elsewhere in the operand"),
      bytesColumn("saving", r => r.saving, "that a bitcast would save"),
      textColumn("of", "minmax(96px, 1fr)", r => (r.by.length ? r.by : [rows[r.instruction].opcode]).join(", ")),
      textColumn("plan", "86px", r => r.kernels.join(", ")),
      textColumn("why", "minmax(120px, 2fr)", r => r.reason ?? "", "second")]},
  wastes: {
    title: "Wastes", rows: () => report.wastes, target: r => r.instruction, least: "980px", sort: timed ? 0 : 1,
    columns: [
      {...timeColumn("saves", r => r.seconds, "time that it saves on the chip, at most"), width: "150px"},
      {...bytesColumn("bytes", r => r.bytes, "that all runs move without need, here and in the steps that read the result"), width: "150px"},
      textColumn("kind", "92px", r => r.kind),
      textColumn("instruction", "minmax(132px, 1.2fr)", r => rows[r.instruction].instruction, "mono name"),
      textColumn("what", "minmax(220px, 3fr)", r => r.text),
      {...textColumn("line", "minmax(110px, 1.2fr)", r => r.line ? r.line.replace(/^.*[\\/]/, "") : "", "mono"), view: r => r.line ? [lineLink(r.line, r.function)] : null},
      textColumn("scope", "minmax(110px, 1.4fr)", r => r.scope ?? "", "second mono")]},
  lines: {
    title: "Lines", rows: () => report.lines, target: r => r.most_in, least: "720px", sort: timed ? codeColumns("line").findIndex(c => c.name === "time") : -1, columns: codeColumns("line")},
  scopes: {
    title: "Scopes", rows: () => report.scopes, target: r => r.most_in, least: "720px", sort: -1, columns: codeColumns("scope")},
  changes: {
    title: "Changes", rows: () => report.comparison.changes, target: r => r.instruction, least: "640px", sort: -1,
    columns: [
      textColumn("instruction", "minmax(150px, 1.6fr)", r => r.instruction === null ? "" : rows[r.instruction].instruction, "mono name"),
      textColumn("was", "minmax(150px, 1.6fr)", r => r.old ?? "new", "second mono name"),
      textColumn("type", "minmax(110px, 1.2fr)", r => r.type, "second mono"),
      {name: "time", width: "84px", number: true, timed: true, title: "before, of all runs, at peak rates", value: r => r.old_seconds ?? null, text: r => r.old_seconds ? secondsText(r.old_seconds) : ""},
      {name: "now", width: "84px", number: true, timed: true, title: "time of all runs now", value: r => r.seconds ?? null, text: r => r.seconds ? secondsText(r.seconds) : ""},
      bytesColumn("before", r => r.old_bytes), bytesColumn("after", r => r.bytes),
      bytesColumn("change", r => r.bytes - r.old_bytes)]},
  changedlines: {
    title: "Changed lines", rows: () => report.comparison.lines, target: () => null, least: "720px", sort: -1,
    columns: [
      {...textColumn("line", "minmax(180px, 3fr)", r => r.line || r.old || "(no source line)", "mono"), view: r => r.line || r.old ? [lineLink(r.line || r.old, r.function), r.function ? " in " + r.function : ""] : null},
      textColumn("was", "minmax(110px, 1fr)", r => r.old === r.line ? "" : r.old ? r.line ? r.old.replace(/^.*[\\/]/, "") : "gone" : "new", "mono second"),
      {name: "time", width: "84px", number: true, timed: true, title: "before, at peak rates", value: r => r.old_seconds ?? null, text: r => r.old_seconds ? secondsText(r.old_seconds) : ""},
      {name: "now", width: "84px", number: true, timed: true, title: "time now", value: r => r.seconds ?? null, text: r => r.seconds ? secondsText(r.seconds) : ""},
      bytesColumn("before", r => r.old_bytes, "bytes that must move"), bytesColumn("after", r => r.bytes),
      bytesColumn("change", r => r.bytes - r.old_bytes)]},
};
if (!timed) for (const v of Object.values(VIEWS)) v.columns = v.columns.filter(c => !c.timed);
if (report.modules.every(m => !m.tiled)) for (const v of Object.values(VIEWS)) v.columns = v.columns.filter(c => !c.tiled);
// Only GPUs have warps.
if (report.modules.every(m => m.device === "CPU" || m.device === "TPU"))
  for (const v of Object.values(VIEWS)) v.columns = v.columns.filter(c => !c.warps);
const operandName = r => { const j = r.row.operands[r.x.operand].instruction; return j === null ? "?" : rows[j].instruction; };

// Searches.
function wordsOf(row, whole) {
  const out = [fullName(row), row.opcode, typeOf(row), report.modules[row.module].file];
  if (row.bitcast) out.push("bitcast: " + row.bitcast.answer);
  if (whole) for (const p of row.indexing) for (const m of p.maps) out.push(report.maps[m].map, report.maps[m].reason);
  return out;
}
const keeps = (row, opcode, exactness) =>
  (!opcode || row.opcode === opcode) && (!exactness || (row.exactness === exactness && row.indexing.length > 0));

const counts = new Map();
for (const row of rows) counts.set(row.opcode, (counts.get(row.opcode) || 0) + 1);
begin(["summary", "instructions", ...report.wastes.length ? ["wastes"] : [], "operands", "arrays", "movements",
       ...report.lines.some(r => r.name) ? ["lines"] : [], ...report.scopes.some(r => r.name) ? ["scopes"] : [], ...report.comparison ? ["changes"] : [],
       ...report.comparison?.lines.length ? ["changedlines"] : []],
      {wastes: report.wastes.length, arrays: report.arrays.length, movements: report.movements.length, instructions: rows.length,
       changes: report.comparison?.changes.length},
      counts);
