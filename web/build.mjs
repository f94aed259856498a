// SPDX-License-Identifier: Apache-2.0
// node build.mjs ENGINE OUT: builds the page in OUT. OUT/index.html is for a host of static files; OUT/tessera.html has
// everything inside. Names of served modules contain a hash of both, so that a page never loads a part of another build.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { divided } from './split.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [enginePath, out] = process.argv.slice(2);
if (!enginePath || !out) {
  console.error('usage: node build.mjs ENGINE.wasm OUT');
  process.exit(2);
}
const options = {
  bundle: true, minify: true, write: false, target: 'es2022', legalComments: 'none', logLevel: 'warning',
  jsx: 'automatic', jsxImportSource: 'preact',
};
async function bundle(name) {
  const result = await build({ ...options, entryPoints: [join(here, 'src', name)], format: 'iife' });
  return result.outputFiles[0].text;
}
const [page, worker, style, html, engine] = await Promise.all([
  bundle('main.tsx'), bundle('engine/worker.ts'),
  build({ ...options, entryPoints: [join(here, 'src/style.css')] }).then((result) => result.outputFiles[0].text.trim()),
  readFile(join(here, 'src/index.html'), 'utf8'), readFile(enginePath),
]);
// The page of `tessera hlo --report`, which the Program tab shows in a frame, has these scripts.
const report = await Promise.all(['logic', 'pictures', 'table', 'costs', 'instruction', 'views'].map(async (name) => {
  const text = await readFile(join(here, '../src/report/page', `${name}.js`), 'utf8');
  return `\n${text.slice(text.startsWith('//') ? text.indexOf('\n\n') + 2 : 0)}`;
}));
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const script = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const policy = (scripts, workers) => [
  "default-src 'none'", `script-src ${scripts} ${report.map(hash).join(' ')} 'wasm-unsafe-eval'`, `worker-src ${workers}`, `connect-src 'self'`,
  "style-src 'unsafe-inline' 'self'", "img-src blob: data:", "frame-src 'self'", "base-uri 'none'", "form-action 'none'",
].join('; ');
const fill = (parts) => Object.entries(parts).reduce((text, [name, part]) => text.replace(`@${name}@`, () => part), html);

const inPage = script(page);
const one = fill({
  POLICY: policy(hash(inPage), 'blob:'),
  STYLE: `<style>${style}</style>`,
  SCRIPT: `<script type="application/octet-stream" id="engine">${gzipSync(engine, { level: 9 }).toString('base64')}</script>\n` +
    `<script type="text/plain" id="worker">${script(worker)}</script>\n<script>${inPage}</script>`,
});
const parts = await divided(enginePath) ?? { engine };
const stamp = createHash('sha256').update(Buffer.concat(Object.values(parts))).digest('hex').slice(0, 12);
const moduleName = (part) => `${part}-${stamp}.wasm`;
const many = fill({
  POLICY: policy("'self'", "'self'"),
  STYLE: '<link rel="stylesheet" href="style.css">',
  SCRIPT: `<script src="page.js" ${Object.keys(parts).map((part) => `data-${part}="${moduleName(part)}"`).join(' ')}></script>`,
});
await mkdir(out, { recursive: true });
for (const name of await readdir(out)) if (name.endsWith('.wasm')) await rm(join(out, name));
await Promise.all([
  ...Object.entries(parts).map(([part, bytes]) => writeFile(join(out, moduleName(part)), bytes)),
  writeFile(join(out, 'tessera.html'), one), writeFile(join(out, 'index.html'), many), writeFile(join(out, 'page.js'), page),
  writeFile(join(out, 'worker.js'), worker), writeFile(join(out, 'style.css'), style),
]);
const kilobytes = (size) => `${Math.round(size / 1000)} kB`;
const served = (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } }).length;
const opened = [many, page, worker, style, parts.engine].reduce((sum, text) => sum + served(text), 0);
console.log(`${out}/tessera.html: ${kilobytes(Buffer.byteLength(one))}`);
console.log(`${out}/index.html and what it loads, as served (brotli): ${kilobytes(opened)}` +
  (parts.rest ? `; when it is needed, the rest of the engine: ${kilobytes(served(parts.rest))}` : ''));
