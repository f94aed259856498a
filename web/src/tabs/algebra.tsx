// SPDX-License-Identifier: Apache-2.0
// The calculator of the layout algebra: each call with its steps and its picture; a refusal with its witness.
import type { JSX } from 'preact';
import type { Answer, PictureJson, Request } from '../engine/answers';
import { Command } from '../parts/command';
import { useAnswer, useApp, useFault } from '../parts/context';
import { Copy, Section } from '../parts/controls';
import { Panels } from '../parts/panels';
import { Missing, Problem } from '../parts/problem';

interface EvalAnswer extends Answer {
  values: { kind: string; text: string }[];
  steps?: { call: string; steps: string[]; result: string }[];
}
interface ShowAnswer extends Answer { picture: PictureJson }

/** The name of a call and its arguments, as they are written. */
export function callOf(text: string): { name: string; arguments: string[] } | null {
  const found = /^\s*(\w+)\s*\((.*)\)\s*$/s.exec(text);
  if (!found) return null;
  const out: string[] = [];
  let depth = 0, last = '';
  for (const letter of found[2] ?? '') {
    if (letter === ',' && depth === 0) {
      out.push(last.trim());
      last = '';
      continue;
    }
    if ('(<['.includes(letter)) ++depth;
    if (')>]'.includes(letter)) --depth;
    if (depth < 0) return null;
    last += letter;
  }
  out.push(last.trim());
  return { name: found[1] as string, arguments: out };
}

/** The picture of a call: its operands and its result, or only the result. */
function pictureOf(call: string, result: string): Request | null {
  const read = callOf(call);
  const [first, second] = read?.arguments ?? [];
  if (read && first !== undefined && second !== undefined && read.arguments.length === 2) {
    if (read.name === 'composition') return { verb: 'show', request: { layout: first, compose: second } };
    if (/_divide$/.test(read.name)) return { verb: 'show', request: { layout: first, divide: /^</.test(second) ? second : `<${second}>` } };
    if (/_product$/.test(read.name)) return { verb: 'show', request: { layout: first, product: second } };
  }
  return /:/.test(result) ? { verb: 'show', request: { layout: result, picture: true } } : null;
}

export function AlgebraTab(): JSX.Element {
  const { question } = useApp();
  const text = (question.fields['expr'] ?? '').trim();
  const request: Request = { verb: 'eval', request: { expr: text, explain: true } };
  const asked = useAnswer<EvalAnswer>(text === '' ? null : request, 'algebra');
  const answer = asked.answer;
  useFault(answer?.error ?? null, '<argument 1>');
  const refused = answer?.error ? callOf(text.split(';').pop() ?? '') : null;
  return (
    <div class="tab algebra" aria-busy={asked.old}>
      <Missing asked={asked} />
      {answer?.error && <Problem error={answer.error} quiet={!answer.error.witness} />}
      {refused && refused.arguments.length === 2 && answer?.error?.reason && (
        <Section title="The operands" note="of the call that has no layout as its result">
          <div class="columns">{refused.arguments.map((layout) => <Shown key={layout} request={{ verb: 'show', request: { layout, picture: true } }} channel={`algebra operand ${layout}`} />)}</div>
        </Section>
      )}
      {answer && !answer.error && (
        <>
          <div class="card">
            <Section title="Result">
              {answer.values.map((value, i) => <p key={i}><code>{value.text}</code> <Copy text={value.text} label="Copy the result" /> <span class="note">{value.kind}</span></p>)}
            </Section>
          </div>
          {(answer.steps ?? []).map((step, i) => (
            <section key={i} style={{ marginTop: '18px' }}>
              <h2><code>{step.call}</code></h2>
              <div class="work">
                <CallPicture call={step.call} result={step.result} channel={`algebra ${i}`} />
                <aside><section><ol class="note">{step.steps.map((line, k) => <li key={k}>{line}</li>)}</ol><p><code>{step.result}</code></p></section></aside>
              </div>
            </section>
          ))}
          {(answer.steps ?? []).length === 0 && answer.values.filter((value) => value.kind === 'layout').slice(-1).map((value) => <Shown key={value.text} request={{ verb: 'show', request: { layout: value.text, picture: true } }} channel="algebra value" />)}
        </>
      )}
      {text !== '' && <Command request={request} />}
    </div>
  );
}

function CallPicture(props: { call: string; result: string; channel: string }): JSX.Element | null {
  const request = pictureOf(props.call, props.result);
  return request ? <Shown request={request} channel={props.channel} otherwise={props.result} /> : null;
}

function Shown(props: { request: Request; channel: string; otherwise?: string }): JSX.Element | null {
  const asked = useAnswer<ShowAnswer>(props.request, props.channel);
  const failed = asked.answer?.error !== undefined;
  const plain = useAnswer<ShowAnswer>(failed && props.otherwise && /:/.test(props.otherwise) ? { verb: 'show', request: { layout: props.otherwise, picture: true } } : null, `${props.channel} plain`);
  const picture = asked.answer?.picture ?? plain.answer?.picture;
  if (picture) return <div><Panels picture={picture} same={(a, b) => (a.color >= 0 && a.color === b.color) || (a.coordinate !== '' && a.coordinate === b.coordinate)} tallest={340} /></div>;
  return null;
}
