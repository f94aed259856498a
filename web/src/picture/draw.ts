// SPDX-License-Identifier: Apache-2.0
// Draws the visible part of a grid on a canvas.
import type { Cell, Label, Source } from './source';

export interface Look {
  paper: string;
  ink: string;
  soft: string;
  line: string;
  frame: string;
  padding: string;
  hatch: string;
  mark: string;
  accent: string;
  dark: boolean;
  patterns: boolean;
}

/** Where the cells are: the left top corner of cell (0,0) from the gutters, and the size of a cell. */
export interface View {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Gutters {
  left: number;
  top: number;
}

export interface Frame {
  source: Source;
  view: View;
  gutters: Gutters;
  size: { width: number; height: number };
  look: Look;
  lit: ((cell: Cell, row: number, column: number) => boolean) | null;
  pinned: [number, number] | null;
  lineName: (kind: 'row' | 'column', at: number) => string;
}

export const FONT = '"DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace';

/** The least power of two that makes `size` times it at least `wanted`. */
function doublings(size: number, wanted: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(wanted / size)));
}

/** The side, in rows and columns, of the block of cells that is drawn as one square: at least 3.5 pixels. */
export function stepOf(view: View): number {
  return doublings(Math.min(view.width, view.height), 3.5);
}

export function visible(frame: Pick<Frame, 'source' | 'view' | 'gutters' | 'size'>): { rows: [number, number]; columns: [number, number] } {
  const { view, gutters, size, source } = frame;
  const span = (at: number, cell: number, room: number, count: number): [number, number] =>
    [Math.max(0, Math.floor(-at / cell)), Math.min(count, Math.ceil((room - at) / cell))];
  return {
    rows: span(view.y, view.height, size.height - gutters.top, source.rows),
    columns: span(view.x, view.width, size.width - gutters.left, source.columns),
  };
}

const inks = new Map<string, string>();
function channels(color: string): [number, number, number] {
  return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16)) as [number, number, number];
}
function inkOn(color: string): string {
  let ink = inks.get(color);
  if (ink === undefined) {
    const [r, g, b] = channels(color).map((c) => (c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
    ink = 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
    inks.set(color, ink);
  }
  return ink;
}

// Second channel for colors: a pattern for each of eight neighbors in the palette.
function pattern(pen: CanvasRenderingContext2D, kind: number, x: number, y: number, w: number, h: number, ink: string): void {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, w, h);
  pen.clip();
  pen.strokeStyle = ink;
  pen.globalAlpha = 0.28;
  pen.lineWidth = 1;
  pen.beginPath();
  const gap = 6;
  if (kind === 1 || kind === 5) for (let i = -h; i < w; i += gap) { pen.moveTo(x + i, y + h); pen.lineTo(x + i + h, y); }
  if (kind === 2 || kind === 5) for (let i = -h; i < w; i += gap) { pen.moveTo(x + i, y); pen.lineTo(x + i + h, y + h); }
  if (kind === 3 || kind === 6) for (let i = gap / 2; i < h; i += gap) { pen.moveTo(x, y + i); pen.lineTo(x + w, y + i); }
  if (kind === 4 || kind === 6) for (let i = gap / 2; i < w; i += gap) { pen.moveTo(x + i, y); pen.lineTo(x + i, y + h); }
  if (kind === 7) for (let i = 3; i < w; i += gap) for (let j = 3; j < h; j += gap) { pen.moveTo(x + i, y + j); pen.lineTo(x + i + 1.5, y + j); }
  pen.stroke();
  pen.restore();
}

function hatch(pen: CanvasRenderingContext2D, x: number, y: number, w: number, h: number, look: Look): void {
  pen.fillStyle = look.padding;
  pen.fillRect(x, y, w, h);
  if (Math.min(w, h) < 6) return;
  pen.save();
  pen.beginPath();
  pen.rect(x, y, w, h);
  pen.clip();
  pen.strokeStyle = look.hatch;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let i = -h; i < w; i += 6) { pen.moveTo(x + i, y + h); pen.lineTo(x + i + h, y); }
  pen.stroke();
  pen.restore();
}

function cellText(pen: CanvasRenderingContext2D, text: string, x: number, y: number, w: number, h: number, ink: string): void {
  const lines = text.split('\n');
  const longest = Math.max(...lines.map((line) => line.length));
  const font = Math.min(13, h / (lines.length * 1.2), (w - 4) / (longest * 0.61));
  if (font < 6.5) return;
  pen.font = `${font}px ${FONT}`;
  pen.fillStyle = ink;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  lines.forEach((line, i) => pen.fillText(line, x + w / 2, y + h / 2 + (i - (lines.length - 1) / 2) * font * 1.2 + 0.5));
}

// Many small cells: one pixel for each, enlarged.
const buffer = document.createElement('canvas');
function fillPixels(pen: CanvasRenderingContext2D, frame: Frame, rows: [number, number], columns: [number, number], step: number): void {
  const { source, view, look } = frame;
  const first = [Math.floor(rows[0] / step), Math.floor(columns[0] / step)] as const;
  const tall = Math.ceil(rows[1] / step) - first[0], wide = Math.ceil(columns[1] / step) - first[1];
  if (tall <= 0 || wide <= 0) return;
  const colors = look.dark ? source.palette.dark : source.palette.light;
  const word = (color: string): number => {
    const [r, g, b] = channels(color);
    return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
  };
  const words = colors.map(word);
  const padding = word(look.padding), plain = word(look.paper);
  buffer.width = wide;
  buffer.height = tall;
  const image = new ImageData(wide, tall);
  const data = new Uint32Array(image.data.buffer);
  for (let i = 0; i < tall; ++i) {
    for (let j = 0; j < wide; ++j) {
      const paint = source.paint((first[0] + i) * step, (first[1] + j) * step, step);
      data[i * wide + j] = paint === undefined || paint === -3 ? 0 : paint === -2 ? padding : paint < 0 ? plain : words[paint % words.length] ?? plain;
    }
  }
  (buffer.getContext('2d') as CanvasRenderingContext2D).putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false;
  const right = Math.min((first[1] + wide) * step, source.columns), bottom = Math.min((first[0] + tall) * step, source.rows);
  pen.save();
  pen.beginPath();
  pen.rect(view.x, view.y, right * view.width, bottom * view.height);
  pen.clip();
  pen.drawImage(buffer, view.x + first[1] * step * view.width, view.y + first[0] * step * view.height,
                wide * step * view.width, tall * step * view.height);
  pen.restore();
}

function fillCells(pen: CanvasRenderingContext2D, frame: Frame, rows: [number, number], columns: [number, number]): void {
  const { source, view, look } = frame;
  const colors = look.dark ? source.palette.dark : source.palette.light;
  for (let r = rows[0]; r < rows[1]; ++r) {
    for (let c = columns[0]; c < columns[1]; ++c) {
      const cell = source.cell(r, c);
      const x = view.x + c * view.width, y = view.y + r * view.height;
      if (!cell) {
        const paint = source.paint(r, c, 1);
        if (paint !== undefined && paint >= 0) {
          pen.fillStyle = colors[paint % colors.length] ?? look.paper;
          pen.fillRect(x, y, view.width, view.height);
        }
        continue;
      }
      if (cell.kind === 'none') continue;
      let ink = look.ink;
      if (cell.kind === 'padding') {
        hatch(pen, x, y, view.width, view.height, look);
        ink = look.soft;
      } else {
        const color = cell.color >= 0 && colors.length > 0 ? colors[cell.color % colors.length] ?? look.paper : look.paper;
        pen.fillStyle = color;
        pen.fillRect(x, y, view.width, view.height);
        ink = inkOn(color);
        if (look.patterns && cell.color >= 0 && view.height >= 10) pattern(pen, cell.color % 8, x, y, view.width, view.height, ink);
      }
      if (cell.text !== '' && view.height >= 12) cellText(pen, cell.text, x, y, view.width, view.height, ink);
    }
  }
}

function drawLines(pen: CanvasRenderingContext2D, frame: Frame, rows: [number, number], columns: [number, number]): void {
  const { source, view, look } = frame;
  const left = view.x + columns[0] * view.width, right = view.x + columns[1] * view.width;
  const top = view.y + rows[0] * view.height, bottom = view.y + rows[1] * view.height;
  for (const weight of [0, 1, 2]) {
    pen.beginPath();
    for (let r = rows[0]; r <= rows[1]; ++r) {
      const own = r === 0 || r === source.rows ? Math.max(source.rowCut(r), 1) : source.rowCut(r);
      if (own !== weight || (weight === 0 && view.height < 7) || (weight === 1 && view.height < 2)) continue;
      const y = Math.round(view.y + r * view.height) + (weight === 2 ? 0 : 0.5);
      pen.moveTo(left, y);
      pen.lineTo(right, y);
    }
    for (let c = columns[0]; c <= columns[1]; ++c) {
      const own = c === 0 || c === source.columns ? Math.max(source.columnCut(c), 1) : source.columnCut(c);
      if (own !== weight || (weight === 0 && view.width < 7) || (weight === 1 && view.width < 2)) continue;
      const x = Math.round(view.x + c * view.width) + (weight === 2 ? 0 : 0.5);
      pen.moveTo(x, top);
      pen.lineTo(x, bottom);
    }
    pen.strokeStyle = weight === 0 ? look.line : look.frame;
    pen.lineWidth = weight === 2 ? 2 : 1;
    pen.stroke();
  }
}

function outline(pen: CanvasRenderingContext2D, frame: Frame, row: number, column: number, color: string, width: number): void {
  const { view, look } = frame;
  const w = Math.max(view.width, 4), h = Math.max(view.height, 4);
  const x = view.x + column * view.width, y = view.y + row * view.height;
  if (Math.min(w, h) > 10) {
    pen.strokeStyle = look.paper;
    pen.lineWidth = 1;
    pen.strokeRect(x + width + 0.5, y + width + 0.5, w - 2 * width - 1, h - 2 * width - 1);
  }
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.strokeRect(x + width / 2, y + width / 2, w - width, h - width);
}

function drawMarks(pen: CanvasRenderingContext2D, frame: Frame, rows: [number, number], columns: [number, number]): void {
  const { source, view, look, lit, pinned } = frame;
  for (let r = rows[0]; r < rows[1]; ++r) {
    for (let c = columns[0]; c < columns[1]; ++c) {
      const cell = source.cell(r, c);
      if (!cell || cell.kind === 'none') continue;
      if (cell.marked && view.height >= 5) outline(pen, frame, r, c, look.mark, view.height > 16 ? 2 : 1);
      if (lit?.(cell, r, c)) outline(pen, frame, r, c, look.accent, 2);
    }
  }
  if (pinned && pinned[0] < source.rows && pinned[1] < source.columns) outline(pen, frame, pinned[0], pinned[1], look.accent, 3);
}

// A dimension line: the extent between two ticks.
function dimension(pen: CanvasRenderingContext2D, look: Look, text: string, from: number, to: number, across: number, vertical: boolean): void {
  if (to - from < 8) return;
  pen.save();
  if (vertical) {
    pen.translate(across, 0);
    pen.rotate(Math.PI / 2);
  } else {
    pen.translate(0, across);
  }
  pen.strokeStyle = look.soft;
  pen.lineWidth = 1;
  pen.font = `12px ${FONT}`;
  const width = pen.measureText(text).width + 10;
  if (to - from < width - 6) {
    pen.restore();
    return;
  }
  const middle = (from + to) / 2;
  pen.beginPath();
  pen.moveTo(from + 0.5, -4);
  pen.lineTo(from + 0.5, 4);
  pen.moveTo(to - 0.5, -4);
  pen.lineTo(to - 0.5, 4);
  if (to - from > width + 8) {
    pen.moveTo(from, 0.5);
    pen.lineTo(middle - width / 2, 0.5);
    pen.moveTo(middle + width / 2, 0.5);
    pen.lineTo(to, 0.5);
  }
  pen.stroke();
  pen.fillStyle = look.soft;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillText(text, middle, 0.5);
  pen.restore();
}

function drawLabels(pen: CanvasRenderingContext2D, frame: Frame, rows: [number, number], columns: [number, number]): void {
  const { source, view, gutters, look, size, lineName } = frame;
  pen.font = `11px ${FONT}`;
  pen.fillStyle = look.soft;
  pen.textBaseline = 'middle';
  const levels = (labels: Label[][] | null, kind: 'row' | 'column'): void => {
    const [begin, end] = kind === 'row' ? rows : columns;
    const cell = kind === 'row' ? view.height : view.width;
    const origin = kind === 'row' ? gutters.top + view.y : gutters.left + view.x;
    const put = (text: string, from: number, to: number, level: number, count: number): void => {
      const middle = origin + (from + to) / 2 * cell;
      if (kind === 'row') {
        pen.textAlign = 'right';
        pen.fillText(text, gutters.left - 6 - (count - 1 - level) * 22, middle);
      } else {
        pen.textAlign = 'center';
        pen.fillText(text, middle, gutters.top - 9 - (count - 1 - level) * 15);
      }
    };
    if (labels === null) {
      const longest = kind === 'row' ? 14 : Math.max(lineName('column', Math.max(0, end - 1)).length * 7 + 6, 14);
      const every = doublings(cell, longest);
      for (let at = Math.ceil(begin / every) * every; at < end; at += every) put(lineName(kind, at), at, at + 1, 0, 1);
      return;
    }
    labels.forEach((level, k) => {
      const widest = kind === 'row' ? 12 : Math.max(...level.map((one) => one.text.length), 1) * 6.8 + 4;
      const first = level[0];
      const room = (first ? first.end - first.begin : 1) * cell;
      const every = doublings(room, widest);
      level.forEach((one, i) => {
        if (i % every === 0 && one.end > begin && one.begin < end) put(one.text, Math.max(one.begin, begin), Math.min(one.end, end), k, labels.length);
      });
    });
  };
  pen.save();
  pen.beginPath();
  pen.rect(gutters.left - 12, 0, size.width - gutters.left + 12, gutters.top);
  pen.clip();
  levels(source.columnLabels(), 'column');
  dimension(pen, look, source.columnSize, gutters.left + Math.max(view.x, 0),
            gutters.left + Math.min(view.x + source.columns * view.width, size.width - gutters.left), 8, false);
  pen.restore();
  pen.save();
  pen.beginPath();
  pen.rect(0, gutters.top - 6, gutters.left, size.height - gutters.top + 6);
  pen.clip();
  pen.font = `11px ${FONT}`;
  pen.fillStyle = look.soft;
  levels(source.rowLabels(), 'row');
  if (source.rowName !== '')
    dimension(pen, look, source.rowSize, gutters.top + Math.max(view.y, 0),
              gutters.top + Math.min(view.y + source.rows * view.height, size.height - gutters.top), 8, true);
  pen.restore();
}

export function drawFrame(pen: CanvasRenderingContext2D, frame: Frame): void {
  const { size, gutters, view, source } = frame;
  pen.clearRect(0, 0, size.width, size.height);
  const { rows, columns } = visible(frame);
  const step = stepOf(view);
  pen.save();
  pen.beginPath();
  pen.rect(gutters.left - 1, gutters.top - 1, size.width - gutters.left + 1, size.height - gutters.top + 1);
  pen.clip();
  pen.translate(gutters.left, gutters.top);
  const few = (rows[1] - rows[0]) * (columns[1] - columns[0]) <= 5000;
  if (few && view.height >= 9) fillCells(pen, frame, rows, columns);
  else fillPixels(pen, frame, rows, columns, step);
  if (step === 1) drawLines(pen, frame, rows, columns);
  if ((rows[1] - rows[0]) * (columns[1] - columns[0]) <= 20000) drawMarks(pen, frame, rows, columns);
  pen.restore();
  drawLabels(pen, frame, rows, columns);
  source.need(rows, columns, step);
}
