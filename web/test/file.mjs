// SPDX-License-Identifier: Apache-2.0
// node file.mjs ENGINE.wasm: files that a reader drops. Without the engine there are no packages of the page, so it is skipped.
import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const [enginePath] = process.argv.slice(2);
if (!existsSync(enginePath)) {
  console.log(`skipped: there is no ${enginePath}; make web builds it`);
  process.exit(77);
}
const { bundle } = await import('./bundle.mjs');
const { unpacked } = await bundle('state/file');
const text = Buffer.from('HloModule m\n');
const plain = await unpacked(new File([text], 'a program.hlo'));
deepStrictEqual([plain.name, Buffer.from(plain.bytes), plain.isText], ['a_program.hlo', text, true]);
const packed = await unpacked(new File([gzipSync(text)], 'p.hlo.gz'));
deepStrictEqual([packed.name, Buffer.from(packed.bytes), packed.isText], ['p.hlo', text, true]);
ok(/damaged/.test((await unpacked(new File([gzipSync(text).subarray(0, 20)], 'p.gz'))).problem));
// A small file of gzip may hold more than the page has memory for: 64 kB of this one are 64 MB.
const bomb = gzipSync(Buffer.alloc(64 << 20));
ok(bomb.length < 1 << 20);
strictEqual((await unpacked(new File([bomb], 'bomb.gz'), 1 << 20)).problem, 'bomb.gz is larger than 1 MB when it is unpacked');
ok(/larger than 0 MB/.test((await unpacked(new File([text], 'p'), 3)).problem));
console.log('5 files');
