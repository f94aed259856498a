// SPDX-License-Identifier: Apache-2.0
// Layouts of real hardware and of formats, each with its source; each opens where it is seen best.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer } from '../engine/answers';
import { useAnswer, useApp } from '../parts/context';
import { Missing } from '../parts/problem';
import type { Question } from '../state/link';
import { PRESETS, type Preset } from './presets';

interface Atom {
  id: string;
  vendor: string;
  family: string;
  kind: string;
  element: string | null;
  layout: string;
  meaning: string;
  source: string;
}
interface Family { name: string; meaning: string; formula: string; source: string; example: string }
interface AtomsAnswer extends Answer { atoms: Atom[]; families: Family[] }

const atomQuestion = (atom: Atom): Question => (atom.kind === 'fragment' || atom.kind === 'lanes'
  ? { tab: 'threads', fields: { part: 'owners', tv: `atom:${atom.id}`, tile: '' } }
  : { tab: 'layout', fields: { layout: `atom:${atom.id}` } });

const GROUPS = ['Start here', 'GPU fragments and swizzles', 'TPU and CPU tiles', 'Block scales and packings', 'Images and caches'];

export function GalleryTab(): JSX.Element {
  const { question, open } = useApp();
  const [most, setMost] = useState(24);
  const filter = (question.fields['filter'] ?? '').trim().toLowerCase();
  const words = filter.split(/\s+/).filter((word) => word !== '');
  const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const asked = useAnswer<AtomsAnswer>({ verb: 'atoms', request: {} }, 'gallery');
  const atoms = (asked.answer?.atoms ?? []).filter((atom) => has(`${atom.id} ${atom.vendor} ${atom.family} ${atom.element ?? ''} ${atom.meaning}`));
  const families = (asked.answer?.families ?? []).filter((one) => has(`${one.name} ${one.meaning} ${one.source} packing scales format`));
  const presets = PRESETS.filter((one) => has(`${one.title} ${one.text} ${one.group} ${Object.values(one.question.fields).join(' ')}`));
  const card = (key: string, title: string, text: string, code: string, source: string, target: Question): JSX.Element => (
    <article class="card" key={key}>
      <h3>{title}</h3>
      <p>{text}</p>
      <p><code>{code.length > 120 ? `${code.slice(0, 117)}…` : code}</code></p>
      {source !== '' && <p class="note">{source}</p>}
      <button type="button" onClick={() => open(target)}>Open<span class="hidden"> {title}</span></button>
    </article>
  );
  const preset = (one: Preset): JSX.Element => card(one.title, one.title, one.text, one.question.fields['layout'] ?? one.question.fields['tv'] ?? one.question.fields['a'] ?? one.question.fields['map'] ?? one.question.fields['from'] ?? one.question.fields['expr'] ?? '', one.source, one.question);
  return (
    <div class="tab gallery" aria-busy={asked.old}>
      {GROUPS.map((group) => {
        const own = presets.filter((one) => one.group === group);
        return own.length === 0 ? null : <section key={group}><h2>{group}</h2><div class="cards">{own.map(preset)}</div></section>;
      })}
      {families.length > 0 && (
        <section>
          <h2>Families of formats <span class="note">a name with parameters, a type and extents</span></h2>
          <div class="cards">{families.map((one) => card(one.name, one.name, one.meaning, one.example, one.source, { tab: 'layout', fields: { layout: one.example } }))}</div>
        </section>
      )}
      <section>
        <h2>Atoms <span class="note">{atoms.length} layouts of hardware and libraries</span></h2>
        <div class="cards">{atoms.slice(0, most).map((atom) => card(atom.id, atom.id, `${atom.vendor}, ${atom.family}${atom.element ? `, ${atom.element}` : ''}: ${atom.meaning}`, atom.layout, atom.source, atomQuestion(atom)))}</div>
        {atoms.length > most && <p><button type="button" onClick={() => setMost(atoms.length)}>Show all {atoms.length}</button></p>}
      </section>
      {presets.length + families.length + atoms.length === 0 && !asked.old && <p class="note">Nothing has all these words.</p>}
      <Missing asked={asked} />
    </div>
  );
}
