// SPDX-License-Identifier: Apache-2.0
// Starts the page: the engine from this file, or from the files beside it, and the question of the address.
import { render } from 'preact';
import { Page, type First } from './app';
import { Client } from './engine/client';
import { decode } from './state/link';

const own = (id: string): string | null => document.getElementById(id)?.textContent?.trim() ?? null;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const from = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  return from ? from.call(Uint8Array, base64) : Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

// The modules of the engine that the page loads from files next to it; none if they are in this file.
const files = (document.currentScript as HTMLScriptElement | null)?.dataset ?? {};

async function compile(): Promise<WebAssembly.Module> {
  const packed = own('engine');
  if (packed === null) return WebAssembly.compileStreaming(fetch(files['engine'] ?? 'engine.wasm'));
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

function makeWorker(): Worker {
  const code = own('worker');
  if (code === null) return new Worker('worker.js');
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const worker = new Worker(address);
  setTimeout(() => URL.revokeObjectURL(address), 5000);
  return worker;
}

const client = new Client(compile, makeWorker, files['rest'] && new URL(files['rest'], location.href).href);
// For the console of the browser: `await explorer.ask({verb: 'at', request: {layout: '4:2', index: ['3']}})`.
Object.assign(globalThis, { explorer: client });
const root = document.getElementById('page');

/** A question that `tessera explore` wrote into the page. */
interface Written {
  fragment?: string;
  text?: string;
  name?: string;
  file?: string;
}

async function first(): Promise<First> {
  if (location.hash.length > 1) return { linked: await decode(location.hash), file: null };
  const written = JSON.parse(own('question') ?? '{}') as Written;
  const file = written.name !== undefined ? new File([bytesOf(written.file ?? '')], written.name) : null;
  if (written.fragment !== undefined) return { linked: await decode(written.fragment), file };
  return { linked: written.text === undefined ? null : { text: written.text }, file };
}
void first().then((given) => {
  if (root) render(<Page client={client} first={given} />, root);
});
client.ready.catch((error: unknown) => {
  if (root) root.textContent = `The engine could not start: ${String(error)}. The page needs a browser with WebAssembly.`;
});
