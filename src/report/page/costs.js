// SPDX-License-Identifier: Apache-2.0
// Parts of pages about costs: times as text, links to lines of code, bars, and a chart of numbers over steps.

"use strict";
// A time is {lower, upper} in seconds; upper is null if there is no bound.
function secondsText(n) {
  if (!n) return "0";
  const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [scale, name] = units.find(([s]) => n >= s) ?? units.at(-1);
  const value = n / scale;
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2) + " " + name;
}
const mostSeconds = t => t.upper ?? t.lower;
function timeText(t) {
  if (!t) return "";
  if (t.upper === null) return "≥ " + secondsText(t.lower);
  if (secondsText(t.lower) === secondsText(t.upper)) return secondsText(t.upper);
  return t.lower === 0 ? "≤ " + secondsText(t.upper) : secondsText(t.lower) + " … " + secondsText(t.upper);
}
const shareText = (part, whole) => whole > 0 ? (100 * part / whole).toFixed(1) + "%" : "";

// `2.69 G` operations.
function operationsText(n) {
  const units = ["", " k", " M", " G", " T", " P", " E"];
  let unit = 0;
  for (; n >= 999.5 && unit + 1 < units.length; ++unit) n /= 1000;
  return (unit === 0 || n >= 100 ? n.toFixed(0) : n < 10 ? n.toFixed(2) : n.toFixed(1)) + units[unit];
}

// `model.py:12`, which opens in an editor if the path is absolute.
function lineLink(line, own) {
  const short = line.replace(/^.*[\\/]/, "");
  const absolute = /^([\\/]|[A-Za-z]:)/.test(line);
  const a = element(absolute ? "a" : "span", "mono line", short);
  if (absolute) a.href = "vscode://file" + (line.startsWith("/") ? "" : "/") + line.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/").replaceAll("%3A", ":");
  a.title = line + (own ? " in " + own : "");
  a.onclick = event => event.stopPropagation();
  return a;
}

// Numbers over steps, as an area: `points` has [label, number]; `marked` is the index of one of them, `pick(i)` is
// called for a click. Of more points than pixels, each pixel shows the largest.
function areaChart(points, marked, show, pick) {
  const width = 1000, height = 150, top = 14;
  const make = (tag, attributes, parent) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    parent.append(e);
    return e;
  };
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height + top + 4}`);
  svg.setAttribute("class", "chart");
  svg.setAttribute("role", "img");
  const most = points.reduce((a, p) => Math.max(a, p[1]), 1);
  const columns = Math.min(points.length, width);
  const y = n => top + height - n / most * height;
  const tops = [];
  for (let c = 0; c < columns; ++c) {
    const from = Math.floor(c * points.length / columns), to = Math.max(from + 1, Math.floor((c + 1) * points.length / columns));
    let best = from;
    for (let i = from; i < to; ++i) if (points[i][1] > points[best][1]) best = i;
    tops.push(best);
  }
  const x = c => c * width / columns;
  const line = tops.map((i, c) => `L${x(c).toFixed(1)} ${y(points[i][1]).toFixed(1)} L${x(c + 1).toFixed(1)} ${y(points[i][1]).toFixed(1)}`).join(" ");
  make("path", {class: "area", d: `M0 ${y(0)} ${line} L${width} ${y(0)} Z`}, svg);
  if (marked >= 0) {
    const at = (marked + 0.5) * width / points.length;
    make("path", {class: "peak", d: `M${at} ${y(0)} L${at} ${top - 4}`}, svg);
    const text = make("text", {x: at < width / 2 ? at + 6 : at - 6, y: top - 3, "text-anchor": at < width / 2 ? "start" : "end"}, svg);
    text.textContent = `${show(points[marked][1])} at ${points[marked][0]}`;
  }
  const at = event => {
    const box = svg.getBoundingClientRect();
    return tops[Math.min(columns - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * columns)))];
  };
  const title = make("title", {}, svg);
  svg.onmousemove = event => { const i = at(event); title.textContent = `${points[i][0]}: ${show(points[i][1])}`; };
  svg.onclick = event => pick(at(event));
  return svg;
}

// A bar of parts of a whole: [name, number].
function partsBar(parts, whole, show) {
  const bar = element("div", "parts");
  for (const [name, n] of parts) {
    if (!(n > 0) || !(whole > 0)) continue;
    const part = element("div", "part " + name.replaceAll(" ", "-"), n / whole > 0.1 ? `${name} ${shareText(n, whole)}` : "");
    part.style.flexGrow = n / whole;
    part.title = `${name}: ${show(n)}, ${shareText(n, whole)}`;
    bar.append(part);
  }
  return bar;
}
