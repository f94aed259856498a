// SPDX-License-Identifier: Apache-2.0
// Modules of the page for Node.
import { build } from 'esbuild';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** All exports of these files of src/, without their ending. */
export async function bundle(...names) {
  const result = await build({
    stdin: { contents: names.map((name) => `export * from './${name}';`).join('\n'), resolveDir: join(here, '../src'), loader: 'ts' },
    bundle: true, write: false, format: 'esm', platform: 'neutral', target: 'es2022', mainFields: ['module', 'main'],
  });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].text).toString('base64')}`);
}
