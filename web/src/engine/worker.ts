// SPDX-License-Identifier: Apache-2.0
// Answers requests in order, away from the page, so that the page can stop a question that takes long.
import { Core } from './core';
import type { ToPage, ToWorker } from './messages';

const send = (message: ToPage): void => postMessage(message);
let core: Promise<Core> | undefined;

// A function of the engine waits for this, so it cannot be asynchronous.
function load(address: string): WebAssembly.Module {
  const request = new XMLHttpRequest();
  request.open('GET', address, false);
  request.responseType = 'arraybuffer';
  request.send();
  if (request.status !== 200) throw new Error(`a part of the engine, ${address}, could not be loaded (${request.status}): reload the page`);
  return new WebAssembly.Module(request.response as ArrayBuffer);
}

async function handle(message: ToWorker): Promise<void> {
  if (message.kind === 'start') {
    const { module, rest } = message;
    core = Core.make(module, (stage, done, total) => send({ kind: 'advanced', stage, done, total }),
      rest === undefined ? undefined : () => load(rest));
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
