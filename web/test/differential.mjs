// SPDX-License-Identifier: Apache-2.0
// node differential.mjs ENGINE TESSERA [COUNT]: the same requests to the engine in Node and to `tessera batch` must
// give the same bytes. ENGINE is a module, or the folder of a page with the modules that a host serves.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requests } from './requests.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const [enginePath, tessera, count = '5200'] = process.argv.slice(2);
if (!existsSync(enginePath)) {
  console.log(`skipped: there is no ${enginePath}; make web builds it`);
  process.exit(77);
}
const { bundle } = await import('./bundle.mjs');
const { Core, requestOf, splitWords } = await bundle('engine/core', 'state/command');
const modulePath = (part) => {
  if (!statSync(enginePath).isDirectory()) return part === 'engine' ? enginePath : undefined;
  const name = readdirSync(enginePath).find((one) => one.startsWith(`${part}-`) && one.endsWith('.wasm'));
  return name && join(enginePath, name);
};
const moduleOf = (part) => new WebAssembly.Module(readFileSync(modulePath(part)));
let asked = 0, restAt;
const core = await Core.make(moduleOf('engine'), undefined, modulePath('rest') && (() => {
  restAt = asked;
  return moduleOf('rest');
}));
const verbs = JSON.parse(core.verbs());
const all = requests(root, Number(count), (command) => requestOf(verbs, splitWords(command) ?? []));
// The files that requests name.
for (const request of all) {
  for (const value of Object.values(request.request).flat()) {
    const path = typeof value === 'string' && value.length < 200 && !value.includes('..') && !value.startsWith('/') ? join(root, value) : null;
    if (path && statSync(path, { throwIfNoEntry: false })?.isFile()) core.putFile(value, new Uint8Array(readFileSync(path)));
  }
}
const lines = all.map((request, id) => JSON.stringify({ ...request, id }));

let begin = performance.now();
const native = spawnSync(resolve(tessera), ['batch'], { input: `${lines.join('\n')}\n`, maxBuffer: 1 << 30, encoding: 'utf8', cwd: root });
const nativeTime = performance.now() - begin;
const expected = native.stdout.split('\n').slice(0, -1);
if (expected.length !== lines.length) {
  console.error(`tessera batch gave ${expected.length} answers to ${lines.length} requests`);
  process.exit(1);
}
begin = performance.now();
let different = 0, needIsl = 0, refused = 0, noFiles = 0;
lines.forEach((line, i) => {
  asked = i;
  const own = core.answer(line);
  if (own.includes('"error":')) ++refused;
  // The program counts the lines of its input; the engine has one line each.
  // Times are those of each.
  const plain = (text) => text.replace(/("source":"<stdin>","line":)\d+/, '$11').replace(/"(parse|index)_ms":[\d.]+/g, '"$1_ms":0');
  if (own === expected[i] || plain(own) === plain(expected[i])) return;
  // A build without files says so.
  if (own.includes('this build has no access to files') || line.includes('/dev/')) {
    ++noFiles;
    return;
  }
  // The engine has no isl: it may leave a question open that the program decides, and says so.
  const answer = JSON.parse(own);
  if (answer.smallest === false || answer.status === 3 && /undecided|built without|isl|integer programming/.test(own)) {
    ++needIsl;
    return;
  }
  if (++different <= 10) console.error(`${line}\n  engine:  ${own.slice(0, 600)}\n  program: ${expected[i].slice(0, 600)}`);
});
const engineTime = performance.now() - begin;
console.log(`${lines.length} requests, ${refused} of them refused: ${different} answers differ, ${needIsl} need isl, ${noFiles} need files; ` +
  `program ${(nativeTime / 1000).toFixed(1)} s, engine ${(engineTime / 1000).toFixed(1)} s` +
  (restAt === undefined ? '' : `; request ${restAt} needed the rest of the engine first`));
process.exit(different === 0 ? 0 : 1);
