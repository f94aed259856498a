// SPDX-License-Identifier: Apache-2.0
// Requests drawn from the vectors and from the examples of the documentation: the same ones in each run.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// xorshift32: the draw is the same on every machine.
export function random(seed) {
  let x = seed;
  return (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % n;
  };
}

function files(folder, ending) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true }).filter((one) => one.isFile() && one.name.endsWith(ending))
    .map((one) => join(one.parentPath ?? one.path, one.name)).sort();
}

function* strings(value) {
  if (typeof value === 'string') yield value;
  else if (value && typeof value === 'object') for (const one of Object.values(value)) yield* strings(one);
}

const kVectors = ['tests/vectors', '../shared/vectors'];

/** The different texts of all vectors in these folders, by what they look like. */
export function texts(root, folders = kVectors) {
  const seen = new Set();
  const out = { layouts: [], maps: [], distributions: [], pairs: [] };
  for (const folder of folders) {
    for (const file of files(join(root, folder), '.jsonl')) {
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        if (line === '') continue;
        const vector = JSON.parse(line);
        if (vector.a?.text && vector.b?.text) out.pairs.push([vector.a.text, vector.b.text]);
        for (const text of strings(vector)) {
          if (text.length > 600 || seen.has(text) || /^[a-z/_.-]+[/\d]*$/i.test(text)) continue;
          seen.add(text);
          if (/->/.test(text)) out.maps.push(text);
          else if (/devices=|replicated|DeviceMesh|mesh\[|block_cyclic|sdy/.test(text)) out.distributions.push(text);
          else if (/[[({:<]/.test(text) && !/ROOT|ENTRY|HloModule/.test(text)) out.layouts.push(text);
        }
      }
    }
  }
  return out;
}

/** The commands of the documentation's examples, as words of a shell without variables and pipes. */
export function examples(root) {
  const out = [];
  for (const file of [join(root, 'README.md'), ...files(join(root, 'docs'), '.md'), ...files(join(root, 'tests/cli'), '.cases')]) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const command = /^\$ (tessera .*)$/.exec(line);
      if (command && !/[|><`]\s*(?:$|[a-z/2])|\$\(|\\$/.test(command[1])) out.push(command[1]);
    }
  }
  return out;
}

/** At least `least` requests. `requestOf` reads a command; the vectors are those of these folders. */
export function requests(root, least, requestOf, folders = kVectors) {
  const draw = random(20261129);
  const { layouts, maps, distributions, pairs } = texts(root, folders);
  const out = [];
  const add = (verb, request, as) => out.push(as ? { verb, request, as } : { verb, request });
  const pick = (list) => list[draw(list.length)];
  for (const command of examples(root)) {
    const request = requestOf(command);
    if (request) out.push(request);
  }
  for (const [a, b] of pairs) add('equal', { a, b });
  while (out.length < least) {
    const layout = pick(layouts);
    switch (draw(16)) {
      case 0: add('show', { layout, facts: true }); break;
      case 1: add('show', { layout, picture: true }); break;
      case 2: add('show', { layout, view: 'memory' }, 'cells'); break;
      case 3: add('show', { layout }, 'cells'); break;
      case 4: add('convert', { layout }); break;
      case 5: add('at', { layout, index: [`${draw(4)},${draw(4)}`, `${draw(9)}`] }); break;
      case 6: add('at', { layout, index: [`${draw(40)}`], inverse: true }); break;
      case 7: add('equal', { a: layout, b: pick(layouts) }); break;
      case 8: add('access', { layout, bytes: 1 << draw(4), threads: [pick(['rows', 'columns', '32:1', '32:2', '(4,8):(1,4)'])], why: true }); break;
      case 9: add('show', { layout, color_by: pick(['tile', 'bank', 'index']) }, pick(['svg', 'text', 'tex'])); break;
      case 10: add('map simplify', { map: pick(maps) }); break;
      case 11: add('map inverse', { map: pick(maps) }); break;
      case 12: add('map image', { map: pick(maps) }); break;
      case 13: add('tile', { input: pick(maps), tile: `${1 + draw(4)}` }, pick([undefined, 'picture'])); break;
      case 14: add('map simplify', { map: `(d0, d1) -> (${layout}), domain: d0 in [0, 7], d1 in [0, 5]` }); break;
      default: add(pick(['reshard places', 'reshard convert']), { distribution: pick(distributions), shape: 'f32[16,24]' });
    }
  }
  return out;
}
