// SPDX-License-Identifier: Apache-2.0
// The page: tabs, the question bar, and the state that the address holds.
import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ErrorAnswer } from './engine/answers';
import type { Client } from './engine/client';
import { AppContext, type App } from './parts/context';
import { Copy, FileButton } from './parts/controls';
import { Editor } from './parts/editor';
import { LookContext, readLook, type Theme } from './parts/look';
import { unpacked } from './state/file';
import { decode, encode, type Linked, type Question } from './state/link';
import { recognize } from './state/recognize';
import { tabOf, tabsWith } from './tabs/all';

const START: Question = { tab: 'layout', fields: { ...tabOf('layout').first } };

function stored(name: string): string | null {
  try { return localStorage.getItem(`tessera ${name}`); } catch { return null; }
}
function store(name: string, value: string): void {
  try { localStorage.setItem(`tessera ${name}`, value); } catch { /* a page from disk may have no storage */ }
}

/** What the page opens with: the question of its address, else the one that was written into it. */
export interface First {
  linked: Linked | null;
  file: File | null;
}

export function Page(props: { client: Client; first: First }): JSX.Element {
  const { client } = props;
  const [question, setQuestion] = useState<Question>(START);
  const [ready, setReady] = useState(false);
  const [notice, setNotice] = useState('');
  const [fault, setFault] = useState<ErrorAnswer | null>(null);
  const [status, setStatus] = useState(client.status);
  const [slow, setSlow] = useState(false);
  const [theme, setTheme] = useState<Theme>((stored('theme') as Theme | null) ?? 'auto');
  const [patterns, setPatterns] = useState(stored('patterns') === '1');
  const [scheme, setScheme] = useState(0);
  const [dropping, setDropping] = useState(false);
  const newest = useRef(question);
  newest.current = question;
  const kept = useRef(new Map<string, Record<string, string>>());
  const written = useRef('');
  const writes = useRef(0);

  // The address follows the question.
  const write = useCallback((next: Question, step: boolean): void => {
    const number = ++writes.current;
    void encode(next).then((text) => {
      if (!step && number !== writes.current) return;
      written.current = `#${text}`;
      const address = `${location.pathname}${location.search}#${text}`;
      try {
        if (step) history.pushState(null, '', address);
        else history.replaceState(null, '', address);
      } catch { /* browsers limit how often the address may change */ }
    });
  }, []);
  const timer = useRef(0);
  const change = useCallback((next: Question, step: boolean): void => {
    newest.current = next;
    setQuestion(next);
    setFault(null);
    clearTimeout(timer.current);
    if (step) write(next, true);
    else timer.current = setTimeout(() => write(newest.current, false), 300) as unknown as number;
  }, [write]);

  const restore = useCallback(async (linked: Linked | null): Promise<void> => {
    await client.ready;
    let next: Question | null = null;
    if (linked && 'text' in linked) {
      next = recognize(client.verbs, linked.text, '') ?? { tab: 'layout', fields: { layout: linked.text } };
      if (!tabsWith(client.verbs).some((tab) => tab.name === next?.tab)) next = null;
      if (!next) setNotice(`The page does not show '${linked.text.slice(0, 200)}'.`);
    } else if (linked) {
      next = tabsWith(client.verbs).some((tab) => tab.name === linked.tab) ? linked : null;
    }
    if (linked && !next) setNotice((old) => old || 'The link names no question of this page.');
    const found = next ?? START;
    newest.current = found;
    setQuestion(found);
    setFault(null);
  }, [client]);

  const open = useCallback((next: Question): void => {
    const tab = tabOf(next.tab);
    kept.current.set(newest.current.tab, newest.current.fields);
    change({ tab: tab.name, fields: { ...next.fields } }, true);
  }, [change]);

  useEffect(() => {
    const { linked, file } = props.first;
    void restore(linked).then(async () => {
      if (file) await openFile(file, { client, open, say: setNotice });
      setReady(true);
    });
    const moved = (): void => {
      if (location.hash === written.current) return;
      written.current = location.hash;
      if (location.hash.length < 2) {
        void restore(null);
        return;
      }
      void decode(location.hash).then((linked) => {
        if (!linked) setNotice('The link is damaged: the page shows its first question.');
        return restore(linked);
      });
    };
    addEventListener('popstate', moved);
    addEventListener('hashchange', moved);
    return () => {
      removeEventListener('popstate', moved);
      removeEventListener('hashchange', moved);
    };
  }, [restore]);

  useEffect(() => client.onStatus(() => setStatus(client.status)), [client]);
  useEffect(() => {
    setSlow(false);
    if (status.since === null) return;
    const timer = setTimeout(() => setSlow(true), 400);
    return () => clearTimeout(timer);
  }, [status.since]);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const listen = (): void => setScheme((n) => n + 1);
    query.addEventListener('change', listen);
    return () => query.removeEventListener('change', listen);
  }, []);
  useEffect(() => {
    if (notice === '') return;
    const timer = setTimeout(() => setNotice(''), 8000);
    return () => clearTimeout(timer);
  }, [notice]);

  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  const look = useMemo(() => readLook(theme, patterns), [theme, patterns, scheme]);

  const giveFile = useCallback((name: string, bytes: Uint8Array) => client.putFile(name, bytes), [client]);
  const app = useMemo<App>(() => ({
    client, question, open, giveFile,
    say: setNotice,
    fault: setFault,
    set: (fields, step = false) => {
      const now = newest.current;
      change({ ...now, fields: { ...now.fields, ...fields } }, step);
    },
  }), [client, question, open, giveFile, change]);

  const tabs = tabsWith(client.verbs);
  const tab = tabOf(question.tab);
  const text = question.fields[tab.main] ?? '';
  const go = (name: string): void => {
    if (name === question.tab) return;
    open({ tab: name, fields: kept.current.get(name) ?? tabOf(name).first });
  };
  const take = (raw: string): boolean => {
    if (raw.length > 1 << 20) {
      setNotice(`The text has ${Math.round(raw.length / 1e6)} MB: save it as a file and drop it here.`);
      return true;
    }
    const next = recognize(client.verbs, raw, question.tab);
    if (!next || !tabs.some((one) => one.name === next.tab)) return false;
    open(next);
    return true;
  };
  const drop = async (files: FileList | null | undefined): Promise<void> => {
    setDropping(false);
    const file = files?.[0];
    if (!file) return;
    await openFile(file, { client, open, say: setNotice });
  };
  const keys = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const at = tabs.findIndex((one) => one.name === question.tab);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    go(next.name);
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  const span = fault && tab.main !== '' ? faultSpan(text, fault) : null;

  return (
    <AppContext.Provider value={app}>
      <LookContext.Provider value={look}>
        <div
          class={dropping ? 'page dropping' : 'page'} data-ready={ready && status.since === null ? '1' : '0'}
          onDragOver={(event) => { event.preventDefault(); setDropping(true); }}
          onDragLeave={(event) => { if (event.relatedTarget === null) setDropping(false); }}
          onDrop={(event) => { event.preventDefault(); void drop(event.dataTransfer?.files); }}
        >
          <header>
            <h1>Tessera</h1>
            <div class="tabs" role="tablist" aria-label="Questions" onKeyDown={keys}>
              {tabs.map((one) => (
                <button
                  key={one.name} id={`tab-${one.name}`} type="button" role="tab" aria-selected={one.name === question.tab} aria-controls="work"
                  tabIndex={one.name === question.tab ? 0 : -1} onClick={() => go(one.name)}
                >{one.title}</button>
              ))}
            </div>
            <div class="tools">
              <LinkButton question={question} />
              <label class="quiet-check"><input type="checkbox" checked={patterns} onChange={(event) => { setPatterns(event.currentTarget.checked); store('patterns', event.currentTarget.checked ? '1' : '0'); }} />patterns</label>
              <label><span class="hidden">Theme</span>
                <select value={theme} onChange={(event) => { setTheme(event.currentTarget.value as Theme); store('theme', event.currentTarget.value); }}>
                  <option value="auto">system</option><option value="light">light</option><option value="dark">dark</option>
                </select>
              </label>
            </div>
          </header>
          <div class="bar">
            <Editor
              key={tab.name} text={text} label={tab.label} hint={tab.hint} fault={span}
              onText={(next) => app.set({ [tab.main]: next })}
              onPaste={(pasted) => take(pasted)}
              onEnter={(entered) => { take(entered); }}
            />
            <FileButton label="Open a file" onFile={(files) => void drop(files)}>Open file</FileButton>
            <div class="fault-line" aria-live="polite">
              {fault && <FaultLine text={text} fault={fault} span={span} />}
            </div>
          </div>
          <main><div id="work" role="tabpanel" aria-labelledby={`tab-${tab.name}`}>
            {ready ? <tab.view key={tab.name} /> : <p class="note waiting">Starting the engine…</p>}
          </div></main>
          <footer>
            <span role="status">{notice}</span>
            <span class="working" hidden={!slow}>
              working{status.total > 0 ? `: ${status.stage} ${status.done.toLocaleString('en')} of ${status.total.toLocaleString('en')}` : '…'}
              <button type="button" onClick={() => client.stop()}>Stop</button>
            </span>
          </footer>
        </div>
      </LookContext.Provider>
    </AppContext.Provider>
  );
}

function LinkButton(props: { question: Question }): JSX.Element {
  const [text, setText] = useState('');
  useEffect(() => {
    let current = true;
    void encode(props.question).then((fragment) => {
      if (current) setText(`${location.href.split('#')[0] ?? ''}#${fragment}`);
    });
    return () => { current = false; };
  }, [props.question]);
  return <Copy text={text} label="Copy link to this question" class="">Copy link</Copy>;
}

/** The characters of `text` that an error is about. */
function faultSpan(text: string, fault: ErrorAnswer): [number, number] | null {
  if (fault.column === undefined) return null;
  let begin = 0;
  for (let line = 1; line < (fault.line ?? 1); ++line) begin = text.indexOf('\n', begin) + 1;
  begin += bytesToLetters(text.slice(begin), fault.column - 1);
  return [begin, begin + Math.max(1, (fault.end_column ?? fault.column + 1) - fault.column)];
}
// Columns count bytes of UTF-8.
function bytesToLetters(text: string, bytes: number): number {
  let letters = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    bytes -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes < 0) break;
    letters += letter.length;
  }
  return letters;
}

function FaultLine(props: { text: string; fault: ErrorAnswer; span: [number, number] | null }): JSX.Element {
  const { text, fault, span } = props;
  const lead = span && !text.includes('\n') && span[0] < 70 ? span[0] : null;
  const long = span ? Math.min(Math.max(1, span[1] - span[0]), 12) : 1;
  return (
    <p>
      {lead !== null && <code aria-hidden="true">{' '.repeat(lead)}{'^'.repeat(long)} </code>}
      <span>{lead === null && fault.line !== undefined ? `${fault.line}:${fault.column}: ` : ''}{fault.message}{fault.help ? `; try: ${fault.help}` : ''}</span>
    </p>
  );
}

async function openFile(file: File, app: { client: Client; open: (question: Question) => void; say: (text: string) => void }): Promise<void> {
  const read = await unpacked(file);
  if ('problem' in read) {
    app.say(read.problem);
    return;
  }
  const { name, bytes, isText } = read;
  if (isText && bytes.length < 100000 && !/HloModule|ENTRY|ROOT/.test(new TextDecoder().decode(bytes))) {
    const text = new TextDecoder().decode(bytes).trim();
    const next = recognize(app.client.verbs, text, '') ?? { tab: 'layout', fields: { layout: text.slice(0, 20000) } };
    app.open(tabsWith(app.client.verbs).some((tab) => tab.name === next.tab) ? next : { tab: 'layout', fields: { layout: text.slice(0, 20000) } });
    return;
  }
  if (!isText || !tabsWith(app.client.verbs).some((tab) => tab.name === 'program')) {
    app.say(`${file.name} is not a text that the page can read: drop an HLO dump, plain or gz, or a text with a layout`);
    return;
  }
  await app.client.putFile(name, bytes);
  app.open({ tab: 'program', fields: { file: name } });
}
