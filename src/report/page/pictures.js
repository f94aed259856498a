// SPDX-License-Identifier: Apache-2.0
// Pictures of the page: the reads of an element or a tile, an array in memory, the neighbors of an instruction.

"use strict";
function element(tag, className, ...children) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  e.append(...children.filter(c => c !== undefined && c !== null));
  return e;
}
const colorOf = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// The last two dimensions of an array as a grid; `lead` is the index of the others.
const rowsOf = dims => dims.length > 1 ? dims[dims.length - 2] : 1;
const columnsOf = dims => dims.length > 0 ? dims[dims.length - 1] : 1;
function arrayCanvas(dims, side) {
  const rows = rowsOf(dims), columns = columnsOf(dims);
  const scale = Math.min(16, side / Math.max(rows, columns));
  const canvas = element("canvas");
  const width = Math.max(14, columns * scale), height = Math.max(14, rows * scale);
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.fillStyle = colorOf("cell");
  pen.fillRect(0, 0, width, height);
  const x = width / columns, y = height / rows;
  const fill = (row, column, color) => {
    pen.fillStyle = color;
    const left = Math.floor(column * x), top = Math.floor(row * y);  // whole pixels: no seams
    pen.fillRect(left, top, Math.max(Math.ceil((column + 1) * x) - left, 1), Math.max(Math.ceil((row + 1) * y) - top, 1));
  };
  const lines = () => {
    if (Math.min(x, y) < 6) return;
    pen.strokeStyle = colorOf("panel");
    pen.lineWidth = 1;
    pen.beginPath();
    for (let i = 1; i < columns; ++i) { pen.moveTo(i * x, 0); pen.lineTo(i * x, height); }
    for (let i = 1; i < rows; ++i) { pen.moveTo(0, i * y); pen.lineTo(width, i * y); }
    pen.stroke();
  };
  const cellAt = event => {
    const box = canvas.getBoundingClientRect();
    return [Math.min(rows - 1, Math.floor((event.clientY - box.top) / box.height * rows)),
            Math.min(columns - 1, Math.floor((event.clientX - box.left) / box.width * columns))];
  };
  return {canvas, pen, x, y, fill, lines, cellAt};
}
const sliceText = (dims, lead) => dims.length > 2 ? `[${[...lead, ":", ":"].join(", ")}]` : "";
function figure(caption, canvas) { return element("figure", "", element("figcaption", "", caption), canvas); }

// Marks the elements of an array. `points`: index tuples; shows the slice of the first one.
function pointsPicture(title, dims, points, side, color) {
  const lead = points.length ? points[0].slice(0, -2) : dims.slice(0, -2).map(() => 0);
  const picture = arrayCanvas(dims, side);
  let inside = 0;
  for (const p of points) {
    if (!lead.every((x, i) => p[i] === x)) continue;
    ++inside;
    picture.fill(dims.length > 1 ? p[p.length - 2] : 0, dims.length > 0 ? p[p.length - 1] : 0, color);
  }
  picture.lines();
  const slice = sliceText(dims, lead);
  const caption = title + (slice ? ` · slice ${slice}` : "") +
    (inside < points.length ? ` · ${countText(inside)} of ${countText(points.length)} elements are in this slice` : "");
  return {figure: figure(caption, picture.canvas), picture};
}

// How an array lies in memory: cells of one 128-byte line have one color.
function layoutPicture(type) {
  const map = type.offset && parseMap(type.offset);
  if (!map || !type.dims.length) return null;
  const shown = type.dims.map((d, i) => i + 2 < type.dims.length ? 1 : Math.min(d, i + 1 < type.dims.length ? 24 : 64));
  const picture = arrayCanvas(shown, 330);
  const dark = colorOf("scheme") === "dark";
  const rows = rowsOf(shown), columns = columnsOf(shown);
  const lines = new Map();
  const index = type.dims.map(() => 0);
  for (let r = 0; r < rows; ++r) {
    for (let c = 0; c < columns; ++c) {
      if (index.length > 1) index[index.length - 2] = r;
      index[index.length - 1] = c;
      const line = Math.floor(map.results[0](index) * type.bits / 1024);
      if (!lines.has(line)) lines.set(line, lines.size);
      const hue = (lines.get(line) * 137.5) % 360;
      picture.fill(r, c, `hsl(${hue} ${dark ? 38 : 55}% ${dark ? 38 : 76}%)`);
    }
  }
  picture.lines();
  const part = type.dims.some((d, i) => d > shown[i]) ? `the first ${shown.slice(-2).join(" × ")} elements` : "all elements";
  return figure(`${part}; one color is one line of 128 bytes`, picture.canvas);
}

// Instructions in columns, each a box; an open group holds those of the computations that it calls.
const nodeWidth = 140, nodeHeight = 38, columnGap = 36, rowGap = 10, groupPad = 10, groupTitle = 26, mostInside = 60;
function columnsBox(columns, edges, boxOf) {
  const boxes = columns.filter(c => c.length).map(c => c.map(i => ({i, ...boxOf(i)})));
  const tall = c => c.reduce((sum, b) => sum + b.height + rowGap, -rowGap);
  const height = Math.max(...boxes.map(tall));
  let x = 0;
  for (const column of boxes) {
    const wide = Math.max(...column.map(b => b.width));
    let y = (height - tall(column)) / 2;
    for (const b of column) {
      b.x = x + (wide - b.width) / 2;
      b.y = y;
      y += b.height + rowGap;
    }
    x += wide + columnGap;
  }
  return {width: x - columnGap, height, boxes: boxes.flat(), edges};
}
// The members of a group, each one column behind the last of its operands.
function groupColumns(members, operandsOf) {
  const depth = new Map();
  const depthOf = i => {
    if (!depth.has(i)) depth.set(i, Math.max(-1, ...operandsOf(i).map(depthOf)) + 1);
    return depth.get(i);
  };
  members.forEach(depthOf);
  const columns = Array.from({length: Math.max(...depth.values()) + 1}, () => []);
  for (const [i, d] of depth) columns[d].push(i);
  return columns;
}
// Operands to the left, users to the right; `next(i)` gives their places, `membersOf(i)` what an instruction calls. A group
// opens where it is.
function graph(here, operandsOf, usersOf, membersOf, rows, pick) {
  const limit = 6, opened = new Set();
  const columns = [[], [], [here], [], []];
  const edges = [], more = [0, 0, 0, 0, 0];
  const grow = (from, to, next, forward) => {
    for (const i of columns[from]) {
      for (const j of next(i)) {
        if (columns.some((c, k) => k !== to && c.includes(j))) continue;
        if (!columns[to].includes(j)) {
          if (columns[to].length >= limit) { ++more[to]; continue; }
          columns[to].push(j);
        }
        edges.push(forward ? [i, j] : [j, i]);
      }
    }
  };
  grow(2, 1, operandsOf, false);
  grow(1, 0, operandsOf, false);
  grow(2, 3, usersOf, true);
  grow(3, 4, usersOf, true);
  const boxOf = i => {
    if (!opened.has(i)) return {width: nodeWidth, height: nodeHeight};
    const members = membersOf(i).slice(0, mostInside), inside = new Set(members);
    const known = j => operandsOf(j).filter(k => inside.has(k));
    const inner = columnsBox(groupColumns(members, known), members.flatMap(j => known(j).map(k => [k, j])), boxOf);
    return {width: Math.max(inner.width, nodeWidth) + 2 * groupPad, height: inner.height + groupTitle + groupPad, inner};
  };
  const out = element("div", "graph");
  const make = (tag, attributes, parent) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    parent.append(e);
    return e;
  };
  // Names often differ only at the end.
  const cut = (text, n) => text.length > n ? text.slice(0, 4) + "…" + text.slice(5 - n) : text;
  const button = (e, label, act) => {
    e.setAttribute("role", "button");
    e.setAttribute("tabindex", "0");
    e.setAttribute("aria-label", label);
    e.onclick = event => { event.stopPropagation(); act(); };
    e.onkeydown = event => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      act();
    };
  };
  let middle = 0;
  const drawNode = (b, x, y, parent) => {
    const row = rows[b.i], members = membersOf(b.i).length;
    const node = make("g", {class: "node" + (b.i === here ? " here" : "") + (b.inner ? " group" : "")}, parent);
    make("rect", {x, y, width: b.width, height: b.height, rx: 6}, node);
    make("text", {x: x + 9, y: y + 16}, node).textContent = cut(row.instruction, members ? 14 : 17);
    if (!b.inner) make("text", {x: x + 9, y: y + 31, class: "second"}, node).textContent = cut(row.opcode, 18);
    make("title", {}, node).textContent = row.computation + "/" + row.instruction;
    button(node, `go to ${row.instruction}`, () => pick(b.i));
    if (b.inner) {
      drawColumns(b.inner, x + (b.width - b.inner.width) / 2, y + groupTitle, parent);
      if (members > mostInside) make("text", {x: x + 60, y: y + 16, class: "second"}, parent).textContent = `the first ${mostInside} of ${members}`;
    }
    if (members) {
      const toggle = make("g", {class: "toggle"}, parent);
      make("rect", {x: x + b.width - 24, y: y + 4, width: 19, height: 19, rx: 4}, toggle);
      make("text", {x: x + b.width - 14.5, y: y + 18, "text-anchor": "middle"}, toggle).textContent = b.inner ? "−" : "+";
      button(toggle, `${b.inner ? "close" : "open"} ${row.instruction}: ${members} instructions inside`, () => {
        if (!opened.delete(b.i)) opened.add(b.i);
        const left = out.scrollLeft;
        draw();
        out.scrollLeft = left;
        out.querySelector(`[data-toggle="${b.i}"]`)?.focus();
      });
      toggle.setAttribute("aria-expanded", String(b.inner !== undefined));
      toggle.setAttribute("data-toggle", b.i);
    }
  };
  const drawColumns = (box, left, top, parent) => {
    const place = new Map(box.boxes.map(b => [b.i, b]));
    for (const [a, b] of box.edges) {
      const from = place.get(a), to = place.get(b);
      const x0 = left + from.x + from.width, y0 = top + from.y + Math.min(from.height, nodeHeight) / 2;
      const x1 = left + to.x, y1 = top + to.y + Math.min(to.height, nodeHeight) / 2, bend = Math.min((x1 - x0) / 2, columnGap);
      make("path", {d: `M${x0} ${y0} C${x0 + bend} ${y0} ${x1 - bend} ${y1} ${x1} ${y1}`}, parent);
    }
    for (const b of box.boxes) {
      if (parent === out.firstChild && b.i === here) middle = left + b.x + b.width / 2;
      drawNode(b, left + b.x, top + b.y, parent);
    }
  };
  const draw = () => {
    const box = columnsBox(columns, edges, boxOf);
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    out.replaceChildren(svg);
    const rest = more.some(n => n > 0) ? 22 : 0;
    svg.setAttribute("width", box.width + 2);
    svg.setAttribute("height", box.height + 10 + rest);
    drawColumns(box, 1, 5, svg);
    columns.filter(c => c.length).forEach(c => {
      const k = columns.indexOf(c), x = Math.min(...box.boxes.filter(b => c.includes(b.i)).map(b => b.x));
      if (more[k]) make("text", {x: x + 10, y: box.height + rest, class: "second"}, svg).textContent = `and ${more[k]} more`;
    });
  };
  draw();
  // Shows the middle first.
  out.center = () => { out.scrollLeft = middle - out.clientWidth / 2; };
  return out;
}
