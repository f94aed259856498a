// SPDX-License-Identifier: Apache-2.0
// An index map: its shortest form, inverse, image and values, and what a tile of it reads, as a picture.
import type { JSX } from 'preact';
import type { Answer, PictureJson, Request } from '../engine/answers';
import { Command } from '../parts/command';
import { useAnswer, useApp, useFault } from '../parts/context';
import { Copy, Input, Section } from '../parts/controls';
import { Panels } from '../parts/panels';
import { Missing, Problem } from '../parts/problem';

interface MapAnswer extends Answer { map?: string; count?: unknown; members?: unknown[] }
interface TileAnswer extends Answer {
  picture?: PictureJson;
  symbolic?: { dims: { offset: string; size: string; stride: string }[]; constraint: string; exact: boolean; reason: string | null };
}

function Row(props: { title: string; request: Request; channel: string; show: (answer: Answer) => JSX.Element | string | null }): JSX.Element {
  const asked = useAnswer(props.request, props.channel);
  return (
    <li>
      <span class="name">{props.title}</span>
      {asked.answer?.error ? <Problem error={asked.answer.error} quiet /> : asked.answer ? props.show(asked.answer) : <span class="note">…</span>}
      <Missing asked={asked} />
      <Command request={props.request} files={false} />
    </li>
  );
}

const mapText = (answer: Answer): JSX.Element => {
  const text = String((answer as MapAnswer).map ?? '');
  return <><code>{text}</code><Copy text={text} label="Copy the map" /></>;
};
const json = (answer: Answer): JSX.Element => {
  const { schema: _schema, status: _status, action: _action, ...rest } = answer;
  return <code>{Object.entries(rest).filter(([, value]) => value !== '' && value !== null).map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join('; ')}</code>;
};

export function MapTab(): JSX.Element {
  const { question, set } = useApp();
  const map = (question.fields['map'] ?? '').trim();
  const second = (question.fields['second'] ?? '').trim();
  const point = (question.fields['point'] ?? '').trim();
  const tile = question.fields['tile'] ?? '', at = question.fields['at'] ?? '';
  const simplify: Request = { verb: 'map simplify', request: { map } };
  const simple = useAnswer<MapAnswer>(map === '' ? null : simplify, 'map simplify');
  useFault(simple.answer?.error ?? null, '<argument 1>');
  const good = map !== '' && simple.answer !== null && !simple.answer.error;
  const tileRequest: Request = { verb: 'tile', request: { input: map, tile: tile === '' ? undefined : tile, at: at === '' ? undefined : at } };
  const tiles = useAnswer<TileAnswer>(good ? { ...tileRequest, as: 'picture' } : null, 'map tile');
  const coordinates = (text: string): number[] => text.split(',').map(Number);
  return (
    <div class="tab map" aria-busy={simple.old}>
      <div class="controls">
        <Input label="tile" field="tile" placeholder="1,1" help="sizes of the tile, one for each dimension" />
        <Input label="at" field="at" placeholder="0,0" help="the first index of the tile" />
        <Input label="evaluate at" field="point" placeholder="2,3" />
        <Input label="then" field="second" wide placeholder="a map to compose with: its input is this map's result" />
      </div>
      {simple.answer?.error && <Problem error={simple.answer.error} quiet />}
      {good && (
        <>
          {tiles.answer?.picture && (
            <>
              <Panels
                picture={tiles.answer.picture}
                onPlace={(panel, place) => { if (panel === 0) set({ at: place.cell.coordinate }); }}
                onDrag={(panel, from, to) => {
                  if (panel !== 0) return;
                  const a = coordinates(from.cell.coordinate), b = coordinates(to.cell.coordinate);
                  set({ at: a.map((x, i) => Math.min(x, b[i] ?? x)).join(','), tile: a.map((x, i) => Math.abs(x - (b[i] ?? x)) + 1).join(',') });
                }}
              />
              <p class="note">Click an index, or drag over several: the right side shows what they read.</p>
            </>
          )}
          {tiles.answer?.error && <Problem error={tiles.answer.error} quiet />}
          {tiles.answer?.symbolic && (
            <p class="note">
              As offset + stride · k: {tiles.answer.symbolic.dims.map((dim) => `${dim.offset} + ${dim.stride}·[0, ${dim.size})`).join(', ')}{' '}
              <span class={`tag ${tiles.answer.symbolic.exact ? 'exact' : 'bound'}`}>{tiles.answer.symbolic.exact ? 'exact' : 'bound'}</span> {tiles.answer.symbolic.reason ?? ''}
            </p>
          )}
          <Command request={tileRequest} />
          <div class="card" style={{ marginTop: '14px' }}>
            <Section title="The map">
              <ul class="notations maps">
                <Row title="shortest form" request={simplify} channel="map simplify row" show={mapText} />
                {point !== '' && <Row title={`value at (${point})`} request={{ verb: 'map eval', request: { map, point } }} channel="map eval" show={mapText} />}
                {second !== '' && <Row title="composed" request={{ verb: 'map compose', request: { first: map, second } }} channel="map compose" show={mapText} />}
                <Row title="inverse" request={{ verb: 'map inverse', request: { map } }} channel="map inverse" show={mapText} />
                <Row title="image" request={{ verb: 'map image', request: { map } }} channel="map image" show={json} />
                <Row title="number of values" request={{ verb: 'map count', request: { map } }} channel="map count" show={json} />
              </ul>
            </Section>
          </div>
        </>
      )}
    </div>
  );
}
