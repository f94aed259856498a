// SPDX-License-Identifier: Apache-2.0
// node speed.mjs ENGINE.wasm TESSERA [FILE.hlo...]: the time of the engine in Node as a multiple of the time of `tessera batch`
// for the same requests: simplifications of 2,000 index maps, and the summary of each file. Medians of interleaved rounds.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { bundle } from './bundle.mjs';

const [enginePath, tessera, ...files] = process.argv.slice(2);
const { Core } = await bundle('engine/core');
const module = await WebAssembly.compile(readFileSync(enginePath));
const core = await Core.make(module);
const rounds = 7;
const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

let state = 20261129;
const below = (n) => {
  state = (state * 1103515245 + 12345) % 2147483648;
  return Math.floor(state / 65536) % n;
};
// Reshapes and tiles: a linear index of three dimensions, cut into digits, summed, and cut again.
function map() {
  const sizes = [1 + below(40), 1 + below(64), 1 + below(128)];
  const cut = 1 + below(96), tile = 1 + below(24);
  const linear = `(d0 * ${sizes[1] * sizes[2]} + d1 * ${sizes[2]} + d2)`;
  const again = `(${linear} floordiv ${cut}) * ${cut} + ${linear} mod ${cut}`;
  return `(d0, d1, d2) -> (${linear} floordiv ${cut}, ${linear} mod ${cut}, (${again}) floordiv ${tile}, (d1 + ${sizes[1] * below(9)}) mod ${sizes[1]}), ` +
    `domain: ${sizes.map((size, i) => `d${i} in [0, ${size - 1}]`).join(', ')}`;
}
function native(lines) {
  const begin = performance.now();
  const ran = spawnSync(resolve(tessera), ['batch'], { input: lines.map((line) => `${line}\n`).join(''), maxBuffer: 1 << 30, encoding: 'utf8' });
  if (ran.status === null || ran.stdout.split('\n').length - 1 !== lines.length) throw new Error(`tessera batch: ${ran.stderr}`);
  return performance.now() - begin;
}
function engine(lines) {
  const begin = performance.now();
  for (const line of lines) core.answer(line);
  return performance.now() - begin;
}
function compare(what, lines) {
  const times = { native: [], engine: [], none: [] };
  engine(lines);  // compiles the module
  for (let round = 0; round < rounds; ++round) {
    times.none.push(native([]));
    times.native.push(native(lines));
    times.engine.push(engine(lines));
  }
  // What starting the program takes is not the time of its answers.
  const [own, program] = [median(times.engine), median(times.native) - median(times.none)];
  console.log(`${what}: engine ${own.toFixed(0)} ms, program ${program.toFixed(0)} ms, ${(own / program).toFixed(2)} times`);
}
compare('simplify', Array.from({ length: 2000 }, (_, id) => JSON.stringify({ id, verb: 'map simplify', request: { map: map() } })));
const folder = mkdtempSync(join(tmpdir(), 'tessera-speed-'));
for (const file of files) {
  const bytes = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file);
  const copy = join(folder, basename(file, '.gz'));
  writeFileSync(copy, bytes);
  core.putFile(copy, new Uint8Array(bytes));
  compare(basename(copy), [JSON.stringify({ id: 0, verb: 'hlo', request: { file: copy, summary: true } })]);
}
rmSync(folder, { recursive: true });
