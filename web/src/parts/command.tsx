// SPDX-License-Identifier: Apache-2.0
// The command line that gives the same answer, and the answer as a file.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer, Request } from '../engine/answers';
import { commandOf } from '../state/command';
import { useApp } from './context';
import { Copy } from './controls';

export function Command(props: { request: Request; files?: boolean }): JSX.Element {
  const { client } = useApp();
  const text = commandOf(client.verbs, props.request);
  return (
    <div class="command">
      <code>{text}</code>
      <Copy text={text} label="Copy the command" />
      {props.files !== false && <Export request={props.request} />}
    </div>
  );
}

function save(name: string, data: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function toPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  await image.decode();
  const canvas = document.createElement('canvas');
  const scale = Math.min(2, 8192 / Math.max(image.width, image.height));
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'));
}

type Form = 'svg' | 'png' | 'tex' | 'json' | 'text';
const FORMS: [Form, string][] = [['svg', 'SVG'], ['png', 'PNG'], ['tex', 'TikZ'], ['json', 'JSON'], ['text', 'Text']];

export function Export(props: { request: Request }): JSX.Element {
  const { client, say } = useApp();
  const [busy, setBusy] = useState(false);
  const run = async (form: Form): Promise<void> => {
    setBusy(true);
    try {
      const as = form === 'png' ? 'svg' : form === 'json' ? 'json' : form;
      const text = await client.askText({ ...props.request, as });
      const answer = JSON.parse(text) as Answer;
      if (answer.error && form !== 'json') {
        say(`${answer.error.message}${answer.error.help ? ` (${answer.error.help})` : ''}`);
        return;
      }
      const name = `${props.request.verb.replaceAll(' ', '-')}.${form === 'text' ? 'txt' : form}`;
      const content = form === 'json' ? text : String(answer['text']);
      save(name, form === 'png' ? await toPng(content) : new Blob([content], { type: form === 'svg' ? 'image/svg+xml' : 'text/plain' }));
      say(`Saved ${name}`);
    } catch (error) {
      say(String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <span class="export" role="group" aria-label="Save the answer as">
      {FORMS.map(([form, name]) => (
        <button key={form} type="button" class="quiet" disabled={busy} onClick={() => void run(form)}>{name}</button>
      ))}
    </span>
  );
}
