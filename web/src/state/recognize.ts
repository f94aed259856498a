// SPDX-License-Identifier: Apache-2.0
// Which tab a text, a command or a file belongs to. Whether it can be read is for the engine to say.
import type { Fields, VerbJson } from '../engine/answers';
import type { Question } from './link';
import { requestOf, splitWords } from './command';

const FUNCTIONS = /\b(?:composition|complement|coalesce|logical_divide|zipped_divide|tiled_divide|flat_divide|logical_product|zipped_product|blocked_product|raked_product|right_inverse|left_inverse|with_shape|flatten|size|cosize)\s*\(/;

const text = (value: Fields[string]): string => (Array.isArray(value) ? value.join(' ') : value === undefined || value === true ? '' : String(value));

/** The question of a request that a command asks. Null: no tab shows this verb. */
export function questionOf(verb: string, fields: Fields, verbs: VerbJson[]): Question | null {
  // Without the calculator, the layout itself is shown.
  const calculates = verbs.some(({ name }) => name === 'eval');
  const own = (names: Record<string, string>): Record<string, string> => {
    const out: Record<string, string> = {};
    for (const [from, to] of Object.entries(names)) if (fields[from] !== undefined) out[to] = text(fields[from]);
    return out;
  };
  switch (verb) {
    case 'show':
      if (fields['compare'] !== undefined) return { tab: 'compare', fields: own({ layout: 'a', compare: 'b' }) };
      if (fields['tv'] !== undefined) return { tab: 'threads', fields: { part: 'owners', ...own({ layout: 'tv', tile: 'tile' }) } };
      if (calculates && fields['divide'] !== undefined) return { tab: 'algebra', fields: { expr: `zipped_divide(${text(fields['layout'])}, ${text(fields['divide'])})` } };
      if (calculates && fields['compose'] !== undefined) return { tab: 'algebra', fields: { expr: `composition(${text(fields['layout'])}, ${text(fields['compose'])})` } };
      if (calculates && fields['product'] !== undefined) return { tab: 'algebra', fields: { expr: `logical_product(${text(fields['layout'])}, ${text(fields['product'])})` } };
      return { tab: 'layout', fields: own({ layout: 'layout', color_by: 'color', cells: 'cells', bytes: 'bytes', columns: 'columns' }) };
    case 'at': {
      const index = Array.isArray(fields['index']) ? fields['index'][0] ?? '' : '';
      return { tab: 'layout', fields: { ...own({ layout: 'layout' }), pin: fields['inverse'] === true ? `@${index}` : index } };
    }
    case 'convert':
      return { tab: 'layout', fields: own({ layout: 'layout' }) };
    case 'code':
      return { tab: 'layout', fields: own({ input: 'layout' }) };
    case 'equal':
      return { tab: 'compare', fields: own({ a: 'a', b: 'b', notion: 'notion' }) };
    case 'access': {
      const threads = Array.isArray(fields['threads']) ? fields['threads'] : [];
      return { tab: 'threads', fields: { ...own({ layout: 'layout', bytes: 'bytes', target: 'target', phase: 'phase', fix: 'fix' }), threads: threads.join('; ') } };
    }
    case 'atoms':
      return { tab: 'gallery', fields: own({ word: 'filter' }) };
    case 'eval':
      return { tab: 'algebra', fields: own({ expr: 'expr' }) };
    case 'map compose':
      return { tab: 'map', fields: own({ first: 'map', second: 'second' }) };
    case 'map simplify': case 'map inverse': case 'map image': case 'map count':
      return { tab: 'map', fields: own({ map: 'map' }) };
    case 'map eval':
      return { tab: 'map', fields: own({ map: 'map', point: 'point' }) };
    case 'map equal':
      return { tab: 'compare', fields: own({ a: 'a', b: 'b' }) };
    case 'tile':
      return { tab: 'map', fields: own({ input: 'map', tile: 'tile', at: 'at' }) };
    case 'plan':
      return { tab: 'move', fields: { part: 'plan', ...own({ from: 'from', to: 'to' }) } };
    case 'reshard plan': case 'reshard show':
      return { tab: 'move', fields: { part: 'reshard', ...own({ from: 'from', to: 'to', shape: 'shape' }) } };
    default:
      return null;
  }
}

export function questionOfCommand(verbs: VerbJson[], words: string[]): Question | null {
  const request = requestOf(verbs, words);
  return request && questionOf(request.verb, request.request, verbs);
}

/** What a pasted or entered text asks, if it is not for the tab that is open. */
export function recognize(verbs: VerbJson[], raw: string, tab: string): Question | null {
  const own = raw.trim().replace(/^\$\s+/, '');
  const words = splitWords(own);
  const first = words?.[0] ?? '';
  if (words && words.length > 1 && (first === 'tessera' || verbs.some(({ name }) => name.split(' ')[0] === first)))
    return questionOfCommand(verbs, words);
  if (/^(?:HloModule\b|ENTRY\b|%?[\w.-]+\s*(?:\([^)]*\)\s*->.*)?\{\s*$)/m.test(own) && own.includes('{') && own.includes('=')) return { tab: 'program', fields: { text: own } };
  if (/^(?:[A-Za-z]\w*\s*=|print_)/.test(own) || FUNCTIONS.test(own)) return tab === 'algebra' ? null : { tab: 'algebra', fields: { expr: own } };
  if (/^\(.*\)\s*(?:\[.*\]\s*)?(?:\{.*\}\s*)?->/.test(own)) return tab === 'map' || tab === 'layout' || tab === 'compare' ? null : { tab: 'map', fields: { map: own } };
  if (/^(?:\{(?:devices|replicated|maximal)|DeviceMesh\b|Mesh\(|mesh\[|block_cyclic\()/.test(own)) return tab === 'move' ? null : { tab: 'move', fields: { part: 'reshard', from: own } };
  return null;
}
