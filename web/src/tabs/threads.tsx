// SPDX-License-Identifier: Apache-2.0
// Who holds what of a tile, and what an access costs in banks: why, and a layout that costs less, with its proof.
import type { JSX } from 'preact';
import type { Answer, PictureJson, Request } from '../engine/answers';
import { Command } from '../parts/command';
import { useAnswer, useApp, useFault } from '../parts/context';
import { Choice, Copy, Input, Section, Toggle } from '../parts/controls';
import { Panels } from '../parts/panels';
import { Missing, Problem } from '../parts/problem';

interface Shared {
  wavefronts: number;
  ideal: number;
  excess: number;
  ways: number;
  floor: number;
  conflict: { instruction: number; phase: number; bank: number; words: [number, number[]][] } | null;
  bits: { lane_bytes: number[]; dim: number; rank: number; same_bank: number[]; same_word: number[]; bank_bits: number[] } | null;
  no_bits?: string;
}
interface Candidate {
  family: string;
  layout: string;
  wavefronts: number;
  per_access: number[];
  bytes: number;
  xor_terms: number;
  proof: string;
  hardware: string | null;
}
interface AccessAnswer extends Answer {
  layout: string;
  element_bits: number;
  target: { name: string; lanes: number; word: number };
  accesses: { name: string; kind: string; tv: string; instructions: number; shared: Shared | null; notes: string[] }[];
  total: { wavefronts: number; ideal: number; floor: number };
  fix: { best: number; candidates: Candidate[]; searches: { family: string; tried: number; complete: boolean }[] } | null;
  view: PictureJson;
}
interface ShowAnswer extends Answer { picture: PictureJson }

const PROOFS: Record<string, string> = {
  floor: 'equal to the floor: no layout is better', exhaustive: 'the best of all that were tried', none: '',
};

export function ThreadsTab(): JSX.Element {
  const { question, set } = useApp();
  const part = question.fields['part'] ?? 'banks';
  return (
    <div class="tab threads">
      <div class="controls" role="group" aria-label="What to look at">
        <button type="button" class={part === 'banks' ? 'on' : ''} aria-pressed={part === 'banks'} onClick={() => set({ part: 'banks' }, true)}>Banks of an access</button>
        <button type="button" class={part === 'owners' ? 'on' : ''} aria-pressed={part === 'owners'} onClick={() => set({ part: 'owners' }, true)}>Threads and values of a tile</button>
      </div>
      {part === 'owners' ? <Owners /> : <Banks />}
    </div>
  );
}

function Owners(): JSX.Element {
  const { question } = useApp();
  const tv = (question.fields['tv'] ?? '((4,8),(2,2)):((16,1),(8,64))').trim();
  const tile = (question.fields['tile'] ?? (question.fields['tv'] === undefined ? '8,16' : '')).trim();
  const request: Request = { verb: 'show', request: { layout: tv, tv: true, tile: tile === '' ? undefined : tile } };
  const tiled = useAnswer<ShowAnswer>(tv === '' ? null : request, 'threads tile');
  const values = useAnswer<ShowAnswer>(tv === '' ? null : { verb: 'show', request: { layout: tv, picture: true, color_by: 'index' } }, 'threads values');
  return (
    <>
      <div class="controls">
        <Input label="(thread, value) → index of the tile" field="tv" initial={tv} wide help="a layout, or an atom such as atom:nv.sm80.m16n8k16.f16.A" />
        <Input label="tile" field="tile" initial={tile} placeholder="rows,columns" />
      </div>
      {tiled.answer?.error && <Problem error={tiled.answer.error} />}
      <Missing asked={tiled} />
      {tiled.answer?.picture && (
        <Section title="By element" note="who holds it">
          <Panels picture={tiled.answer.picture} same={(a, b) => a.color === b.color} />
          <p class="note">Under the pointer: every element of the same thread (modulo 32).</p>
        </Section>
      )}
      {values.answer?.picture && !tiled.answer?.error && (
        <Section title="By thread" note="rows are threads, columns their values, cells the index in the tile">
          <Panels picture={values.answer.picture} tallest={360} />
        </Section>
      )}
      <Command request={request} />
    </>
  );
}

function Banks(): JSX.Element {
  const { question, set } = useApp();
  const layout = (question.fields['layout'] ?? '').trim();
  const threads = (question.fields['threads'] ?? 'columns').split(';').map((text) => text.trim()).filter((text) => text !== '');
  const bytes = question.fields['bytes'] ?? '4';
  const target = question.fields['target'] ?? 'nvidia';
  const all = question.fields['phases'] === '1';
  const phase = question.fields['phase'] ?? '';
  const fix = (question.fields['fix'] ?? '') !== '' && question.fields['fix'] !== '0';
  const fields = {
    layout, threads, bytes: bytes === '' ? undefined : bytes, target: target === 'nvidia' ? undefined : target,
    phase: all || phase === '' ? undefined : phase, all_phases: all ? true : undefined, instruction: question.fields['instruction'] || undefined, space: 'shared',
  };
  const request: Request = { verb: 'access', request: { ...fields, why: true, view: 'banks', fix: fix ? 'all' : undefined } };
  const asked = useAnswer<AccessAnswer>(layout === '' || threads.length === 0 ? null : request, 'threads access');
  const answer = asked.answer;
  useFault(answer?.error ?? null, '<argument 1>');
  const colored = useAnswer<ShowAnswer>(layout === '' ? null : { verb: 'show', request: { layout, picture: true, color_by: 'bank', bytes: bytes || undefined } }, 'threads layout');
  const best = answer?.fix?.candidates[answer.fix.best];
  const fixed = useAnswer<ShowAnswer>(best && best.family !== 'none' ? { verb: 'show', request: { layout: best.layout, picture: true, color_by: 'bank', bytes: bytes || undefined } } : null, 'threads fixed');
  return (
    <>
      <div class="controls">
        <Input label="access" field="threads" initial="columns" wide list={['columns', 'rows', 'rows,write; columns', 'ldmatrix.x4', 'ldmatrix.x1', 'A=((8,2,2),8):((1,8,512),64),vector=8,ldmatrix=4']} help="rows, columns, a matrix instruction, or a layout from (thread, value) to the index; several between semicolons" />
        <Input label="bytes" field="bytes" initial="4" />
        <Choice label="target" field="target" initial="nvidia" choices={[['nvidia', 'NVIDIA'], ['nvidia-7x', 'NVIDIA 7.x'], ['cdna3', 'AMD CDNA 3'], ['cdna4', 'AMD CDNA 4'], ['rdna3', 'AMD RDNA 3'], ['rdna4', 'AMD RDNA 4']]} />
        <Toggle label="all phases" field="phases" />
        <Input label="phase" field="phase" placeholder="worst" />
      </div>
      <Shape layout={layout} />
      <Missing asked={asked} />
      {answer?.error && <Problem error={answer.error} quiet={answer.error.source === '<argument 1>'} />}
      {answer && !answer.error && (
        <div class={asked.old ? 'stale' : ''}>
          <div class="numbers">
            <div><b class={answer.total.wavefronts > answer.total.floor ? 'unknown' : 'exact'}>{answer.total.wavefronts}</b><span>wavefronts</span></div>
            <div><b>{answer.total.floor}</b><span>floor: no layout goes below</span></div>
            <div><b>{Math.max(...answer.accesses.map((one) => one.shared?.ways ?? 0))}</b><span>ways, at the worst</span></div>
            <div><b>{answer.target.lanes}</b><span>lanes of {answer.target.name}</span></div>
          </div>
          <Panels picture={answer.view} same={(a, b) => a.offset !== undefined && a.offset === b.offset} tallest={520} />
          <div class="columns" style={{ marginTop: '14px' }}>
            {answer.accesses.map((one) => <Why key={one.name} access={one} />)}
            <div class="card">
              <Section title="Find a fix">
                {!fix && (
                  <>
                    <p class="note">Searches swizzles, paddings and linear layouts over F2, and proves the result against the floor.</p>
                    <button type="button" onClick={() => set({ fix: 'all' }, true)}>Find a fix</button>
                  </>
                )}
                {answer.fix && <Fixes answer={answer} use={(next) => set({ layout: next, fix: '' }, true)} />}
              </Section>
            </div>
          </div>
          {colored.answer?.picture && (
            <Section title="The tile by banks" note={best && best.family !== 'none' ? 'before and after' : ''}>
              <div class="columns">
                <Panels picture={colored.answer.picture} tallest={380} />
                {fixed.answer?.picture && <Panels picture={fixed.answer.picture} tallest={380} />}
              </div>
            </Section>
          )}
        </div>
      )}
      <Command request={request} />
    </>
  );
}

/** Swizzle and padding by hand: the layout that they make is written into the question. */
function Shape(props: { layout: string }): JSX.Element | null {
  const { set } = useApp();
  const swizzled = /^Sw<(\d+),(\d+),(\d+)> o _0 o (.*)$/.exec(props.layout);
  const base = swizzled?.[4] ?? props.layout;
  const flat = /^\((\d+),(\d+)\):\((\d+),(\d+)\)$/.exec(base);
  if (!/^[(\d]/.test(base)) return null;
  const [b, m, s] = swizzled ? swizzled.slice(1, 4).map(Number) as [number, number, number] : [0, 0, 3];
  const write = (bits: number, skip: number, shift: number): void => set({ layout: bits === 0 ? base : `Sw<${bits},${skip},${shift}> o _0 o ${base}` });
  const strides = flat ? [Number(flat[3]), Number(flat[4])] as const : null;
  const slow = strides && (strides[0] > strides[1] ? 0 : 1);
  const least = flat && strides ? Number(slow === 0 ? flat[2] : flat[1]) * (slow === 0 ? strides[1] : strides[0]) : 0;
  const pad = (n: number): void => {
    if (!flat || !strides || slow === null) return;
    const next = slow === 0 ? [least + n, strides[1]] : [strides[0], least + n];
    const text = `(${flat[1]},${flat[2]}):(${next.join(',')})`;
    set({ layout: swizzled ? `Sw<${b},${m},${s}> o _0 o ${text}` : text });
  };
  const field = (label: string, value: number, least: number, most: number, change: (n: number) => void): JSX.Element => (
    <span class="control">
      <label for={`shape-${label}`}>{label}</label>
      <input id={`shape-${label}`} type="number" min={least} max={most} value={value} style={{ width: '64px' }} onInput={(event) => change(Math.max(least, Math.min(most, Number(event.currentTarget.value))))} />
    </span>
  );
  return (
    <div class="controls" role="group" aria-label="Swizzle and padding">
      {field('swizzle bits', b, 0, 8, (n) => write(n, m, Math.max(s, n)))}
      {b > 0 && field('base', m, 0, 12, (n) => write(b, n, s))}
      {b > 0 && field('shift', s, b, 12, (n) => write(b, m, n))}
      {flat && strides && slow !== null && strides[slow] >= least && field('padding', strides[slow] - least, 0, 64, pad)}
    </div>
  );
}

function Why(props: { access: AccessAnswer['accesses'][number] }): JSX.Element | null {
  const { shared, name, kind, tv } = props.access;
  if (!shared) return null;
  const { conflict, bits } = shared;
  return (
    <div class="card">
      <Section title={name} note={`${kind} of ${tv}`}>
        <p>{shared.wavefronts} wavefronts, {shared.ideal} would be ideal{shared.ways > 1 ? `; ${shared.ways}-way conflict` : ''}.</p>
        {conflict && (
          <p class="note">
            Bank {conflict.bank} in phase {conflict.phase}: {conflict.words.slice(0, 6).map(([word, lanes]) => `word ${word} of lane ${lanes.join(', ')}`).join('; ')}
            {conflict.words.length > 6 ? ` and ${conflict.words.length - 6} more` : ''}
          </p>
        )}
        {bits && <Bits bits={bits} />}
        {shared.no_bits && <p class="note">No table of address bits: {shared.no_bits}</p>}
      </Section>
    </div>
  );
}

/** Which address bits each lane bit changes; the bits that select the bank are underlined. */
function Bits(props: { bits: NonNullable<Shared['bits']> }): JSX.Element {
  const { lane_bytes, rank, dim, same_bank, bank_bits } = props.bits;
  const top = Math.max(...bank_bits, ...lane_bytes.map((n) => Math.floor(Math.log2(Math.max(n, 1))))) + 1;
  const columns = Array.from({ length: top }, (_, i) => top - 1 - i);
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Address bits">
        <table class="bits">
          <thead><tr><th scope="col">address bit</th>{columns.map((bit) => <th key={bit} scope="col" class={bank_bits.includes(bit) ? 'bank' : ''}>{bit}</th>)}</tr></thead>
          <tbody>
            {lane_bytes.map((bytes, lane) => (
              <tr key={lane}><th scope="row">lane bit {lane}</th>{columns.map((bit) => {
                const one = Math.floor(bytes / 2 ** bit) % 2 === 1;
                return <td key={bit} class={one ? 'one' : ''}>{one ? '1' : '·'}</td>;
              })}</tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">Underlined bits select the bank. Rank {rank} of {dim}{same_bank.length > 0 ? `: lanes n and n xor ${same_bank.join(', ')} share a bank` : ': no two lanes of a phase share a bank'}.</p>
    </>
  );
}

function Fixes(props: { answer: AccessAnswer; use: (layout: string) => void }): JSX.Element {
  const fix = props.answer.fix;
  if (!fix) return <></>;
  const names: Record<string, string> = { none: 'as it is', swizzle: 'swizzle', pad: 'padding', linear: 'linear over F2' };
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Candidates">
        <table>
          <thead><tr><th scope="col">layout</th><th scope="col" class="number">wavefronts</th><th scope="col">proof</th><th scope="col">cost</th><th scope="col"><span class="hidden">use</span></th></tr></thead>
          <tbody>
            {fix.candidates.map((one, i) => (
              <tr key={one.family}>
                <td>{i === fix.best ? <b>{names[one.family] ?? one.family}</b> : names[one.family] ?? one.family}<br /><code>{one.layout}</code> <Copy text={one.layout} label={`Copy ${one.layout}`} /></td>
                <td class="number">{one.wavefronts}</td>
                <td>{one.proof === 'none' ? '' : <span class="tag exact">{PROOFS[one.proof] ?? one.proof}</span>}{one.hardware ? ` ${one.hardware}` : ''}</td>
                <td>{one.bytes > 0 ? `${one.bytes} bytes` : one.xor_terms > 0 ? `${one.xor_terms} xor` : 'nothing'}</td>
                <td>{one.family !== 'none' && <button type="button" class="quiet" onClick={() => props.use(one.layout)}>use</button>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="note">Searched: {fix.searches.map((one) => `${one.tried} of ${names[one.family] ?? one.family}${one.complete ? '' : ' (not all)'}`).join(', ')}.</p>
    </>
  );
}
