// SPDX-License-Identifier: Apache-2.0
// The tabs: their names, the field that the question bar holds, and what opens first.
import type { JSX } from 'preact';
import type { VerbJson } from '../engine/answers';
import { AlgebraTab } from './algebra';
import { CompareTab } from './compare';
import { GalleryTab } from './gallery';
import { LayoutTab } from './layout';
import { MapTab } from './map';
import { MoveTab } from './move';
import { EXAMPLE, ProgramTab } from './program';
import { ThreadsTab } from './threads';

export interface Tab {
  name: string;
  title: string;
  /** A verb that the engine must have; without it, there is no such tab. */
  needs?: string;
  /** The field of the question bar. */
  main: string;
  label: string;
  hint: string;
  first: Record<string, string>;
  view: () => JSX.Element;
}

export const TABS: Tab[] = [
  { name: 'layout', title: 'Layout', main: 'layout', label: 'Layout', hint: 'A layout in any notation, a map, HLO, or a whole command', first: { layout: 'f32[3,5]{1,0:T(2,2)}' }, view: LayoutTab },
  { name: 'compare', title: 'Compare', main: 'a', label: 'First layout', hint: 'A layout in any notation', first: { a: 'f32[4,8]{1,0:T(2,4)}', b: 'f32[4,8]{1,0}' }, view: CompareTab },
  { name: 'algebra', title: 'Algebra', needs: 'eval', main: 'expr', label: 'Expression', hint: 'composition((6,2):(8,2), (4,3):(3,1))', first: { expr: 'composition((6,2):(8,2), (4,3):(3,1))' }, view: AlgebraTab },
  { name: 'threads', title: 'Threads and banks', main: 'layout', label: 'Layout in memory', hint: 'The layout of a tile in shared memory', first: { part: 'banks', layout: '(32,32):(32,1)', threads: 'columns', bytes: '4' }, view: ThreadsTab },
  { name: 'map', title: 'Map', main: 'map', label: 'Index map', hint: 'An index map, current or older form', first: { map: '(d0, d1)[s0] -> (d0 + s0, d1 * 2), domain: d0 in [0, 11], d1 in [0, 7], s0 in [0, 2]', tile: '2,3', at: '4,2' }, view: MapTab },
  { name: 'program', title: 'Program', needs: 'hlo', main: 'text', label: 'HLO text', hint: 'Paste HLO text, or drop a dump', first: { text: EXAMPLE }, view: ProgramTab },
  { name: 'move', title: 'Move', main: 'from', label: 'Before', hint: 'A distribution: XLA, JAX, PyTorch, Shardy, ScaLAPACK', first: { part: 'reshard', from: '{devices=[4,1]<=[4]}', to: '{devices=[1,4]<=[4]}', shape: 'f32[16,16]' }, view: MoveTab },
  { name: 'gallery', title: 'Gallery', main: 'filter', label: 'Words', hint: 'Words: ldmatrix, AMD f16, scales, image', first: {}, view: GalleryTab },
];

/** The tabs whose verbs the engine has. */
export const tabsWith = (verbs: VerbJson[]): Tab[] => TABS.filter(({ needs }) => needs === undefined || verbs.some((verb) => verb.name === needs));

export const tabOf = (name: string): Tab => TABS.find((tab) => tab.name === name) ?? (TABS[0] as Tab);
