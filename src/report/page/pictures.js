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

// Operands to the left, users to the right; `next(i)` gives their places.
function graph(here, operandsOf, usersOf, rows, pick) {
  const limit = 6, width = 140, gap = 36, height = 38, step = 48;
  const columns = [[], [], [here], [], []];
  const edges = [];
  const grow = (from, to, next, forward) => {
    for (const i of columns[from]) {
      for (const j of next(i)) {
        if (columns.some((c, k) => k !== to && c.includes(j))) continue;
        if (!columns[to].includes(j)) {
          if (columns[to].length >= limit) { columns[to].more = (columns[to].more ?? 0) + 1; continue; }
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
  const used = columns.map((c, k) => [c, k]).filter(([c]) => c.length);
  const tall = Math.max(...columns.map(c => c.length + (c.more ? 0.5 : 0)));
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const total = used.length * (width + gap) - gap + 2;
  svg.setAttribute("width", total);
  svg.setAttribute("height", tall * step);
  const make = (tag, attributes, parent = svg) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    parent.append(e);
    return e;
  };
  const place = new Map();
  used.forEach(([column], k) => column.forEach((i, j) =>
    place.set(i, [1 + k * (width + gap), (tall - column.length) * step / 2 + j * step + 5])));
  for (const [a, b] of edges) {
    const [x, y] = place.get(a), [u, v] = place.get(b);
    const x0 = x + width, y0 = y + height / 2, y1 = v + height / 2;
    make("path", {d: `M${x0} ${y0} C${x0 + gap / 2} ${y0} ${u - gap / 2} ${y1} ${u} ${y1}`});
  }
  // Names often differ only at the end.
  const cut = (text, n) => text.length > n ? text.slice(0, 4) + "…" + text.slice(5 - n) : text;
  for (const [i, [x, y]] of place) {
    const node = make("g", {class: "node" + (i === here ? " here" : "")});
    make("rect", {x, y, width, height, rx: 6}, node);
    make("text", {x: x + 9, y: y + 16}, node).textContent = cut(rows[i].instruction, 17);
    make("text", {x: x + 9, y: y + 31, class: "second"}, node).textContent = cut(rows[i].opcode, 18);
    make("title", {}, node).textContent = rows[i].computation + "/" + rows[i].instruction;
    node.onclick = () => pick(i);
  }
  used.forEach(([column], k) => {
    if (column.more) make("text", {x: 10 + k * (width + gap), y: tall * step - 6, class: "second"})
      .textContent = `and ${column.more} more`;
  });
  const out = element("div", "graph", svg);
  // Shows the middle first.
  const middle = place.get(here)[0] + width / 2;
  out.center = () => { out.scrollLeft = middle - out.clientWidth / 2; };
  return out;
}
