// SPDX-License-Identifier: Apache-2.0
// Answers requests in order, away from the page, so that the page can stop a question that takes long.
import { Core } from './core';
import type { ToPage, ToWorker } from './messages';

const send = (message: ToPage): void => postMessage(message);
let core: Promise<Core> | undefined;

async function handle(message: ToWorker): Promise<void> {
  if (message.kind === 'start') {
    core = Core.make(message.module, (stage, done, total) => send({ kind: 'advanced', stage, done, total }));
    send({ kind: 'verbs', text: (await core).verbs() });
    return;
  }
  const engine = await core;
  if (!engine) return;
  if (message.kind === 'file') {
    engine.putFile(message.name, message.bytes);
    return;
  }
  const begin = performance.now();
  send({ kind: 'begun', id: message.id });
  const text = engine.answer(message.line);
  send({ kind: 'answer', id: message.id, text, milliseconds: performance.now() - begin });
}

addEventListener('message', (event: MessageEvent<ToWorker>) => {
  handle(event.data).catch((error: unknown) => send({ kind: 'failed', text: String(error) }));
});
