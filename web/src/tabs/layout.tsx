// SPDX-License-Identifier: Apache-2.0
// One layout three times: by its indices, by its offsets, and by the banks of an access; with all that is known of it.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Answer, CellsAnswer, Fields, PictureJson, Request } from '../engine/answers';
import { compare, plus, type Whole } from '../engine/whole';
import { Command } from '../parts/command';
import { useAnswer, useApp, useFault } from '../parts/context';
import { Choice, Copy, Input, Section, Toggle } from '../parts/controls';
import { Legend } from '../parts/legend';
import { NotationChoice } from '../parts/notation';
import { Missing, Problem } from '../parts/problem';
import { Grid, type Place } from '../picture/grid';
import { LayoutSource, PanelSource, type Cell, type CellWords } from '../picture/source';

interface AtAnswer extends Answer {
  results: { index?: Whole[]; offset: Whole; indices?: number[][]; padding?: boolean; complete?: boolean; byte?: number; first_bit?: number }[];
}
interface AccessAnswer extends Answer {
  view: PictureJson;
}
type Range = [Whole, Whole];

function useSource(fields: Fields, fixed: number[], words: CellWords, transposed: boolean): { source: LayoutSource | null; error: CellsAnswer | null } {
  const { client } = useApp();
  const [state, setState] = useState<{ source: LayoutSource | null; error: CellsAnswer | null }>({ source: null, error: null });
  const key = JSON.stringify([fields, fixed, words, transposed]);
  useEffect(() => {
    let current = true;
    if (fields['layout'] === '') {
      setState({ source: null, error: null });
      return;
    }
    LayoutSource.open(client, fields, fixed, words, transposed).then((made) => {
      if (!current) return;
      if (made instanceof LayoutSource) setState({ source: made, error: null });
      else setState((before) => ({ ...before, error: made }));
    }, () => {});
    return () => { current = false; };
  }, [client, key]);
  return state;
}

const inside = (range: Range | null, offset: Whole | undefined): boolean =>
  range !== null && offset !== undefined && compare(range[0], offset) <= 0 && compare(offset, range[1]) < 0;
function rangeOf(cell: Cell | undefined): Range | null {
  if (!cell) return null;
  if (cell.elements) return [cell.elements[0], plus(cell.elements[0], cell.elements[1])];
  return cell.offset === undefined ? null : [cell.offset, plus(cell.offset, 1)];
}
const numbers = (text: string): number[] => (text === '' ? [] : text.split(',').map(Number));

export function LayoutTab(): JSX.Element {
  const { question, set } = useApp();
  const text = (question.fields['layout'] ?? '').trim();
  const transposed = question.fields['transposed'] === '1';
  const words = (question.fields['cells'] ?? 'offset') as CellWords;
  const fixed = numbers(question.fields['fixed'] ?? '');
  const bytes = question.fields['bytes'] ?? '';
  const color = question.fields['color'] ?? 'auto';
  const index = useSource({ layout: text, view: 'index', color_by: color === 'auto' ? undefined : color, bytes: bytes || undefined }, fixed, words, transposed);
  const memory = useSource({ layout: text, view: 'memory', columns: question.fields['columns'] || undefined, color_by: color === 'auto' || color === 'offset' ? undefined : color, bytes: bytes || undefined }, [], 'coordinate', false);
  const dims = index.source?.answer.dims ?? [];
  const rank = dims.length;
  const access = question.fields['access'] ?? (rank === 2 ? 'rows' : rank === 1 ? '32:1' : '');
  const bankRequest: Request | null = text === '' || access === '' ? null
    : { verb: 'access', request: { layout: text, threads: [access], bytes: bytes || undefined, view: 'banks', phase: question.fields['phase'] || undefined } };
  const banks = useAnswer<AccessAnswer>(bankRequest, 'layout banks');
  const untyped = banks.answer?.error?.code === 'unknown_type';
  const typed = useAnswer<AccessAnswer>(untyped && bankRequest ? { ...bankRequest, request: { ...bankRequest.request, bytes: '4' } } : null, 'layout banks typed');
  const bankAnswer = untyped ? typed.answer : banks.answer;
  const bankSource = useMemo(() => {
    const panel = bankAnswer?.view?.panels[0];
    return bankAnswer && panel ? new PanelSource(panel, bankAnswer.view) : null;
  }, [bankAnswer]);

  const facts = useAnswer(text === '' ? null : { verb: 'show', request: { layout: text, facts: true, bytes: bytes || undefined } }, 'layout facts');
  const error = index.error?.error ?? null;
  useFault(error, '<argument 1>');

  // The pin: an index, or `@` and an offset without an owner.
  const pin = question.fields['pin'] ?? '';
  const pinned = pin !== '' && !pin.startsWith('@') && error === null ? pin : '';
  const at = useAnswer<AtAnswer>(pinned === '' || text === '' ? null : { verb: 'at', request: { layout: text, index: [pinned] } }, 'layout pin');
  const offset = /^@-?\d+$/.test(pin) ? pin.slice(1) : at.answer?.results?.[0]?.offset;
  const owners = useAnswer<AtAnswer>(pin === '' || text === '' || offset === undefined ? null : { verb: 'at', request: { layout: text, index: [String(offset)], inverse: true } }, 'layout owners');
  const [over, setOver] = useState<{ range: Range | null; cell: Cell } | null>(null);
  const pinRange: Range | null = pin === '' || offset === undefined ? null : [offset, plus(offset, 1)];
  const range = over ? over.range : pinRange;
  const lit = useMemo(() => (range ? (cell: Cell) => {
    if (cell.elements) return compare(cell.elements[0], range[1]) < 0 && compare(range[0], plus(cell.elements[0], cell.elements[1])) < 0;
    return inside(range, cell.offset);
  } : null), [range?.[0], range?.[1]]);
  const hover = (place: Place | null): void => setOver(place ? { range: rangeOf(place.cell), cell: place.cell } : null);
  const pinIndex = (place: Place | null): void => {
    if (!place || !index.source) set({ pin: '' });
    else set({ pin: place.cell.kind === 'padding' ? `@${place.cell.offset}` : index.source.indexAt(place.row, place.column).join(',') });
  };
  const pinOffset = (place: Place | null): void => {
    if (!place) set({ pin: '' });
    else set({ pin: place.cell.kind === 'element' ? place.cell.coordinate : `@${place.cell.offset}` });
  };
  const indexPlace = index.source && pinned !== '' ? index.source.placeOf(numbers(pinned)) : null;
  const memoryPlace = memory.source && pinRange ? memory.source.placeOf([pinRange[0]]) : null;

  const others = dims.map((dim, i) => ({ ...dim, i }))
    .filter(({ i, drawn }) => i !== index.source?.answer.row_dim && i !== index.source?.answer.column_dim && rank > 1 && drawn > 1);
  const shown = { verb: 'show', request: { layout: text, color_by: color === 'auto' ? undefined : color, bytes: bytes || undefined } };

  return (
    <div class="tab layout" aria-busy={facts.old}>
      <div class="controls">
        <Choice label="color" field="color" initial="auto" choices={[['auto', 'offset'], ['index', 'index'], ['tile', 'tile'], ['bank', 'bank'], ['padding', 'padding'], ['none', 'none']]} />
        <Choice label="cells" field="cells" initial="offset" choices={[['offset', 'offset'], ['coordinate', 'index'], ['natural', 'nested index'], ['both', 'index and offset'], ['none', 'nothing']]} />
        <Input label="bytes" field="bytes" placeholder="type's" />
        {rank === 2 && <Toggle label="transpose" field="transposed" />}
        {others.map(({ i, name, drawn }) => (
          <span class="control" key={name}>
            <label for={`fixed${i}`}>{name}</label>
            <input id={`fixed${i}`} type="number" min={0} max={drawn - 1} value={fixed[i] ?? 0} onInput={(event) => {
              const next = dims.map((_, k) => fixed[k] ?? 0);
              next[i] = Math.max(0, Math.min(drawn - 1, Number(event.currentTarget.value)));
              set({ fixed: next.join(',') });
            }} />
            <span class="note">of {drawn}</span>
          </span>
        ))}
      </div>
      {error && <Problem error={error} quiet />}
      <div class="work">
        <div class="main">
          <div class={error ? 'three stale' : 'three'}>
            <figure class="logical">
              <figcaption><b>logical</b> index → offset</figcaption>
              {index.source && <Grid source={index.source} label={`Logical picture of ${text}: offsets by index`} lit={lit} pinned={indexPlace} onHover={hover} onPin={pinIndex} reveal={indexPlace} lineName={(kind, i) => index.source?.lineName(kind, i) ?? ''} tallest={440} />}
              {index.source && <Legend palette={index.source.palette} title={index.source.legendTitle} entries={index.source.legend} strip />}
            </figure>
            <figure class="memory">
              <figcaption><b>memory</b> offset → index, holes hatched
                <span class="inline"><Input label="columns" field="columns" placeholder="auto" /></span>
              </figcaption>
              {memory.source && !memory.error && <Grid source={memory.source} label={`Memory of ${text}: indices by offset`} lit={lit} pinned={memoryPlace} onHover={hover} onPin={pinOffset} reveal={memoryPlace} lineName={(kind, i) => memory.source?.lineName(kind, i) ?? ''} tallest={440} />}
              {memory.error?.error && !error && <Problem error={memory.error.error} quiet />}
            </figure>
            {rank > 0 && (
              <figure class="banks">
                <figcaption><b>banks</b> line × bank
                  <span class="inline"><Input label="access" field="access" initial={access} list={['rows', 'columns', 'ldmatrix.x4', 'ldmatrix.x1', 'stmatrix.x4', '32:1', '32:2']} /></span>
                </figcaption>
                {bankSource && !bankAnswer?.error && <Grid source={bankSource} label={`Words of ${text} in the banks of shared memory`} lit={lit} onHover={hover} onPin={(place) => { const own = rangeOf(place?.cell); if (own) set({ pin: `@${own[0]}` }); }} tallest={440} />}
                {bankSource && !bankAnswer?.error && <p class="note">{bankAnswer?.view.panels[0]?.caption}; marked: the fullest banks. Text is the lane.</p>}
                {bankAnswer?.error && !error && <Problem error={bankAnswer.error} quiet />}
                {access === '' && <p class="note">Name an access to see its banks: a layout from (thread, value) to the index.</p>}
              </figure>
            )}
          </div>
          <p class="readout" aria-live="polite">{readout(over?.cell ?? null, pin, at.answer, owners.answer)}</p>
          {!error && text !== '' && <MappingTable source={index.source} />}
          {text !== '' && !error && <div class="card"><Notations text={text} /></div>}
        </div>
        <aside>
          {facts.answer && !facts.answer.error && <Facts facts={facts.answer} text={text} />}
          <Missing asked={facts} />
        </aside>
      </div>
      <Command request={shown} />
      {pinned !== '' && <Command request={{ verb: 'at', request: { layout: text, index: [pinned] } }} files={false} />}
    </div>
  );
}

function readout(cell: Cell | null, pin: string, at: AtAnswer | null, owners: AtAnswer | null): string {
  if (cell) {
    if (cell.elements) return `${cell.coordinate} · elements at offsets ${cell.elements[0]}${cell.elements[1] > 1 ? ` to ${plus(cell.elements[0], cell.elements[1] - 1)}` : ''}${cell.detail === '' ? '' : ` · ${cell.detail}`}`;
    const nested = cell.detail !== '' && cell.detail !== cell.coordinate ? ` · nested (${cell.detail})` : '';
    if (cell.kind === 'padding') return `offset ${cell.offset} · padding${cell.coordinate === '' ? '' : `, outside the shape at (${cell.coordinate})`}`;
    return `index (${cell.coordinate}) → offset ${cell.offset}${nested}${cell.owners === null ? ' · and at least 64 more with this offset' : cell.owners > 1 ? ` · and ${cell.owners - 1} more with this offset` : ''}`;
  }
  if (pin === '') return 'Point at a cell; click to pin it; arrow keys move the pin.';
  const found = owners?.results?.[0];
  const offset = pin.startsWith('@') ? pin.slice(1) : at?.results?.[0]?.offset;
  if (at?.error && !pin.startsWith('@')) return at.error.message;
  const all = (found?.indices ?? []).map((index) => `(${index.join(',')})`);
  const who = all.length > 1 ? ` · owners ${all.slice(0, 12).join(' ')}${found?.complete === false || all.length > 12 ? ' and more' : ''}`
    : found?.padding ? ' · padding' : '';
  return `pinned: ${pin.startsWith('@') ? '' : `index (${pin}) → `}offset ${offset ?? '…'}${pin.startsWith('@') && all.length === 1 ? ` · index ${all[0]}` : ''}${who}`;
}

const ROWS: [string, string][] = [
  ['shape', 'shape'], ['size', 'elements'], ['buffer', 'buffer'], ['bytes', 'bytes'], ['bits', 'bits of an element'], ['padding', 'padding'], ['offsets', 'offsets'],
  ['image', 'distinct offsets'], ['injective', 'injective'], ['witness', 'witness'], ['runs', 'runs'], ['digits', 'digits'], ['no_digits', 'digits'], ['map', 'map'],
];
function factText(key: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (key === 'shape') return `(${(value as number[]).join(', ')})`;
  if (key === 'offsets') return `${(value as number[])[0]} to ${(value as number[])[1]}`;
  if (key === 'runs') {
    const runs = value as { count: number; shortest: number; longest: number };
    return `${runs.count.toLocaleString('en')}, ${runs.shortest === runs.longest ? `${runs.longest} long` : `${runs.shortest} to ${runs.longest} long`}`;
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en');
  return String(value);
}

function Facts(props: { facts: Answer; text: string }): JSX.Element {
  const { facts } = props;
  const unknown = (facts['unknown'] ?? {}) as Record<string, string>;
  return (
    <Section title="Facts">
      <NotationChoice text={props.text} field="layout" notation={String(facts['notation'] ?? '')} order={String(facts['order'] ?? '')} />
      <dl class="facts">
        {ROWS.map(([key, name]) => {
          const value = factText(key, facts[key]);
          return value === '' ? null : <div key={key} class={key === 'map' || key === 'digits' || key === 'no_digits' || key === 'witness' ? 'long' : ''}><dt>{name}</dt><dd>{value}</dd></div>;
        })}
        {Object.entries(unknown).map(([name, reason]) => <div key={name} class="long"><dt>{name}</dt><dd><span class="tag unknown">unknown</span> {reason}</dd></div>)}
      </dl>
    </Section>
  );
}

interface ConvertAnswer extends Answer {
  notations: { notation: string; layout: { text: string; crop?: number[]; shape?: number[] } | null; text?: string; reason: string | null; notes?: string[] }[];
}
const TITLES: Record<string, string> = {
  xla: 'XLA', cute: 'CuTe', morello: 'Morello', strides: 'NumPy strides', linear: 'linear over F2', onednn: 'oneDNN', named: 'named layout',
  triton: 'Triton', axe: 'Axe', map: 'index map', tv: 'threads and values', mesh: 'mesh', gluon: 'Gluon',
};

function Notations(props: { text: string }): JSX.Element {
  const { set } = useApp();
  const all = useAnswer<ConvertAnswer>({ verb: 'convert', request: { layout: props.text } }, 'layout notations');
  const c = useAnswer<Answer>({ verb: 'code', request: { input: props.text } }, 'layout code');
  const code = c.answer && !c.answer.error ? String(c.answer['code'] ?? c.answer['text'] ?? '') : '';
  return (
    <Section title="All notations">
      <ul class="notations">
        {(all.answer?.notations ?? []).map(({ notation, layout, text, reason, notes }) => {
          const full = layout ? layout.text + (layout.crop ? ` crop (${layout.crop.join(',')})` : '') : text ?? '';
          const shaped = layout?.shape && notation === 'morello' ? `${layout.shape.join('x')}:${full}` : full;
          return (
            <li key={notation}>
              <span class="name">{TITLES[notation] ?? notation}</span>
              {layout || text ? (
                <>
                  <code>{shaped}</code>
                  <Copy text={shaped} label={`Copy as ${TITLES[notation] ?? notation}`} />
                  {(layout || notation === 'axe') && <button type="button" class="quiet" onClick={() => set({ layout: notation === 'strides' || notation === 'map' ? `${notation}:${shaped}` : shaped }, true)}>open</button>}
                  {(notes ?? []).length > 0 && <span class="note">{(notes ?? []).join('; ')}</span>}
                </>
              ) : <span class="note">{reason}</span>}
            </li>
          );
        })}
        {code !== '' && <li><span class="name">C</span><code class="block scroll" tabIndex={0} role="region" aria-label="Source code in C">{code}</code><Copy text={code} label="Copy as C" /></li>}
      </ul>
    </Section>
  );
}

/** The mapping as a table, for readers of screens and for copying. */
function MappingTable(props: { source: LayoutSource | null }): JSX.Element | null {
  const { source } = props;
  const [open, setOpen] = useState(false);
  if (!source) return null;
  const { answer } = source;
  const rows = Math.min(source.rows, 32), columns = Math.min(source.columns, 16);
  const part = rows < source.rows || columns < source.columns;
  return (
    <details class="mapping" onToggle={(event) => { setOpen(event.currentTarget.open); source.need([0, rows], [0, columns], 1); }}>
      <summary>The mapping as a table</summary>
      {open && (
        <div class="scroll" tabIndex={0} role="region" aria-label="The mapping as a table">
          <table>
            <caption>offset of each index{part ? `: the first ${rows} rows and ${columns} columns` : ''} of {answer.layout}</caption>
            <thead><tr><td />{Array.from({ length: columns }, (_, c) => <th key={c} scope="col">{c}</th>)}</tr></thead>
            <tbody>
              {Array.from({ length: rows }, (_, r) => (
                <tr key={r}><th scope="row">{source.lineName('row', r)}</th>
                  {Array.from({ length: columns }, (_, c) => {
                    const cell = source.cell(r, c);
                    return <td key={c}>{cell?.kind === 'padding' ? 'padding' : cell?.offset ?? ''}</td>;
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
