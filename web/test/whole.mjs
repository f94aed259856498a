// SPDX-License-Identifier: Apache-2.0
// node whole.mjs ENGINE.wasm: whole numbers of answers beyond 2^53, next to strings of any size. Without the engine there are no
// packages of the page, so it is skipped.
import { deepStrictEqual } from 'node:assert';
import { existsSync } from 'node:fs';

const [enginePath] = process.argv.slice(2);
if (!existsSync(enginePath)) {
  console.log(`skipped: there is no ${enginePath}; make web builds it`);
  process.exit(77);
}
const { bundle } = await import('./bundle.mjs');
const { parseAnswer } = await bundle('engine/whole');
const cases = [
  ['12345678901234567890', '12345678901234567890'],
  ['[9007199254740991,9007199254740992,-9007199254740993]', [9007199254740991, '9007199254740992', '-9007199254740993']],
  ['[1.2345678901234567,12345678901234567890e1,1234567890123456789.5]', [1.2345678901234567, 123456789012345678900, 1234567890123456789.5]],
  [String.raw`{"a\\":12345678901234567890,"\"12345678901234567890\\\"":"\\"}`, { 'a\\': '12345678901234567890', '"12345678901234567890\\"': '\\' }],
];
for (const [text, expected] of cases) deepStrictEqual(parseAnswer(text), expected);
// The page of a large program is one string. An expression that matched it ran out of stack at 16 MB.
const report = 'a "word"\n'.repeat(3e6);
deepStrictEqual(parseAnswer(`{"offset":12345678901234567890,"text":${JSON.stringify(report)}}`), { offset: '12345678901234567890', text: report });
console.log(`${cases.length + 1} texts`);
