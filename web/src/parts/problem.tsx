// SPDX-License-Identifier: Apache-2.0
// Errors of answers: what is wrong, where, and what to type instead.
import type { JSX } from 'preact';
import type { ErrorAnswer } from '../engine/answers';
import type { Asked } from './context';

export function Problem(props: { error: ErrorAnswer; quiet?: boolean }): JSX.Element {
  const { error } = props;
  return (
    <div class={props.quiet ? 'problem quiet' : 'problem'} role={props.quiet ? undefined : 'status'}>
      <p><span class="tag unknown">{error.code}</span> {error.message}</p>
      {error.witness && <p class="note">witness: {error.witness}</p>}
      {(error.notes ?? []).map((note) => <p class="note" key={note}>{note}</p>)}
      {error.help && <p class="note">try: {error.help}</p>}
    </div>
  );
}

/** What stands in the place of an answer that has not come. */
export function Missing(props: { asked: Asked<unknown> }): JSX.Element | null {
  if (props.asked.failure !== '') return <p class="problem">{props.asked.failure}</p>;
  if (props.asked.stopped) return <p class="note">You stopped this question. Change it to ask again.</p>;
  return null;
}
