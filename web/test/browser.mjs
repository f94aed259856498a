// SPDX-License-Identifier: Apache-2.0
// node browser.mjs WEB TESSERA: uses the page in build/web as a person would, in Debian's Chromium. Screenshots go to
// WEB/screenshots. The exit status is 77 if there is no Chromium.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { random, requests, texts } from './requests.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const [web, tessera] = process.argv.slice(2).map((path) => resolve(path));
const chrome = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
if (!chrome || !existsSync(join(web, 'tessera.html'))) {
  console.log(chrome ? 'skipped: there is no page; make web builds it' : 'skipped: there is no Chromium; scripts/bootstrap page installs it');
  process.exit(77);
}
const { chromium } = await import('playwright-core');
const { bundle } = await import('./bundle.mjs');
const { requestOf, splitWords } = await bundle('state/command');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = join(web, 'screenshots');
mkdirSync(shots, { recursive: true });
const everything = process.env.TESSERA_ALL === '1';

let checks = 0;
const problems = [];
function check(good, ...what) {
  ++checks;
  if (!good) {
    problems.push(what.join(' '));
    console.error('not so:', what.join(' '));
  }
}
const batch = (lines) => spawnSync(tessera, ['batch'], { input: `${lines.join('\n')}\n`, maxBuffer: 1 << 30, encoding: 'utf8', cwd: root }).stdout.split('\n').slice(0, -1);

const browser = await chromium.launch({ executablePath: chrome, args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true, bypassCSP: false });
const address = pathToFileURL(join(web, 'tessera.html')).href;
function watch(page) {
  page.on('console', (message) => { if (message.type() === 'error') check(false, 'the console says', message.text()); });
  page.on('pageerror', (error) => check(false, 'the page fails:', error.stack ?? String(error)));
  return page;
}
const settled = (page) => page.waitForSelector('.page[data-ready="1"]', { timeout: 60000 });
// A question waits for its turn, an answer for a frame.
async function calm(page) {
  await page.waitForTimeout(60);
  await settled(page);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
async function ask(page, text) {
  await page.click('.cm-content');
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
  await calm(page);
}
const fragmentOf = (question) => deflateRawSync(JSON.stringify(question)).toString('base64url');
async function open(page, question) {
  await page.goto('about:blank');
  await page.goto(`${address}#${fragmentOf(question)}`);
  await settled(page);
  await calm(page);
}

const steps = {
  async opening() {
    const page = watch(await context.newPage());
    const times = [];
    for (let i = 0; i < 3; ++i) {
      await page.goto('about:blank');
      await page.goto(address);
      await settled(page);
      await calm(page);
      times.push(Math.round(await page.evaluate(() => performance.getEntriesByName('picture')[0].startTime)));
    }
    check(await page.locator('.logical canvas').count() === 1, 'there is no logical picture');
    check((await page.textContent('.facts')).includes('24'), 'the facts have no buffer');
    check(await page.locator('.notations li').count() >= 8, 'some notations are missing');
    console.log(`first picture after ${times.join(', ')} ms`);
    await page.close();
  },

  async servedFiles() {
    const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
    const loaded = [];
    const server = createServer((request, response) => {
      loaded.push(request.url);
      const path = join(web, request.url === '/' ? 'index.html' : request.url.split('?')[0]);
      if (!existsSync(path)) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' }).end(readFileSync(path));
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const page = watch(await context.newPage());
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await settled(page);
    await calm(page);
    check((await page.textContent('.facts')).includes('(3, 5)'), 'the page from a server has no facts');
    // The part of the engine that reads programs comes with the first program.
    const rest = await page.evaluate(() => document.querySelector('script[data-rest]')?.dataset.rest);
    if (rest !== undefined) {
      for (const tab of ['compare', 'algebra', 'threads', 'map', 'move', 'gallery']) {
        await page.click(`#tab-${tab}`);
        await calm(page);
        check(!loaded.includes(`/${rest}`), 'the rest of the engine is loaded by the tab', tab);
      }
      const bytes = [...new Set(loaded)].map((url) => join(web, url === '/' ? 'index.html' : url)).filter((path) => existsSync(path))
        .reduce((sum, path) => sum + brotliCompressSync(readFileSync(path)).length, 0);
      check(bytes <= 1.5e6, 'what every tab but Program loads has more than 1.5 MB (brotli):', bytes);
      await page.click('#tab-program');
      await calm(page);
      await ask(page, 'HloModule m\n\nENTRY main {\n  x = f32[4,8]{1,0} parameter(0)\n  ROOT late = f32[8,4]{1,0} transpose(x), dimensions={1,0}\n}\n');
      await page.frameLocator('iframe').locator('text=main/late').first().waitFor({ timeout: 20000 }).catch(() => check(false, 'a program is not read by the rest of the engine'));
      check(loaded.includes(`/${rest}`), 'the rest of the engine is not loaded');
    }
    check(readFileSync(join(web, 'tessera.html')).length <= 4e6, 'the one file has more than 4 MB');
    await page.close();
    server.close();
  },

  async layout() {
    const page = watch(await context.newPage());
    await page.goto(address);
    await settled(page);
    await ask(page, '((2,2),(2,3)):((2,12),(1,4))');
    check((await page.textContent('.reading')).includes('CuTe'), 'the notation is not named');
    await page.locator('.logical canvas').focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    await calm(page);
    const pinned = await page.textContent('.readout');
    check(/pinned: index \(\d+,\d+\) → offset \d+/.test(pinned), 'arrow keys pin', pinned);
    const [, index, offset] = /index \((\S+)\) → offset (\d+)/.exec(pinned) ?? [];
    const answer = JSON.parse(batch([JSON.stringify({ verb: 'at', request: { layout: '((2,2),(2,3)):((2,12),(1,4))', index: [index] } })])[0]);
    check(String(answer.results?.[0].offset) === offset, 'the pin shows', offset);
    await page.keyboard.press('Escape');
    // All owners of a broadcast element light up.
    await ask(page, '(4,4):(0,1)');
    await page.locator('.logical canvas').focus();
    await page.keyboard.press('ArrowDown');
    await calm(page);
    check(/owners \(0,0\) \(1,0\) \(2,0\) \(3,0\)/.test(await page.textContent('.readout')), 'owners of a broadcast element', await page.textContent('.readout'));
    // A prefix by one click.
    await ask(page, '(6,8):(1,6)');
    await page.waitForSelector('text=read as strides', { timeout: 5000 });
    await page.click('text=read as strides');
    await calm(page);
    check((await page.textContent('.cm-content')).startsWith('strides:'), 'one click chooses another notation');
    // An error: its mark, and its text under the character.
    await ask(page, '(4,8):(8,1');
    check(await page.locator('.fault').count() === 1, 'the error is not marked');
    check((await page.textContent('.fault-line')).length > 10, 'the error has no text');
    // Offsets that a number of JavaScript would round.
    await open(page, { tab: 'layout', fields: { layout: '(2,2):(1,9007199254740993)', pin: '1,1' } });
    check((await page.textContent('.readout')).includes('offset 9007199254740994'), 'an offset beyond 2^53', await page.textContent('.readout'));
    await open(page, { tab: 'layout', fields: { layout: '(2,2):(1,4)', pin: '@no' } });
    // More than two dimensions.
    await ask(page, 'f32[3,4,5,6]');
    await page.fill('#fixed0', '2');
    await calm(page);
    await page.locator('.logical canvas').hover({ position: { x: 90, y: 60 } });
    check(/index \(2,0,\d+,\d+\)/.test(await page.textContent('.readout')), 'a slice shows its index', await page.textContent('.readout'));
    // Controls of dimensions with one index are hidden.
    await ask(page, 'f32[1,4,5,6]');
    check(await page.locator('#fixed0').count() === 0 && await page.locator('#fixed1').count() === 1, 'a dimension of size 1 has a control');
    await page.locator('.mapping summary').click();
    await calm(page);
    check(await page.locator('.mapping td').count() > 10, 'the table of the mapping is empty');
    await page.close();
  },

  // 1,000 cells of 50 pictures, after moving, zooming and transposing.
  async hover() {
    const page = watch(await context.newPage());
    const draw = random(7);
    const { layouts } = texts(root);
    const wanted = [];
    const lines = [], shown = [];
    const good = layouts.filter((text) => /^(?:[a-z]+\d*\[\d+,\d+\]\{|\(.*\):\(|Sw<|xla:|d0:)/.test(text));
    const pictures = everything ? 56 : 8;
    for (let tries = 0; wanted.length < pictures && tries < 400; ++tries) {
      const layout = good[draw(good.length)];
      const facts = JSON.parse(batch([JSON.stringify({ verb: 'show', request: { layout, facts: true } })])[0]);
      if (!facts.error && facts.shape?.length >= 1 && facts.shape.length <= 3 && facts.size > 3 && facts.size < 4e6 && facts.digits) wanted.push(layout);
    }
    for (const [n, layout] of wanted.entries()) {
      await open(page, { tab: 'layout', fields: { layout, transposed: n % 3 === 1 ? '1' : '0' } });
      const canvas = page.locator('.logical canvas');
      await canvas.waitFor();
      const box = await canvas.boundingBox();
      if (n % 2 === 1) {
        await canvas.focus();
        for (let k = draw(5); k > 0; --k) await page.keyboard.press('+');
        await page.mouse.move(box.x + 80, box.y + 80);
        await page.mouse.down();
        await page.mouse.move(box.x + 80 - draw(60), box.y + 80 - draw(60), { steps: 3 });
        await page.mouse.up();
        await calm(page);
      }
      let found = 0;
      for (let k = 0; k < 200 && found < 20; ++k) {
        await page.mouse.move(box.x + 25 + draw(Math.max(1, Math.floor(box.width) - 26)), box.y + 34 + draw(Math.max(1, Math.floor(box.height) - 35)));
        const text = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(document.querySelector('.readout').textContent))));
        const read = /^index \(([\d,]*)\) → offset (-?\d+)/.exec(text);
        if (!read) continue;
        ++found;
        lines.push(JSON.stringify({ verb: 'at', request: { layout, index: [read[1]] } }));
        shown.push([layout, read[1], Number(read[2])]);
      }
    }
    const answers = batch(lines);
    shown.forEach(([layout, index, offset], i) => check(JSON.parse(answers[i]).results?.[0]?.offset === offset, layout, 'at', index, 'shows', offset));
    check(wanted.length === pictures && shown.length >= 18 * pictures, `${shown.length} cells of ${wanted.length} pictures`);
    console.log(`${shown.length} cells of ${wanted.length} pictures show what 'tessera at' says`);
    await page.close();
  },

  async tabs() {
    const page = watch(await context.newPage());
    await open(page, { tab: 'compare', fields: { a: 'f32[4,8]{1,0:T(2,4)}', b: 'f32[4,8]{1,0}' } });
    check((await page.textContent('.verdict')).includes('(0, 4): offset 8 on the left, 4 on the right'), 'compare: the first difference');
    await page.waitForSelector('text=From the left to the right');
    check(await page.locator('.panels canvas').count() === 2, 'compare: two pictures');
    await open(page, { tab: 'compare', fields: { a: '6x8:[1, 0, 1 p(4)]', b: '(6,(4,2)):(4,(1,24))' } });
    check((await page.textContent('.verdict')).includes('normal form'), 'compare: the kind of proof');
    await open(page, { tab: 'compare', fields: { a: '(4,4):(4,1)', b: '(4,4):(1,4)' } });
    await page.waitForSelector('text=equal after renaming');
    await open(page, { tab: 'compare', fields: { a: 'f32[1024,1024]{1,0:T(8,128)}', b: 'f32[1024,1024]{1,0}' } });
    check(await page.locator('.panels canvas').count() === 2, 'compare: a part of large layouts');

    await open(page, { tab: 'threads', fields: { part: 'banks', layout: '(32,32):(32,1)', threads: 'columns', bytes: '4' } });
    check((await page.textContent('.numbers')).startsWith('32'), 'threads: 32 wavefronts');
    await page.click('main >> text=Find a fix >> nth=-1');
    await calm(page);
    check((await page.textContent('.tab')).includes('Sw<5,0,5>'), 'threads: the fix');
    await page.locator('button:text-is("use")').first().click();
    await calm(page);
    check((await page.textContent('.numbers')).startsWith('1'), 'threads: the fix needs one wavefront', await page.textContent('.numbers'));
    await page.goBack();
    await calm(page);
    check((await page.textContent('.numbers')).startsWith('32'), 'threads: Back', await page.textContent('.numbers'));
    await page.fill('#shape-padding', '1');
    await calm(page);
    check((await page.textContent('.numbers')).startsWith('1'), 'threads: padding by hand');
    await open(page, { tab: 'threads', fields: { part: 'owners', tv: 'atom:nv.m16n8.C' } });
    check(await page.locator('.panels canvas').count() >= 2, 'threads: both views of an atom');

    await open(page, { tab: 'map', fields: { map: '(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 9]' } });
    const canvas = page.locator('.panels canvas').first();
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 120, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 160, { steps: 4 });
    await page.mouse.up();
    await calm(page);
    check(/--tile [2-9],[2-9] --at/.test(await page.textContent('.command')), 'map: a drag is a tile', await page.textContent('.command'));
    check((await page.textContent('.tab')).includes('(d0, d1) -> (d1, d0), domain: d0 in [0, 9], d1 in [0, 7]'), 'map: the inverse');

    await open(page, { tab: 'move', fields: { part: 'reshard', from: '{devices=[4,1]<=[4]}', to: '{devices=[1,4]<=[4]}', shape: 'f32[16,16]' } });
    check((await page.textContent('.numbers')).startsWith('768'), 'move: bytes');
    await page.selectOption('#place', '2');
    await calm(page);
    check((await page.textContent('.tab')).includes('sends 192 bytes'), 'move: one place');

    await open(page, { tab: 'gallery', fields: { filter: 'ldmatrix' } });
    check(await page.locator('.cards .card').count() >= 5, 'gallery: ldmatrix');
    await page.locator('.cards button').first().click();
    await calm(page);
    check(await page.locator('.tab canvas').count() >= 1, 'gallery: a card opens');
    const tabs = await page.locator('[role=tab]').allTextContents();
    if (tabs.includes('Algebra')) {
      await open(page, { tab: 'algebra', fields: { expr: 'composition((6,2):(8,2), (4,3):(3,1))' } });
      check((await page.textContent('.tab')).includes('((2,2),3):((24,2),8)'), 'algebra: the result');
      check(await page.locator('.panels canvas').count() >= 3, 'algebra: the picture of the call');
      await open(page, { tab: 'algebra', fields: { expr: 'composition((4,6,8):(2,3,5), 6:3)' } });
      check((await page.textContent('.problem')).includes('witness'), 'algebra: a witness');
    }
    if (tabs.includes('Program')) {
      await open(page, { tab: 'layout', fields: { layout: '4:1' } });
      await page.setInputFiles('input[aria-label="Open a file"]', { name: 'block.hlo.gz', mimeType: 'application/gzip', buffer: gzipSync(readFileSync(join(root, 'examples/hlo/transformer_block_gpu.hlo'))) });
      await calm(page);
      const frame = page.frameLocator('iframe');
      await frame.locator('text=What this program wastes').waitFor();
      check((await frame.locator('body').textContent()).includes('main/up'), 'program: the report');
      await frame.locator('text=main/up').first().click();
      await frame.locator('text=Neighborhood').waitFor();
      // A group of the graph opens with all that is inside it, by the keyboard as well, and closes.
      await frame.locator('a[title$="/qkv"]').first().evaluate((a) => a.click());
      const toggle = frame.locator('.graph .toggle[aria-label*=" qkv:"]');
      await toggle.waitFor();
      const boxes = frame.locator('.graph .node'), closed = await boxes.count();
      const inside = Number(/(\d+) instructions/.exec(await toggle.getAttribute('aria-label'))?.[1]);
      await toggle.focus();
      await page.keyboard.press('Enter');
      check(inside > 1 && await boxes.count() === closed + inside && await toggle.getAttribute('aria-expanded') === 'true', 'program: a group opens with', inside);
      check(await toggle.evaluate((one) => one.ownerDocument.activeElement === one), 'program: an opened group keeps the focus');
      await toggle.click();
      check(await boxes.count() === closed && await toggle.getAttribute('aria-expanded') === 'false', 'program: a group closes');
      // One tile followed through the computation: a click chooses the tile, and the table has what `tessera tile` says.
      await page.getByLabel('instruction', { exact: true }).fill('up');
      await page.getByLabel('tile', { exact: true }).fill('64,64');
      await calm(page);
      await page.locator('.tile-box.choose').click({ position: { x: 30, y: 30 } });
      await calm(page);
      check(await page.getByLabel('at', { exact: true }).inputValue() === '64,128', 'program: a click chooses a tile', await page.getByLabel('at', { exact: true }).inputValue());
      const followed = JSON.parse(spawnSync(tessera, ['tile', join(root, 'examples/hlo/transformer_block_gpu.hlo'), '--op', 'up', '--tile', '64,64', '--at', '64,128', '--through', '--json'], { encoding: 'utf8' }).stdout);
      const rows = await page.locator('.tiles tbody tr').allTextContents();
      check(rows.length === followed.tiles.length + 1 && followed.tiles.every((one, i) => rows[i + 1].includes(one.value) && rows[i + 1].includes(one.type) &&
        (!one.symbolic || one.symbolic.dims.every((dim) => rows[i + 1].includes(`[${dim.lower}, ${dim.upper})`)))), 'program: the tiles of every value', rows[1]);
      // Two dumps: the older one has another layout.
      const dump = (order) => `HloModule m\n\nENTRY main {\n  x = f32[64,256]{1,0} parameter(0)\n  ROOT moved = f32[64,256]{${order}} copy(x)\n}\n`;
      await page.setInputFiles('input[aria-label="Open a file"]', { name: 'dump.hlo', mimeType: 'text/plain', buffer: Buffer.from(dump('0,1')) });
      await page.frameLocator('iframe').locator('text=main/moved').first().waitFor();
      await page.setInputFiles('input[aria-label="Choose an older dump"]', { name: 'dump.hlo', mimeType: 'text/plain', buffer: Buffer.from(dump('1,0').replace('copy(x)', 'negate(x)')) });
      await page.frameLocator('iframe').locator('text=Changes').first().waitFor({ timeout: 10000 }).catch(() => check(false, 'program: two dumps are compared'));
      check((await page.textContent('.tab.program')).includes('--compare older/dump.hlo'), 'program: the command of a comparison');
      await page.click('text=do not compare');
      await calm(page);
      // Another program of the same name and length, and one that is typed after it.
      const reported = async (name) => {
        await page.frameLocator('iframe').locator(`text=main/${name}`).first().waitFor({ timeout: 10000 }).catch(() => check(false, 'program: the report is not that of', name));
      };
      const program = (name) => `HloModule m\n\nENTRY main {\n  x = f32[4,8]{1,0} parameter(0)\n  ROOT ${name} = f32[8,4]{1,0} transpose(x), dimensions={1,0}\n}\n`;
      for (const name of ['before', 'latter']) {
        await page.setInputFiles('input[aria-label="Open a file"]', { name: 'same.hlo', mimeType: 'text/plain', buffer: Buffer.from(program(name)) });
        await reported(name);
      }
      await ask(page, program('typing'));
      await reported('typing');
      await ask(page, program('edited'));
      await reported('edited');
    }
    await page.close();
  },

  async links() {
    const page = watch(await context.newPage());
    await page.goto(address);
    await settled(page);
    await ask(page, 'bf16[16,256]{1,0:T(8,128)(2,1)}');
    await page.selectOption('select >> nth=1', 'tile');
    await page.waitForTimeout(500);
    const link = page.url();
    check(link.includes('#') && link.length < address.length + 300, 'the address holds the question');
    const other = watch(await context.newPage());
    await other.goto(link);
    await settled(other);
    check((await other.textContent('.cm-content')) === 'bf16[16,256]{1,0:T(8,128)(2,1)}', 'a link restores the text');
    check(await other.inputValue('select >> nth=1') === 'tile', 'a link restores the controls');
    await other.close();
    await page.click('#tab-compare');
    await calm(page);
    await page.click('#tab-map');
    await calm(page);
    await page.goBack();
    await calm(page);
    check(await page.getAttribute('#tab-compare', 'aria-selected') === 'true', 'Back opens the tab before');
    await page.goForward();
    await calm(page);
    check(await page.getAttribute('#tab-map', 'aria-selected') === 'true', 'Forward');
    await page.reload();
    await settled(page);
    check(await page.getAttribute('#tab-map', 'aria-selected') === 'true', 'reloading keeps the question');
    // A command, typed and pasted; a link of the program.
    await ask(page, "tessera equal 'f32[4,8]{1,0}' '(4,8):(8,1)'");
    await page.keyboard.press('Enter');
    await calm(page);
    check((await page.textContent('.verdict')).startsWith('equal'), 'a command opens its tab');
    const made = spawnSync(tessera, ['link', 'access (32,32):(32,1) --bytes 4 --threads columns', '--page', address], { encoding: 'utf8' });
    if (made.status === 0) {
      await page.goto('about:blank');
      await page.goto(made.stdout.trim());
      await settled(page);
      await calm(page);
      check((await page.textContent('.numbers')).startsWith('32'), 'a link of the program opens');
      const folder = join(tmpdir(), `explore-${process.pid}`);
      mkdirSync(folder);
      const written = spawnSync(tessera, ['explore', 'f32[3,7]{1,0:T(2,2)}', '--no-open', '--page', join(web, 'tessera.html')], { encoding: 'utf8', cwd: folder });
      check(written.status === 0, 'tessera explore', written.stderr);
      await page.goto(pathToFileURL(join(folder, written.stdout.trim())).href);
      await settled(page);
      await calm(page);
      check((await page.textContent('.cm-content')) === 'f32[3,7]{1,0:T(2,2)}' && (await page.textContent('.facts')).includes('(3, 7)'), 'the page of tessera explore shows its layout');
    } else {
      check(false, 'tessera link', made.stderr);
    }
    await page.close();
  },

  async hostile() {
    const page = watch(await context.newPage());
    const alive = async (what) => {
      await open(page, { tab: 'layout', fields: { layout: '(4,8):(8,1)' } });
      check((await page.textContent('.facts')).includes('32'), what, 'breaks the page');
    };
    const bomb = deflateRawSync(Buffer.alloc(64 << 20, 'a')).toString('base64url');
    for (const fragment of ['%%%', 'AAAA', bomb, 'x'.repeat(200000), fragmentOf({ tab: 'nothing', fields: {} }), fragmentOf({ tab: 'layout', fields: { layout: '<img src=x onerror=alert(1)>' } }),
      fragmentOf([1]), fragmentOf({ tab: 'layout', fields: { layout: 'f32[99999999999,99999999999]', pin: '-1,x', fixed: 'a,b', columns: '1e9' } }),
      fragmentOf({ tab: '__proto__', fields: { constructor: 'x' } }), fragmentOf({ text: 'tessera nothing x' })]) {
      await page.goto('about:blank');
      await page.goto(`${address}#${fragment}`);
      await settled(page);
      check(await page.locator('[role=tab]').count() > 4, 'a hostile link', fragment.slice(0, 40));
      check(await page.locator('img').count() === 0, 'a link makes elements');
    }
    await alive('a hostile link');
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData('text/plain', '('.repeat(10 << 20));
      document.querySelector('.cm-content').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    });
    await page.waitForTimeout(1500);
    await settled(page);
    check(await page.locator('[role=tab]').count() > 4, '10 MB of text');
    await alive('10 MB of text');
    const noise = Buffer.alloc(300000);
    const draw = random(5);
    for (let i = 0; i < noise.length; ++i) noise[i] = draw(256);
    await page.setInputFiles('input[aria-label="Open a file"]', { name: 'noise.hlo', mimeType: 'text/plain', buffer: noise });
    await calm(page);
    check((await page.textContent('footer')).includes('not a text'), 'a file of noise', await page.textContent('footer'));
    await page.setInputFiles('input[aria-label="Open a file"]', { name: 'bad.gz', mimeType: 'application/gzip', buffer: Buffer.concat([Buffer.from([0x1f, 0x8b]), noise]) });
    await calm(page);
    await alive('a file of noise');
    // A question that takes long can be stopped, and says so; the next one is answered.
    await page.click('.cm-content');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('map:(d0, d1) -> ((d0 * 3 + d1 * 5) / 7 mod 1009 + (d0 * 11 + d1) mod 4093 * 1009), domain: d0 in [0, 2047], d1 in [0, 2047]');
    await page.click('.working button', { timeout: 20000 });
    await page.waitForSelector('text=You stopped this question', { timeout: 20000 });
    await ask(page, '(4,8):(8,1)');
    check((await page.textContent('.facts')).includes('32'), 'the page answers after a stop');
    await page.close();
  },

  async exports() {
    const page = watch(await context.newPage());
    await open(page, { tab: 'layout', fields: { layout: 'f32[3,5]{1,0:T(2,2)}' } });
    for (const [name, begins] of [['SVG', '<svg'], ['TikZ', '\\documentclass'], ['JSON', '{"schema"'], ['Text', 'xla:'], ['PNG', '\x89PNG']]) {
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`.export button:text-is("${name}")`).first().click()]);
      const bytes = readFileSync(await download.path());
      const text = bytes.toString('latin1');
      check(text.startsWith(begins) || (name === 'TikZ' && text.includes('\\begin{tikzpicture}')), `saved as ${name}`, text.slice(0, 40));
    }
    await page.close();
  },

  async keyboard() {
    const page = watch(await context.newPage());
    await page.goto(address);
    await settled(page);
    await page.keyboard.press('Tab');
    check(await page.evaluate(() => document.activeElement?.id) === 'tab-layout', 'Tab begins at the tabs');
    await page.keyboard.press('ArrowRight');
    await calm(page);
    check(await page.evaluate(() => document.activeElement?.id) === 'tab-compare', 'an arrow chooses the next tab');
    await page.keyboard.press('ArrowLeft');
    await calm(page);
    const seen = new Set();
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press('Tab');
      seen.add(await page.evaluate(() => {
        const at = document.activeElement;
        return at?.getAttribute('aria-label') ?? at?.textContent?.slice(0, 20) ?? '';
      }));
    }
    for (const wanted of ['Layout', 'Copy link to this question', 'Zoom in', 'Copy the command', 'SVG']) check(seen.has(wanted), 'the keyboard reaches', wanted);
    check([...seen].some((name) => name.startsWith('Logical picture')), 'the keyboard reaches the picture');
    await page.close();
  },

  async looks() {
    const questions = {
      layout: null, compare: null, algebra: null, threads: { part: 'banks', layout: '(32,32):(32,1)', threads: 'columns', bytes: '4', fix: 'all' }, map: null, program: null, move: null, gallery: null,
    };
    for (const scheme of ['light', 'dark']) {
      for (const [size, width] of [['wide', 1440], ['narrow', 420]]) {
        if (scheme === 'dark' && size === 'narrow' && !everything) continue;
        const own = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, reducedMotion: 'reduce', bypassCSP: true });
        const page = watch(await own.newPage());
        await page.goto(address);
        await settled(page);
        for (const [tab, fields] of Object.entries(questions)) {
          if (await page.locator(`#tab-${tab}`).count() === 0) continue;
          if (fields) await open(page, { tab, fields });
          else await page.click(`#tab-${tab}`);
          await calm(page);
          if (tab === 'program') await page.frameLocator('iframe').locator('.card, h2').first().waitFor();
          await page.waitForTimeout(150);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          check(wide <= 1, tab, scheme, size, 'is wider than the window by', wide);
          await page.screenshot({ path: join(shots, `${tab}-${scheme}-${size}.png`), fullPage: tab !== 'gallery' });
          if (size === 'narrow' && !everything) continue;
          await page.evaluate(axe);
          const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], iframes: false }));
          for (const one of found.violations) check(false, 'accessibility:', tab, scheme, size, one.id, one.nodes.map((node) => node.html.slice(0, 120)).slice(0, 3).join(' | '));
          ++checks;
        }
        await own.close();
      }
    }
  },

  async sameAnswers() {
    const page = watch(await context.newPage());
    await page.goto(address);
    await settled(page);
    const verbs = await page.evaluate(() => globalThis.explorer.verbs);
    const all = requests(root, everything ? 5200 : 2000, (command) => requestOf(verbs, splitWords(command) ?? []))
      .filter((request) => !/\.(?:hlo|npy|gguf|json|ttgir|safetensors)|\/dev\//.test(JSON.stringify(request))).slice(everything ? 0 : -500);
    const lines = all.map((request, id) => JSON.stringify({ ...request, id }));
    const expected = batch(lines);
    const own = [];
    for (let i = 0; i < lines.length; i += 100)
      own.push(...await page.evaluate((part) => Promise.all(part.map((line) => globalThis.explorer.askText(JSON.parse(line)))), lines.slice(i, i + 100)));
    // The program counts the lines of its input; the engine has one line each.
    const plain = (text) => text.replace(/("source":"<stdin>","line":)\d+/, '$11');
    let open = 0;
    lines.forEach((line, i) => {
      if (JSON.parse(own[i]).status === 3 && own[i] !== expected[i]) ++open;
      else check(plain(own[i]) === plain(expected[i]), 'the browser answers', line, own[i].slice(0, 300), 'the program', expected[i].slice(0, 300));
    });
    console.log(`${lines.length} answers of the browser are those of the program, ${open} need isl`);
    await page.close();
  },

  async speed() {
    const page = watch(await context.newPage());
    await page.goto(address);
    await settled(page);
    await page.waitForTimeout(300);
    const typing = async (text, wanted) => {
      const times = [];
      for (let i = 0; i < 5; ++i) {
        await ask(page, `(4,${i + 3}):(9,1)`);
        await page.click('.cm-content');
        await page.keyboard.press('Control+A');
        times.push(await page.evaluate(([next, wanted]) => new Promise((done) => {
          const canvas = () => document.querySelector('.logical canvas');
          const begin = performance.now();
          document.execCommand('insertText', false, next);
          const look = () => {
            const { dataset } = canvas() ?? { dataset: {} };
            if (dataset.rows === wanted && dataset.drawnfor === wanted) done(performance.now() - begin);
            else requestAnimationFrame(look);
          };
          look();
        }), [text, wanted]));
      }
      return times.sort((a, b) => a - b)[2];
    };
    const small = await typing('f32[64,64]{1,0:T(8,8)(2,1)}', '64');
    const large = await typing('f32[1024,1024]{1,0:T(8,128)}', '1024');
    await page.locator('.logical canvas').focus();
    const frames = await page.evaluate(async () => {
      const canvas = document.querySelector('.logical canvas');
      const box = canvas.getBoundingClientRect();
      const send = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, { clientX: box.left + x, clientY: box.top + y, button: 0, pointerId: 1, bubbles: true }));
      const times = [];
      for (let zoom = 0; zoom < 6; ++zoom) {
        canvas.dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true }));
        await new Promise((done) => setTimeout(done, 150));
        send('pointerdown', 300, 200);
        for (let i = 1; i < 20; ++i) {
          send('pointermove', 300 - i * 6, 200 - i * 5);
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          times.push(Number(canvas.dataset.milliseconds));
        }
        send('pointerup', 180, 100);
      }
      times.sort((a, b) => a - b);
      return { median: times[times.length >> 1], worst: times.at(-1) };
    });
    console.log(`typing to picture: 64 x 64 ${small.toFixed(0)} ms, 1024 x 1024 ${large.toFixed(0)} ms; a frame of 10^6 cells ${frames.median.toFixed(1)} ms (median), ${frames.worst.toFixed(1)} ms (worst)`);
    // Limits of a machine that other work shares; docs/understand/explorer.md has the measured ones.
    check(small < 1000 && large < 2000 && frames.median < 60, 'the page is slow');
    await page.close();
  },
};

const chosen = process.argv.slice(4);
for (const [name, step] of Object.entries(steps)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const begin = performance.now();
  try {
    await step();
  } catch (error) {
    check(false, name, String(error.stack ?? error).slice(0, 1500));
  }
  console.log(`${name}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
}
await browser.close();
writeFileSync(join(shots, 'README.txt'), 'Pictures of each tab, written by web/test/browser.mjs.\n');
console.log(`${checks} checks, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
