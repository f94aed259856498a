// SPDX-License-Identifier: Apache-2.0
// Divides the engine in two: the first part has every function that answered one of the requests below, the rest has the others.
// The page loads the first when it opens, and the rest when a function of it is called. What the engine answers is the same.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './test/bundle.mjs';
import { requests, texts } from './test/requests.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

// What tabs ask of a text that `requests` does not ask of it.
function* ofTabs({ layouts, maps, distributions, pairs }) {
  for (const [a, b] of pairs.slice(0, 400)) {
    yield { verb: 'show', request: { layout: a, compare: b } };
    yield { verb: 'show', request: { layout: a, compose: b } };
    yield { verb: 'show', request: { layout: a, product: b } };
    yield { verb: 'show', request: { layout: a, divide: b } };
    yield { verb: 'plan', request: { from: a, to: b } };
  }
  for (const layout of layouts.slice(0, 400)) {
    yield { verb: 'access', request: { layout, threads: ['columns'], bytes: '4', why: true, view: 'banks', fix: 'all' } };
    yield { verb: 'show', request: { layout, tv: true } };
    yield { verb: 'show', request: { layout, view: 'memory', compare: layout }, as: 'cells' };
    for (const as of ['svg', 'tex', 'text', 'html']) yield { verb: 'show', request: { layout }, as };
  }
  for (const input of maps.slice(0, 400)) {
    yield { verb: 'tile', request: { input, tile: '2,3', at: '1,1' }, as: 'picture' };
    yield { verb: 'map count', request: { map: input } };
    yield { verb: 'map compose', request: { first: input, second: input } };
  }
  for (const from of distributions.slice(0, 400)) {
    const request = { from, to: distributions[0], shape: 'f32[16,16]' };
    yield { verb: 'reshard show', request };
    yield { verb: 'reshard show', request: { ...request, picture: 'traffic' } };
    yield { verb: 'reshard plan', request: { ...request, messages: true } };
  }
}

// Questions without a program: the page needs its reader and its reports only once it has one.
async function exercise(core, requestOf) {
  const folders = ['tests/vectors'];
  const asked = requests(root, 4000, requestOf(JSON.parse(core.verbs())), folders).filter(({ verb }) => verb !== 'hlo' && verb !== 'info');
  for (const request of [...asked, ...ofTabs(texts(root, folders))]) core.answer(JSON.stringify(request));
  // What each tab asks when it opens.
  for (const line of readFileSync(join(root, 'web/opening.jsonl'), 'utf8').split('\n')) if (line !== '') core.answer(line);
}

/** The two modules, or undefined if there is no wasm-split (Debian's package binaryen has it). */
export async function divided(engine) {
  const work = mkdtempSync(join(tmpdir(), 'tessera-split-'));
  const split = (...words) => execFileSync('wasm-split', ['--enable-mutable-globals', '--enable-sign-ext', '--enable-bulk-memory',
    '--enable-nontrapping-float-to-int', ...words]);
  const file = (name) => join(work, name);
  try {
    split('--instrument', engine, '-o', file('counted'));
    const { Core, requestOf, splitWords } = await bundle('engine/core', 'state/command');
    const core = await Core.make(await WebAssembly.compile(readFileSync(file('counted'))));
    await exercise(core, (verbs) => (command) => requestOf(verbs, splitWords(command) ?? []));
    writeFileSync(file('profile'), core.profile());
    split('--split', engine, `--profile=${file('profile')}`, '-o1', file('engine'), '-o2', file('rest'));
    return { engine: readFileSync(file('engine')), rest: readFileSync(file('rest')) };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  } finally {
    rmSync(work, { recursive: true });
  }
}
