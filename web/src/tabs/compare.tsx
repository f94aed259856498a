// SPDX-License-Identifier: Apache-2.0
// Two layouts: equal, and how that is proved, or where they differ, in both pictures.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Answer, PictureJson, Request } from '../engine/answers';
import type { Client } from '../engine/client';
import { Command } from '../parts/command';
import { useAnswer, useApp, useFault } from '../parts/context';
import { Choice, Copy, Input, Section } from '../parts/controls';
import { Panels } from '../parts/panels';
import { Missing, Problem } from '../parts/problem';

interface EqualAnswer extends Answer {
  equal?: boolean;
  proof?: string;
  counterexample?: number[];
  offsets?: [number, number];
  smallest?: boolean;
  reason?: string;
  a?: { notation: string; text: string };
  b?: { notation: string; text: string };
}
interface ShowAnswer extends Answer { picture: PictureJson }
interface MapAnswer extends Answer { map?: string; equal?: boolean }
interface ConvertAnswer extends Answer { layout?: { text: string } }

const PROOFS: Record<string, string> = {
  identity: 'they are the same layout, field by field',
  digits: 'both have the same digits, a normal form that decides every index',
  bases: 'both have the same bases over F2, which decide every index',
  enumeration: 'every index was compared',
  isl: 'integer programming decided every index',
};

export function CompareTab(): JSX.Element {
  const { question } = useApp();
  const a = (question.fields['a'] ?? '').trim(), b = (question.fields['b'] ?? '').trim();
  const notion = question.fields['notion'] ?? 'map';
  const both = a !== '' && b !== '';
  const request: Request = { verb: 'equal', request: { a, b, notion: notion === 'map' ? undefined : notion } };
  const asked = useAnswer<EqualAnswer>(both ? request : null, 'compare');
  const answer = asked.answer;
  useFault(answer?.error ?? null, '<argument 1>');
  const shown = useAnswer<ShowAnswer>(both ? { verb: 'show', request: { layout: a, compare: b } } : null, 'compare picture');
  // A large picture is drawn around the first difference.
  const large = shown.answer?.error?.code === 'limit';
  const window = (answer?.counterexample ?? []).map((at, i, all) => (i + 2 < all.length ? `${at}:${at + 1}` : `${Math.max(0, at - (at % 32))}:`)).join(',');
  const part = useAnswer<ShowAnswer>(large && answer ? { verb: 'show', request: { layout: a, compare: b, window: partOf(shown.answer, answer, window) } } : null, 'compare part');
  const picture = (large ? part.answer : shown.answer)?.picture;
  const [first, second] = answer?.offsets ?? [];
  return (
    <div class="tab compare" aria-busy={asked.old}>
      <div class="controls">
        <Input label="with" field="b" wide placeholder="a second layout, in any notation" />
        <Choice label="as" field="notion" initial="map" choices={[['map', 'functions'], ['storage', 'storage'], ['structure', 'structure'], ['text', 'text']]} />
      </div>
      <Missing asked={asked} />
      {answer?.error && <Problem error={answer.error} quiet={answer.error.source === '<argument 1>'} />}
      {answer && !answer.error && both && (
        <div class={`verdict ${answer.equal === undefined ? '' : answer.equal ? 'yes' : 'no'}`} role="status">
          <b>{answer.equal === undefined ? 'undecided' : answer.equal ? 'equal' : 'different'}</b>
          <span>{answer.a?.notation} and {answer.b?.notation}</span>
          <p>
            {answer.equal ? `Proof: ${PROOFS[answer.proof ?? ''] ?? answer.reason ?? 'by its structure'}.`
              : answer.counterexample ? `${answer.smallest === false ? 'They differ' : 'The first index that differs is'} ${answer.smallest === false ? 'at ' : ''}(${answer.counterexample.join(', ')}): offset ${first} on the left, ${second} on the right.`
              : `${answer.reason ?? ''}.`}
          </p>
        </div>
      )}
      {answer?.equal === false && <Renamed a={a} b={b} />}
      {picture && both && <Panels picture={picture} same={(x, y) => x.coordinate === y.coordinate} />}
      {large && part.answer?.error && <Problem error={part.answer.error} quiet />}
      {!large && shown.answer?.error && !answer?.error && <Problem error={shown.answer.error} quiet />}
      {answer && !answer.error && answer.equal === false && answer.counterexample && <Between a={a} b={b} />}
      {both && <Command request={request} files={false} />}
      {both && <Command request={{ verb: 'show', request: { layout: a, compare: b } }} />}
    </div>
  );
}

// The window that the engine proposes, moved to the first difference.
function partOf(shown: ShowAnswer | null, answer: EqualAnswer, otherwise: string): string {
  const help = /--window ([\d:,]+)/.exec(shown?.error?.help ?? '')?.[1];
  if (!help) return otherwise;
  return help.split(',').map((range, i) => {
    const [begin, end] = range.split(':').map(Number) as [number, number];
    const size = end - begin, at = answer.counterexample?.[i] ?? 0;
    return at < end ? range : `${at - (at % size)}:${at - (at % size) + size}`;
  }).join(',');
}

async function mapOf(client: Client, layout: string): Promise<string | null> {
  const answer = await client.ask<ConvertAnswer>({ verb: 'convert', request: { layout, to: 'map' } });
  return answer.layout?.text ?? null;
}

interface Found {
  map: string | null;
  steps: Request[];
  why: string;
}

/** The map from an offset in A to the offset in B of the same element. */
function Between(props: { a: string; b: string }): JSX.Element | null {
  const { client } = useApp();
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    let current = true;
    void (async () => {
      const steps: Request[] = [];
      const first = await mapOf(client, props.a), second = await mapOf(client, props.b);
      if (!first || !second) return { map: null, steps, why: '' };
      const back: Request = { verb: 'map inverse', request: { map: first } };
      steps.push(back);
      const inverse = await client.ask<MapAnswer>(back);
      if (inverse.error || !inverse.map) return { map: null, steps, why: inverse.error?.message ?? '' };
      const chain: Request = { verb: 'map compose', request: { first: inverse.map, second } };
      steps.push(chain);
      const composed = await client.ask<MapAnswer>(chain);
      return { map: composed.map ?? null, steps, why: composed.error?.message ?? '' };
    })().then((next) => { if (current) setFound(next); }, () => {});
    return () => { current = false; };
  }, [client, props.a, props.b]);
  if (!found) return null;
  return (
    <div class="card" style={{ marginTop: '14px' }}>
      <Section title="From the left to the right">
        {found.map ? <p><code>{found.map}</code> <Copy text={found.map} label="Copy the map" /></p> : <p class="note">There is no such map: {found.why}</p>}
        <p class="note">It takes the offset of an element in the left memory to its offset in the right one.</p>
        {found.steps.map((step, i) => <Command key={i} request={step} files={false} />)}
      </Section>
    </div>
  );
}

function permutations(n: number): number[][] {
  if (n === 0) return [[]];
  return permutations(n - 1).flatMap((rest) => Array.from({ length: n }, (_, at) => [...rest.slice(0, at), n - 1, ...rest.slice(at)]));
}

/** Whether the layouts are equal once the dimensions of one have other names. */
function Renamed(props: { a: string; b: string }): JSX.Element | null {
  const { client } = useApp();
  const [found, setFound] = useState<{ order: number[]; request: Request } | null>(null);
  useEffect(() => {
    let current = true;
    setFound(null);
    void (async () => {
      const [first, second] = [await mapOf(client, props.a), await mapOf(client, props.b)];
      const facts = await client.ask<Answer>({ verb: 'show', request: { layout: props.a, facts: true } });
      const other = await client.ask<Answer>({ verb: 'show', request: { layout: props.b, facts: true } });
      const shape = facts['shape'] as number[] | undefined, wanted = other['shape'] as number[] | undefined;
      if (!first || !second || !shape || !wanted || shape.length !== wanted.length || shape.length < 2 || shape.length > 4) return null;
      for (const order of permutations(shape.length)) {
        if (order.every((from, i) => from === i) || order.some((from, i) => shape[from] !== wanted[i])) continue;
        // Index (d0, d1, ...) of B is the index of A in which dimension order[i] has the value d_i.
        const names = shape.map((_, i) => `d${i}`);
        const back = shape.map((_, i) => `d${order.indexOf(i)}`);
        const rename = `(${names.join(', ')}) -> (${back.join(', ')}), domain: ${wanted.map((extent, i) => `d${i} in [0, ${extent - 1}]`).join(', ')}`;
        const renamed = await client.ask<MapAnswer>({ verb: 'map compose', request: { first: rename, second: first } });
        if (!renamed.map) continue;
        const request: Request = { verb: 'map equal', request: { a: renamed.map, b: second } };
        const same = await client.ask<MapAnswer>(request);
        if (same.equal) return { order, request };
      }
      return null;
    })().then((next) => { if (current) setFound(next); }, () => {});
    return () => { current = false; };
  }, [client, props.a, props.b]);
  if (!found) return null;
  return (
    <div class="verdict yes">
      <b>equal after renaming</b>
      <p>Dimension i of the right layout is dimension ({found.order.join(', ')})[i] of the left one: they differ only in the order of their dimensions.</p>
      <Command request={found.request} files={false} />
    </div>
  );
}
