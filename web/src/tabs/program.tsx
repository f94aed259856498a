// SPDX-License-Identifier: Apache-2.0
// An HLO program: the page of `tessera hlo --report`, in a frame, also compared with an older dump, and one tile of a result
// followed through the computation.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Answer, Request } from '../engine/answers';
import { Command } from '../parts/command';
import { useAnswer, useApp, useFault } from '../parts/context';
import { FileButton, Input, Section } from '../parts/controls';
import { Missing, Problem } from '../parts/problem';
import { unpacked } from '../state/file';

export const EXAMPLE = `HloModule example

ENTRY main {
  x = f32[128,256]{1,0} parameter(0)
  w = f32[64,256]{1,0} parameter(1)
  wt = f32[256,64]{1,0} transpose(w), dimensions={1,0}
  y = f32[128,64]{1,0} dot(x, wt), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT z = f32[8,16,64]{2,1,0} reshape(y)
}
`;

const CHIPS = ['h100', 'h200', 'a100', 'b200', 'mi300x', 'tpu-v5e', 'tpu-v5p'];

interface TileJson {
  value: string;
  leaf: number;
  type: string;
  shape: number[];
  symbolic: { dims: { size: string; lower: string; upper: string; stride: string }[] } | null;
  exact: boolean;
  reason: string | null;
}
interface TilesAnswer extends Answer {
  instruction: string;
  type: string;
  shape: number[];
  tile: number[];
  tiles: TileJson[];
}

/** The last two dimensions of an array, and what of them a tile covers. */
function Box(props: { shape: number[]; range: [number, number][]; label: string; onPlace?: (at: [number, number]) => void }): JSX.Element {
  const rows = props.shape.at(-2) ?? 1, columns = props.shape.at(-1) ?? 1;
  const first: [number, number] = props.range.at(-2) ?? [0, rows], second: [number, number] = props.range.at(-1) ?? [0, columns];
  const { onPlace } = props;
  return (
    <svg
      class={onPlace ? 'tile-box choose' : 'tile-box'} viewBox={`0 0 ${columns} ${rows}`} preserveAspectRatio="none" role="img" aria-label={props.label}
      onClick={onPlace && ((event) => {
        const box = event.currentTarget.getBoundingClientRect();
        onPlace([Math.floor((event.clientY - box.top) / box.height * rows), Math.floor((event.clientX - box.left) / box.width * columns)]);
      })}
    >
      <rect class="all" width={columns} height={rows} />
      <rect class="tile" x={second[0]} y={first[0]} width={second[1] - second[0]} height={first[1] - first[0]} />
    </svg>
  );
}

const range = (low: string, high: string): [number, number] | null => {
  const [lower, upper] = [Number(low), Number(high)];
  return Number.isFinite(lower) && Number.isFinite(upper) ? [lower, upper] : null;
};

/** What one tile of a result reads of every value before it. */
function TileThrough(props: { file: string }): JSX.Element {
  const { question, set } = useApp();
  const { op = '', tile = '', at = '' } = question.fields;
  const request: Request = { verb: 'tile', request: { input: props.file, op: op || undefined, tile: tile || undefined, at: at || undefined, through: true } };
  // Of a large program this is a long answer: it is asked for when a reader wants one.
  const wanted = op !== '' || tile !== '';
  const asked = useAnswer<TilesAnswer>(wanted ? request : null, 'tile through');
  const answer = asked.answer && !asked.answer.error ? asked.answer : null;
  const sizes = answer?.tile ?? [];
  // The tile with this element: counted in whole tiles.
  const place = (picked: [number, number]): void => {
    const shape = answer?.shape ?? [];
    const start = at.split(',').map(Number);
    set({ at: shape.map((_, d) => {
      const index = d === shape.length - 1 ? picked[1] : d === shape.length - 2 ? picked[0] : start[d] || 0;
      const size = sizes[d] || 1;
      return d < shape.length - 2 ? index : Math.floor(index / size) * size;
    }).join(',') }, true);
  };
  const chosen = (answer?.shape ?? []).map((extent, d): [number, number] => {
    const begin = Number(at.split(',')[d]) || 0;
    return [begin, Math.min(extent, begin + (sizes[d] || 1))];
  });
  return (
    <Section title="One tile of a result" note="and what it reads of every value before it, down to the parameters: name an instruction or a tile">
      <div class="controls">
        <Input label="instruction" field="op" placeholder="the root" help="NAME or COMPUTATION/NAME" />
        <Input label="tile" field="tile" placeholder="1,1" help="sizes of the tile, one for each dimension" />
        <Input label="at" field="at" placeholder="every tile" help="the first index of the tile; or click the picture" />
      </div>
      {asked.answer?.error && <Problem error={asked.answer.error} quiet />}
      <Missing asked={asked} />
      {answer && (
        <div class="scroll tiles" tabIndex={0} role="region" aria-label="Tiles">
          <table>
            <thead><tr><th>value</th><th>last two dimensions</th><th>indices of the tile</th><th>is</th></tr></thead>
            <tbody>
              <tr class="start">
                <td><code>{answer.instruction}</code> <span class="note">{answer.type}</span></td>
                <td><Box shape={answer.shape} range={chosen} label="the result; click to choose a tile" onPlace={place} /></td>
                <td class="note">{at === '' ? 'click to choose a tile' : `at ${at}`}</td><td />
              </tr>
              {answer.tiles.map((one, i) => {
                const ranges = one.symbolic?.dims.map((dim) => range(dim.lower, dim.upper)) ?? [];
                const known = one.symbolic !== null && ranges.every((own) => own !== null);
                return (
                  <tr key={i}>
                    <td><code>{one.value}{one.leaf > 0 ? `{${one.leaf}}` : ''}</code> <span class="note">{one.type}</span></td>
                    <td>{known && <Box shape={one.shape} range={ranges as [number, number][]} label={`what the tile reads of ${one.value}`} />}</td>
                    <td><code>{one.symbolic ? one.symbolic.dims.map((dim) => `[${dim.lower}, ${dim.upper})${dim.stride === '1' ? '' : ` step ${dim.stride}`}`).join(' x ') || 'the element' : '?'}</code></td>
                    <td><span class={`tag ${one.exact ? 'exact' : one.symbolic ? 'bound' : 'unknown'}`} title={one.reason ?? ''}>{one.exact ? 'exact' : one.symbolic ? 'bound' : 'unknown'}</span></td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {wanted && <Command request={request} files={false} />}
    </Section>
  );
}

export function ProgramTab(): JSX.Element {
  const { client, question, giveFile, set, say } = useApp();
  const text = question.fields['text'] ?? '';
  // What is typed after a file was dropped replaces it.
  const typed = text.trim() !== '';
  const dropped = typed ? '' : question.fields['file'] ?? '';
  const [written, setWritten] = useState('');
  useEffect(() => {
    if (!typed) return;
    const timer = setTimeout(() => {
      void giveFile('typed.hlo', new TextEncoder().encode(text)).then(() => setWritten(text));
    }, 200);
    return () => clearTimeout(timer);
  }, [text, typed, giveFile]);
  const missing = dropped !== '' && !client.hasFile(dropped);
  const file = typed ? (written === '' ? '' : 'typed.hlo') : missing ? '' : dropped;
  // An older dump has a folder of its own: the two files may have one name.
  const older = question.fields['older'] ?? '';
  const lost = older !== '' && !client.hasFile(older);
  const compare = async (files: FileList | null): Promise<void> => {
    const chosen = files?.[0];
    if (!chosen) return;
    const read = await unpacked(chosen);
    if ('problem' in read) say(read.problem);
    else if (!read.isText) say(`${chosen.name} is not a text: choose an HLO dump, plain or gz`);
    else {
      await giveFile(`older/${read.name}`, read.bytes);
      set({ older: `older/${read.name}` }, true);
    }
  };
  const { chip = '', onChip = '' } = question.fields;
  const request: Request = {
    verb: 'hlo', as: 'html',
    request: { file: [file], summary: true, compare: older === '' || lost ? undefined : older, chip: chip.trim() || undefined, on_chip: onChip.trim() || undefined },
  };
  const asked = useAnswer<Answer>(file === '' ? null : request, 'program');
  useFault(asked.answer?.error ?? null, 'typed.hlo');
  const page = useMemo(() => {
    const html = asked.answer && !asked.answer.error ? String(asked.answer['text'] ?? '') : '';
    const theme = document.documentElement.dataset['theme'];
    return theme ? html.replace('<html lang="en">', `<html lang="en" data-theme="${theme}">`) : html;
  }, [asked.answer]);
  return (
    <div class="tab program" aria-busy={asked.old}>
      {missing && <p class="note">The link names the file {dropped}, which is not part of a link: drop the file here.</p>}
      {dropped === '' && !typed && <p class="note">Drop an HLO dump here, plain or gz, or paste its text into the question.</p>}
      {asked.answer?.error && <Problem error={asked.answer.error} />}
      <Missing asked={asked} />
      {file !== '' && (
        <div class="controls">
          <FileButton label="Choose an older dump" onFile={(files) => void compare(files)}>Compare with an older dump</FileButton>
          {older !== '' && <span class="note">{lost ? `The link compares with ${older}, which is not part of a link: choose it again.` : `compared with ${older}`}</span>}
          {older !== '' && <button type="button" class="quiet" onClick={() => set({ older: '' }, true)}>do not compare</button>}
          <Input label="chip" field="chip" placeholder="none" list={CHIPS} help="times at its peak rates, and what could save time: a name, or rates such as bandwidth=3.35T,bf16=989T" />
          <Input label="on chip" field="onChip" placeholder="as the chip has" help="what steps move in tiles that fit into so many bytes, such as 228K or 50M" />
        </div>
      )}
      {page !== '' && <iframe title={`Report of ${file}`} srcdoc={page} />}
      {file !== '' && <Command request={{ verb: 'hlo', request: request.request }} files={false} />}
      {page !== '' && <div class="card" style={{ marginTop: '14px' }}><TileThrough file={file} /></div>}
    </div>
  );
}
