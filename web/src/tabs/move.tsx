// SPDX-License-Identifier: Apache-2.0
// What moves: a plan between two layouts as loops, and a resharding as colored shards with its messages.
import type { JSX } from 'preact';
import type { Answer, PictureJson, Request } from '../engine/answers';
import { Command } from '../parts/command';
import { useAnswer, useApp, useFault } from '../parts/context';
import { Input, Section } from '../parts/controls';
import { Panels } from '../parts/panels';
import { Missing, Problem } from '../parts/problem';

interface ShowAnswer extends Answer { picture: PictureJson }
interface PlanAnswer extends Answer {
  places: number;
  arrays: { messages: { from: number; to: number; bytes: number; boxes: [number, number][][] }[] }[];
  send: number[];
  receive: number[];
  total: number;
  kept: number;
  rounds: number;
  full_gather: number;
  max_send: number;
}
interface CopyPlan extends Answer {
  plan: string;
  payload_bytes: number;
  element_bytes: number;
  chunks: number;
}

export function MoveTab(): JSX.Element {
  const { client, question, open } = useApp();
  const has = client.verbs.some((verb) => verb.name === 'plan');
  const part = has ? question.fields['part'] ?? 'reshard' : 'reshard';
  return (
    <div class="tab move">
      {has && (
        <div class="controls" role="group" aria-label="What moves">
          <button type="button" class={part === 'reshard' ? 'on' : ''} aria-pressed={part === 'reshard'} onClick={() => open({ tab: 'move', fields: { part: 'reshard', from: '{devices=[4,1]<=[4]}', to: '{devices=[1,4]<=[4]}', shape: 'f32[16,16]' } })}>Between places</button>
          <button type="button" class={part === 'plan' ? 'on' : ''} aria-pressed={part === 'plan'} onClick={() => open({ tab: 'move', fields: { part: 'plan', from: 'f32[64,256]{1,0}', to: 'f32[64,256]{1,0:T(8,128)}' } })}>In one memory</button>
        </div>
      )}
      {part === 'plan' ? <CopyTab /> : <Reshard />}
    </div>
  );
}

function Reshard(): JSX.Element {
  const { question, set } = useApp();
  const from = (question.fields['from'] ?? '').trim(), to = (question.fields['to'] ?? '').trim(), shape = (question.fields['shape'] ?? '').trim();
  const place = question.fields['place'] ?? '';
  const full = from !== '' && to !== '' && shape !== '';
  const fields = { from, to, shape };
  const request: Request = { verb: 'reshard show', request: fields };
  const plan: Request = { verb: 'reshard plan', request: { ...fields, messages: true } };
  const shards = useAnswer<ShowAnswer>(full ? request : null, 'move shards');
  const traffic = useAnswer<ShowAnswer>(full ? { verb: 'reshard show', request: { ...fields, picture: 'traffic' } } : null, 'move traffic');
  const planned = useAnswer<PlanAnswer>(full ? plan : null, 'move plan');
  useFault(shards.answer?.error ?? null, '<from>');
  const answer = planned.answer;
  const good = answer !== null && !answer.error;
  const chosen = place === '' ? null : Number(place);
  const messages = (good ? answer.arrays.flatMap((one) => one.messages) : []).filter((one) => chosen === null || one.from === chosen || one.to === chosen);
  return (
    <>
      <div class="controls">
        <Input label="to" field="to" wide placeholder="the distribution after" />
        <Input label="array" field="shape" placeholder="f32[16,16]" broad />
      </div>
      {shards.answer?.error && <Problem error={shards.answer.error} quiet={shards.answer.error.source === '<from>'} />}
      <Missing asked={shards} />
      {shards.answer?.picture && full && (
        <>
          {good && (
            <div class="numbers">
              <div><b>{answer.total.toLocaleString('en')}</b><span>bytes move</span></div>
              <div><b>{answer.kept.toLocaleString('en')}</b><span>bytes stay</span></div>
              <div><b>{answer.max_send.toLocaleString('en')}</b><span>bytes sent by the busiest place</span></div>
              <div><b>{answer.rounds}</b><span>rounds</span></div>
              <div><b>{answer.full_gather.toLocaleString('en')}</b><span>bytes if all were gathered</span></div>
            </div>
          )}
          <Panels picture={shards.answer.picture} same={(a, b) => a.coordinate === b.coordinate} onPlace={(_, at) => { if (/^\d+$/.test(at.cell.text)) set({ place: at.cell.text }); }} />
          <p class="note">Colors are places. Click an element to choose its place; under the pointer, the same element on the other side.</p>
          <div class="columns">
            {traffic.answer?.picture && <Section title="Messages" note="bytes from row to column"><Panels picture={traffic.answer.picture} tallest={320} /></Section>}
            {good && (
              <section>
                <h2>{chosen === null ? 'All messages' : `Messages of place ${chosen}`}{' '}
                  <span class="control">
                    <label for="place">place</label>
                    <select id="place" value={place} onChange={(event) => set({ place: event.currentTarget.value }, true)}>
                      <option value="">all</option>
                      {Array.from({ length: Math.min(answer.places, 512) }, (_, i) => <option key={i} value={String(i)}>{i}</option>)}
                    </select>
                  </span>
                </h2>
                {chosen !== null && <p class="note">sends {answer.send[chosen]?.toLocaleString('en')} bytes, receives {answer.receive[chosen]?.toLocaleString('en')}</p>}
                <div class="scroll" tabIndex={0} role="region" aria-label="Messages">
                  <table>
                    <thead><tr><th scope="col" class="number">from</th><th scope="col" class="number">to</th><th scope="col" class="number">bytes</th><th scope="col">indices</th></tr></thead>
                    <tbody>
                      {messages.slice(0, 400).map((one) => (
                        <tr key={`${one.from} ${one.to}`}>
                          <td class="number">{one.from}</td><td class="number">{one.to}</td><td class="number">{one.bytes.toLocaleString('en')}</td>
                          <td><code>{one.boxes.slice(0, 4).map((box) => `[${box.map(([a, b]) => `${a}:${b}`).join(', ')}]`).join(' ')}{one.boxes.length > 4 ? ' …' : ''}</code></td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
                {messages.length > 400 && <p class="note">and {messages.length - 400} more</p>}
              </section>
            )}
          </div>
        </>
      )}
      <Command request={request} />
      <Command request={plan} files={false} />
    </>
  );
}

function CopyTab(): JSX.Element {
  const { question } = useApp();
  const from = (question.fields['from'] ?? '').trim(), to = (question.fields['to'] ?? '').trim();
  const bytes = question.fields['bytes'] ?? '';
  const request: Request = { verb: 'plan', request: { from, to, bytes: bytes || undefined } };
  const full = from !== '' && to !== '';
  const asked = useAnswer<CopyPlan>(full ? request : null, 'move copy');
  const shown = useAnswer<ShowAnswer>(full ? { verb: 'show', request: { layout: from, compare: to } } : null, 'move compare');
  useFault(asked.answer?.error ?? null, '<from>');
  return (
    <>
      <div class="controls">
        <Input label="to" field="to" wide placeholder="the layout to write" />
        <Input label="bytes" field="bytes" placeholder="type's" />
      </div>
      {asked.answer?.error && <Problem error={asked.answer.error} quiet={asked.answer.error.source === '<from>'} />}
      <Missing asked={asked} />
      {asked.answer && !asked.answer.error && (
        <div class="card"><Section title="The plan" note={`${asked.answer.payload_bytes.toLocaleString('en')} bytes in elements of ${asked.answer.element_bytes}`}><Loops text={asked.answer.plan} /></Section></div>
      )}
      {shown.answer?.picture && <Section title="Offsets before and after" note="marked where they differ"><Panels picture={shown.answer.picture} same={(a, b) => a.coordinate === b.coordinate} /></Section>}
      {full && <Command request={request} />}
    </>
  );
}

/** The plan's lines, each loop as a bar as long as its count on a logarithmic scale. */
function Loops(props: { text: string }): JSX.Element {
  return (
    <div class="loops">
      {props.text.trimEnd().split('\n').map((line, i) => {
        const loop = /^(\s*)(loop|rows|cols|copy)\s+(\d+)/.exec(line);
        const share = loop && loop[2] !== 'copy' ? Math.min(1, Math.log2(Number(loop[3]) + 1) / 12) : 0;
        return (
          <div key={i} style={{ paddingLeft: `${(loop?.[1]?.length ?? 0) * 10}px` }}>
            {line.trim()}
            {share > 0 && <span aria-hidden="true" style={{ display: 'block', height: '4px', width: `${Math.round(share * 240)}px`, background: 'var(--mark)', opacity: 0.5, borderRadius: '2px' }} />}
          </div>
        );
      })}
    </div>
  );
}
