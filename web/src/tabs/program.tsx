// SPDX-License-Identifier: Apache-2.0
// An HLO program: the page of `tessera hlo --report`, in a frame.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Answer, Request } from '../engine/answers';
import { Command } from '../parts/command';
import { useAnswer, useApp, useFault } from '../parts/context';
import { Missing, Problem } from '../parts/problem';

export const EXAMPLE = `HloModule example

ENTRY main {
  x = f32[128,256]{1,0} parameter(0)
  w = f32[64,256]{1,0} parameter(1)
  wt = f32[256,64]{1,0} transpose(w), dimensions={1,0}
  y = f32[128,64]{1,0} dot(x, wt), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT z = f32[8,16,64]{2,1,0} reshape(y)
}
`;

export function ProgramTab(): JSX.Element {
  const { client, question, giveFile } = useApp();
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
  const request: Request = { verb: 'hlo', as: 'html', request: { file: [file], summary: true } };
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
      {page !== '' && <iframe title={`Report of ${file}`} srcdoc={page} />}
      {file !== '' && <Command request={{ verb: 'hlo', request: request.request }} files={false} />}
    </div>
  );
}
