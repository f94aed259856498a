// SPDX-License-Identifier: Apache-2.0
// Small controls with labels.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from './context';

let counter = 0;
export function useId(prefix: string): string {
  const id = useRef('');
  if (id.current === '') id.current = `${prefix}${++counter}`;
  return id.current;
}

export function Choice(props: { label: string; field: string; choices: [string, string][]; initial: string }): JSX.Element {
  const { question, set } = useApp();
  const id = useId('choice');
  const value = question.fields[props.field] ?? props.initial;
  return (
    <span class="control">
      <label for={id}>{props.label}</label>
      <select id={id} value={value} onChange={(event) => set({ [props.field]: event.currentTarget.value }, true)}>
        {props.choices.map(([word, text]) => <option key={word} value={word}>{text}</option>)}
      </select>
    </span>
  );
}

export function Input(props: { label: string; field: string; initial?: string; placeholder?: string; wide?: boolean; broad?: boolean; list?: string[]; help?: string }): JSX.Element {
  const { question, set } = useApp();
  const id = useId('input');
  const value = question.fields[props.field] ?? props.initial ?? '';
  return (
    <span class={props.wide ? 'control wide' : props.broad ? 'control broad' : 'control'} title={props.help}>
      <label for={id}>{props.label}</label>
      <input
        id={id} value={value} placeholder={props.placeholder} spellcheck={false} autocomplete="off" autocapitalize="off"
        list={props.list ? `${id}-list` : undefined} onInput={(event) => set({ [props.field]: event.currentTarget.value })}
      />
      {props.list && <datalist id={`${id}-list`}>{props.list.map((text) => <option key={text} value={text} />)}</datalist>}
    </span>
  );
}

export function Toggle(props: { label: string; field: string; initial?: boolean; help?: string }): JSX.Element {
  const { question, set } = useApp();
  const id = useId('toggle');
  const value = (question.fields[props.field] ?? (props.initial ? '1' : '')) === '1';
  return (
    <span class="control check" title={props.help}>
      <input id={id} type="checkbox" checked={value} onChange={(event) => set({ [props.field]: event.currentTarget.checked ? '1' : '0' }, true)} />
      <label for={id}>{props.label}</label>
    </span>
  );
}

/** A button that lets the reader choose a file. */
export function FileButton(props: { label: string; onFile: (files: FileList | null) => void; children: ComponentChildren }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <span class="file">
      <input ref={input} type="file" class="hidden" tabIndex={-1} aria-label={props.label} onChange={(event) => { props.onFile(event.currentTarget.files); event.currentTarget.value = ''; }} />
      <button type="button" onClick={() => input.current?.click()}>{props.children}</button>
    </span>
  );
}

/** Copies a text with one click. */
export function Copy(props: { text: string; label: string; children?: ComponentChildren; class?: string }): JSX.Element {
  const { say } = useApp();
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1600);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = (): void => {
    copyText(props.text).then(() => {
      setDone(true);
      say('Copied');
    }, () => say('The browser does not let the page copy; select the text instead'));
  };
  return <button type="button" class={props.class ?? 'quiet'} aria-label={props.label} title={props.label} onClick={copy}>{done ? 'copied' : props.children ?? 'copy'}</button>;
}

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const good = document.execCommand('copy');
    area.remove();
    if (!good) throw new Error('not allowed');
  }
}

export function Section(props: { title: string; children: ComponentChildren; note?: string; class?: string }): JSX.Element {
  return (
    <section class={props.class ?? ''}>
      <h2>{props.title}{props.note && <span class="note"> {props.note}</span>}</h2>
      {props.children}
    </section>
  );
}
