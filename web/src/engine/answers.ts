// SPDX-License-Identifier: Apache-2.0
// The parts of answers that the page reads: docs/lookup/json.md.
import type { Whole } from './whole';

export interface ErrorAnswer {
  code: string;
  message: string;
  source?: string;
  line?: number;
  column?: number;
  end_column?: number;
  reason?: string;
  witness?: string;
  notes?: string[];
  help?: string;
}

export interface Answer {
  schema: string;
  status: number;
  error?: ErrorAnswer;
  [key: string]: unknown;
}

export type Value = string | number | boolean | string[] | undefined;
export type Fields = Record<string, Value>;
export interface Request {
  verb: string;
  request: Fields;
  as?: 'json' | 'picture' | 'cells' | 'text' | 'svg' | 'tex' | 'html';
}

export interface AxisJson {
  name: string;
  labels: [number, number, string][][];
  cuts: number[];
}
export interface CellJson {
  padding?: boolean;
  coordinate?: string;
  offset?: Whole;
  text?: string;
  detail?: string;
  color?: number;
  marked?: boolean;
  link?: number;
  elements?: [Whole, number];
}
export interface PanelJson {
  caption: string;
  rows: number;
  columns: number;
  row_axis: AxisJson;
  column_axis: AxisJson;
  cells: (CellJson | null)[];
}
export interface Palette {
  light: string[];
  dark: string[];
}
export interface LegendJson {
  color: number | null;
  text: string;
}
export interface PictureJson {
  title: string;
  panels: PanelJson[];
  scale: string;
  colors: Palette;
  legend_title: string;
  legend: LegendJson[];
  notes: string[];
}

export interface DimJson {
  name: string;
  extent: number;
  drawn: number;
  leaves: number[];
}
export interface CellsAnswer extends Answer {
  layout: string;
  notation: string;
  dims: DimJson[];
  view: 'index' | 'memory';
  rows: number;
  columns: number;
  row_range: [number, number];
  column_range: [number, number];
  step: number;
  row_dim: number | null;
  column_dim: number | null;
  memory?: [Whole, Whole];
  kinds: string[];
  offsets: Whole[];
  colors: number[];
  coordinates?: string[];
  owners?: (number | null)[];
  naturals?: string[];
  row_cuts: number[];
  column_cuts: number[];
  palette: Palette;
  legend_title: string;
  legend: LegendJson[];
}

export interface FieldJson {
  name: string;
  value: string;
  help: string;
  argument: boolean;
  repeated: boolean;
  bare: string;
}
export interface VerbJson {
  name: string;
  help: string;
  fields: FieldJson[];
}
