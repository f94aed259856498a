// SPDX-License-Identifier: Apache-2.0
// Which notation was taken, and the others that also read the text: one click chooses.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Answer } from '../engine/answers';
import { useApp } from './context';

const PREFIXES: [string, string][] = [
  ['xla', 'XLA'], ['cute', 'CuTe'], ['morello', 'Morello'], ['strides', 'strides'], ['linear', 'linear'], ['onednn', 'oneDNN'], ['map', 'map'],
];
const NAMES = new Map([...PREFIXES, ['named', 'named']]);
const PREFIX = /^(?:xla|cute|mor|morello|np|strides|numpy|ll|linear|dnn|onednn|map):/;

export function NotationChoice(props: { text: string; field: string; notation: string; order: string }): JSX.Element | null {
  const { client, set } = useApp();
  const bare = props.text.trim().replace(PREFIX, '');
  const [others, setOthers] = useState<string[]>([]);
  useEffect(() => {
    let current = true;
    setOthers([]);
    const timer = setTimeout(() => {
      void (async () => {
        const found: string[] = [];
        for (const [prefix] of PREFIXES) {
          const text = `${prefix}:${bare}`;
          const answer = await client.ask<Answer>({ verb: 'equal', request: { a: text, b: text, notion: 'text' } }).catch(() => null);
          if (answer && !answer.error) found.push(prefix);
        }
        if (current) setOthers(found);
      })();
    }, 250);
    return () => { current = false; clearTimeout(timer); };
  }, [client, bare]);
  if (props.notation === '') return null;
  return (
    <p class="reading">
      <span>read as <b>{NAMES.get(props.notation) ?? props.notation}</b>{props.order !== '' && `, ${props.order.replace(/^[^:]*: /, '')}`}</span>
      {others.filter((one) => one !== props.notation).map((one) => (
        <button key={one} type="button" class="quiet" onClick={() => set({ [props.field]: `${one}:${bare}` }, true)}>read as {NAMES.get(one)}</button>
      ))}
    </p>
  );
}
