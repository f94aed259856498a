// SPDX-License-Identifier: Apache-2.0
// What a grid draws: cells of a picture that is whole, or of a layout of any size, window by window.
import type { CellsAnswer, Fields, LegendJson, PanelJson, Palette, PictureJson } from '../engine/answers';
import type { Client } from '../engine/client';
import { compare, grouped, minus, plus, type Whole } from '../engine/whole';

export interface Cell {
  kind: 'element' | 'padding' | 'none';
  text: string;
  color: number;
  coordinate: string;
  offset: Whole | undefined;
  detail: string;
  marked: boolean;
  link: number | undefined;
  /** The offsets of the elements that a word of memory holds. */
  elements: [Whole, number] | undefined;
  /** How many elements have the offset; null: more than 64. */
  owners: number | null;
}

export interface Label {
  begin: number;
  end: number;
  text: string;
}

/** The rows and columns of a grid, and their cells where they are known. */
export interface Source {
  readonly rows: number;
  readonly columns: number;
  readonly rowName: string;
  readonly columnName: string;
  /** For the dimension lines: `d0 = 3 + 1 padding`. */
  readonly rowSize: string;
  readonly columnSize: string;
  readonly palette: Palette;
  readonly legend: LegendJson[];
  readonly legendTitle: string;
  /** The cell, or undefined until its answer has come. */
  cell(row: number, column: number): Cell | undefined;
  /**
   * The color of a block of `step` rows and columns, which is that of its first cell: an entry of the palette, -1 for none, -2 for padding,
   * -3 for no cell, or undefined until its answer has come.
   */
  paint(row: number, column: number, step: number): number | undefined;
  /** Asks for the cells of a window; `listen` is called when some have come. */
  need(rows: [number, number], columns: [number, number], step: number): void;
  listen(listener: () => void): () => void;
  rowLabels(): Label[][] | null;
  columnLabels(): Label[][] | null;
  rowCut(row: number): number;
  columnCut(column: number): number;
}

const NONE: Cell = {
  kind: 'none', text: '', color: -1, coordinate: '', offset: undefined, detail: '', marked: false, link: undefined,
  elements: undefined, owners: 0,
};

/** A panel of a picture, which has all its cells. */
export class PanelSource implements Source {
  readonly palette: Palette;
  readonly legend: LegendJson[];
  readonly legendTitle: string;
  private readonly cells: Cell[];

  constructor(
    readonly panel: PanelJson,
    picture: PictureJson,
  ) {
    this.palette = picture.colors;
    this.legend = picture.legend;
    this.legendTitle = picture.legend_title;
    this.cells = panel.cells.map((json) =>
      json === null ? NONE : {
        kind: json.padding ? 'padding' : 'element',
        text: json.text ?? '',
        color: json.color ?? -1,
        coordinate: json.coordinate ?? '',
        offset: json.offset,
        detail: json.detail ?? '',
        marked: json.marked ?? false,
        link: json.link,
        elements: json.elements,
        owners: 1,
      });
  }
  get rows(): number { return this.panel.rows; }
  get columns(): number { return this.panel.columns; }
  get rowSize(): string {
    // A row of totals is no line.
    const plain = (this.panel.row_axis.labels.at(-1) ?? []).every(([, , text]) => /^-?[\d:]+$/.test(text));
    return plain ? `${this.rowName} = ${this.rows}` : this.rowName;
  }
  get columnSize(): string { return `${this.columnName === '' ? '' : `${this.columnName} = `}${this.columns}`; }
  get rowName(): string { return this.panel.row_axis.name; }
  get columnName(): string { return this.panel.column_axis.name; }
  cell(row: number, column: number): Cell | undefined { return this.cells[row * this.columns + column]; }
  paint(row: number, column: number): number | undefined {
    const cell = this.cell(row, column);
    if (!cell) return undefined;
    return cell.kind === 'none' ? -3 : cell.kind === 'padding' ? -2 : cell.color;
  }
  need(): void {}
  listen(): () => void { return () => {}; }
  rowLabels(): Label[][] { return labels(this.panel.row_axis.labels); }
  columnLabels(): Label[][] { return labels(this.panel.column_axis.labels); }
  rowCut(row: number): number { return this.panel.row_axis.cuts[row] ?? 0; }
  columnCut(column: number): number { return this.panel.column_axis.cuts[column] ?? 0; }
}

function labels(levels: [number, number, string][][]): Label[][] {
  return levels.map((level) => level.map(([begin, end, text]) => ({ begin, end, text })));
}

interface Chunk {
  answer: CellsAnswer;
  row: number;
  column: number;
  height: number;
  width: number;
}

export type CellWords = 'offset' | 'coordinate' | 'natural' | 'both' | 'none';

/** A layout, by its indices or by its offsets: chunks of cells come from the engine when they are needed. */
export class LayoutSource implements Source {
  private readonly chunks = new Map<string, Chunk | 'asked'>();
  private readonly listeners = new Set<() => void>();
  private readonly first: CellsAnswer;

  /** `fixed` has the index along each dimension that is not drawn. */
  private constructor(
    private readonly client: Client,
    private readonly fields: Fields,
    first: CellsAnswer,
    private readonly fixed: number[],
    private readonly words: CellWords,
    readonly transposed: boolean,
  ) {
    this.first = first;
  }

  static async open(client: Client, fields: Fields, fixed: number[], words: CellWords, transposed: boolean): Promise<LayoutSource | CellsAnswer> {
    // The first rows and columns, wherever the grid ends: a window may name an open end.
    const probe = await client.ask<CellsAnswer>({ verb: 'show', as: 'cells', request: fields }, `open ${String(fields['view'])}`);
    if (probe.error) return probe;
    // Where cells are drawn, numbers may be rounded.
    const pair = ([low, high]: [number, number]): [number, number] => [Number(low), Number(high)];
    const first = {
      ...probe, rows: Number(probe.rows), columns: Number(probe.columns), row_range: pair(probe.row_range), column_range: pair(probe.column_range),
      dims: probe.dims.map((dim) => ({ ...dim, drawn: Number(dim.drawn) })),
    };
    return new LayoutSource(client, fields, first, fixed, words, transposed);
  }

  get answer(): CellsAnswer { return this.first; }
  get rows(): number { return this.transposed ? this.first.columns : this.first.rows; }
  get columns(): number { return this.transposed ? this.first.rows : this.first.columns; }
  get palette(): Palette { return this.first.palette; }
  get legend(): LegendJson[] { return this.first.legend; }
  get legendTitle(): string { return this.first.legend_title; }
  private dimName(dim: number | null, otherwise: string): string {
    return dim === null ? otherwise : this.first.dims[dim]?.name ?? '';
  }
  private get ownRowName(): string { return this.dimName(this.first.row_dim, ''); }
  private get ownColumnName(): string {
    return this.dimName(this.first.column_dim, this.first.view === 'memory' ? 'offset' : this.first.dims[0]?.name ?? '');
  }
  get rowName(): string { return this.transposed ? this.ownColumnName : this.ownRowName; }
  get columnName(): string { return this.transposed ? this.ownRowName : this.ownColumnName; }
  private size(dim: number | null, name: string, count: number): string {
    const own = dim === null ? undefined : this.first.dims[dim];
    if (own) return `${own.name} = ${own.extent}${own.drawn > own.extent ? ` + ${own.drawn - own.extent} padding` : ''}`;
    if (this.first.view === 'memory' && this.first.memory) return `${grouped(minus(this.first.memory[1], this.first.memory[0]))} offsets, ${count} in a row`;
    return `${name} = ${this.first.dims[0]?.extent ?? 1}${this.first.rows > 1 ? `, ${count} in a row` : ''}`;
  }
  get rowSize(): string { return this.transposed ? this.size(this.first.column_dim, this.ownColumnName, this.first.columns) : this.size(this.first.row_dim, this.ownRowName, this.first.rows); }
  get columnSize(): string { return this.transposed ? this.size(this.first.row_dim, this.ownRowName, this.first.rows) : this.size(this.first.column_dim, this.ownColumnName, this.first.columns); }
  rowLabels(): null { return null; }
  columnLabels(): null { return null; }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private side(step: number): number { return step === 1 ? 64 : 128 * step; }
  private key(row: number, column: number, step: number): string { return `${step} ${row} ${column}`; }

  need(rows: [number, number], columns: [number, number], step: number): void {
    const [own, across] = this.transposed ? [columns, rows] : [rows, columns];
    const whole = this.first.row_dim === null;
    // Rows that continue each other come whole.
    const height = whole ? Math.max(1, Math.floor(4096 * step * step / this.first.columns)) : this.side(step);
    const width = whole ? this.first.columns : this.side(step);
    for (let r = Math.floor(own[0] / height); r * height < Math.min(own[1], this.first.rows); ++r)
      for (let c = Math.floor(across[0] / width); c * width < Math.min(across[1], this.first.columns); ++c)
        void this.load(r, c, height, width, step);
  }

  private async load(r: number, c: number, height: number, width: number, step: number): Promise<void> {
    const key = this.key(r, c, step);
    if (this.chunks.has(key)) return;
    const rows: [number, number] = [r * height, Math.min((r + 1) * height, this.first.rows)];
    const columns: [number, number] = [c * width, Math.min((c + 1) * width, this.first.columns)];
    this.chunks.set(key, 'asked');
    try {
      const answer = this.covers(rows, columns) ? this.first
        : await this.client.ask<CellsAnswer>({ verb: 'show', as: 'cells', request: { ...this.fields, window: this.window(rows, columns) || undefined } });
      if (answer.error) return;
      this.chunks.set(key, { answer, row: rows[0], column: columns[0], height, width });
      if (this.chunks.size > 300) this.chunks.delete(this.chunks.keys().next().value as string);
      for (const listener of this.listeners) listener();
    } catch {
      this.chunks.delete(key); // stopped: a later look asks again
    }
  }

  private covers(rows: [number, number], columns: [number, number], coarse = false): boolean {
    const { row_range, column_range, step } = this.first;
    const fixed = this.first.dims.every((_, i) => i === this.first.row_dim || i === this.first.column_dim || (this.fixed[i] ?? 0) === 0);
    return (coarse || step === 1) && fixed && row_range[0] <= rows[0] && rows[1] <= row_range[1] && column_range[0] <= columns[0] && columns[1] <= column_range[1];
  }

  private window(rows: [number, number], columns: [number, number]): string {
    const { row_dim, column_dim, dims, view, memory } = this.first;
    if (row_dim === null) {
      if (view === 'index' && dims.length === 0) return '';
      const [low, high] = view === 'memory' && memory ? memory : [0, dims[0]?.drawn ?? 1];
      const end = plus(low, rows[1] * this.first.columns);
      return `${plus(low, rows[0] * this.first.columns)}:${compare(end, high) < 0 ? end : high}`;
    }
    return dims.map((_, i) => {
      if (i === row_dim) return `${rows[0]}:${rows[1]}`;
      if (i === column_dim) return `${columns[0]}:${columns[1]}`;
      const at = this.fixed[i] ?? 0;
      return `${at}:${at + 1}`;
    }).join(',');
  }

  private last: (Chunk & { step: number }) | undefined;

  private find(row: number, column: number, step: number, exact: boolean): [CellsAnswer, number, number] | undefined {
    const [r, c] = this.transposed ? [column, row] : [row, column];
    let found = this.last;
    if (!found || found.step !== step || r < found.row || r >= found.row + found.height || c < found.column || c >= found.column + found.width) {
      const whole = this.first.row_dim === null;
      const height = whole ? Math.max(1, Math.floor(4096 * step * step / this.first.columns)) : this.side(step);
      const width = whole ? this.first.columns : this.side(step);
      const chunk = this.chunks.get(this.key(Math.floor(r / height), Math.floor(c / width), step));
      found = chunk === undefined || chunk === 'asked' ? undefined : { ...chunk, step };
      if (found) this.last = found;
    }
    const { first } = this;
    // Until its chunk has come, the first look at the whole layout gives the color.
    const answer = found ? found.answer : this.covers(first.row_range, first.column_range, !exact) ? first : undefined;
    if (!answer || (exact && answer.step !== 1)) return undefined;
    const across = Math.ceil((answer.column_range[1] - answer.column_range[0]) / answer.step);
    const i = Math.floor((r - answer.row_range[0]) / answer.step);
    const j = Math.floor((c - answer.column_range[0]) / answer.step);
    return [answer, i * across + j, i];
  }

  paint(row: number, column: number, step: number): number | undefined {
    const found = this.find(row, column, step, false);
    if (!found) return undefined;
    const [answer, at, i] = found;
    const across = Math.ceil((answer.column_range[1] - answer.column_range[0]) / answer.step);
    const kind = answer.kinds[i]?.[at - i * across];
    return kind === 'p' ? -2 : kind === 'e' ? answer.colors[at] ?? -1 : kind === '.' ? -3 : undefined;
  }

  cell(row: number, column: number): Cell | undefined {
    const found = this.find(row, column, 1, true);
    if (!found) return undefined;
    const [answer, at] = found;
    const paint = this.paint(row, column, 1);
    if (paint === undefined) return undefined;
    if (paint === -3) return NONE;
    const offset = answer.offsets[at];
    const owners = answer.owners ? answer.owners[at] ?? null : 1;
    const coordinate = answer.coordinates ? answer.coordinates[at] ?? '' : this.indexAt(row, column).join(',');
    const natural = answer.naturals?.[at] ?? '';
    const cell: Cell = {
      kind: paint === -2 ? 'padding' : 'element', text: '', color: paint, coordinate, offset, detail: natural, marked: false,
      link: undefined, elements: undefined, owners,
    };
    if (answer.view === 'memory') {
      cell.text = paint === -2 ? '' : owners === null ? `${coordinate}+…` : owners > 1 ? `${coordinate}+${owners - 1}` : coordinate;
    } else {
      cell.text = this.words === 'none' ? '' : this.words === 'coordinate' ? coordinate
        : this.words === 'natural' ? natural || coordinate : this.words === 'both' ? `${coordinate}\n${offset}` : String(offset);
    }
    return cell;
  }

  /** The index of a cell of the index view. */
  indexAt(row: number, column: number): number[] {
    const [r, c] = this.transposed ? [column, row] : [row, column];
    const { row_dim, column_dim, dims } = this.first;
    if (dims.length === 0) return [];
    if (row_dim === null) return [r * this.first.columns + c];
    return dims.map((_, i) => (i === row_dim ? r : i === column_dim ? c : this.fixed[i] ?? 0));
  }

  /** Where the grid shows an index, or in the memory view an offset; null if it does not. */
  placeOf(index: Whole[]): [number, number] | null {
    const { row_dim, column_dim, dims, columns, memory, view } = this.first;
    let place: [number, number];
    if (view === 'memory' || row_dim === null) {
      const n = Number(minus(index[0] ?? 0, view === 'memory' ? memory?.[0] ?? 0 : 0));
      place = [Math.floor(n / columns), n % columns];
    } else {
      if (index.length !== dims.length) return null;
      if (index.some((at, i) => i !== row_dim && i !== column_dim && Number(at) !== (this.fixed[i] ?? 0))) return null;
      place = [Number(index[row_dim] ?? 0), Number(index[column_dim ?? 0] ?? 0)];
    }
    if (place[0] < 0 || place[0] >= this.first.rows || place[1] < 0 || place[1] >= this.first.columns) return null;
    return this.transposed ? [place[1], place[0]] : place;
  }

  private ownCut(dim: 'row' | 'column', at: number): number {
    const cuts = dim === 'row' ? this.first.row_cuts : this.first.column_cuts;
    const range = dim === 'row' ? this.first.row_range : this.first.column_range;
    if (cuts[at - range[0]] !== undefined) return cuts[at - range[0]] ?? 0;
    for (const chunk of this.chunks.values()) {
      if (chunk === 'asked') continue;
      const { answer } = chunk;
      const own = dim === 'row' ? answer.row_range : answer.column_range;
      if (own[0] <= at && at <= own[1]) return (dim === 'row' ? answer.row_cuts : answer.column_cuts)[at - own[0]] ?? 0;
    }
    return 0;
  }
  rowCut(row: number): number { return this.ownCut(this.transposed ? 'column' : 'row', row); }
  columnCut(column: number): number { return this.ownCut(this.transposed ? 'row' : 'column', column); }

  /** What a row or column is called next to the grid. */
  lineName(kind: 'row' | 'column', at: number): string {
    const own = (kind === 'row') !== this.transposed ? 'row' : 'column';
    if (own === 'row' && this.first.row_dim === null)
      return String(plus(this.first.memory?.[0] ?? 0, at * this.first.columns));
    return String(at);
  }
}
