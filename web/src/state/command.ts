// SPDX-License-Identifier: Apache-2.0
// Command lines: a request as one, and one as a request. The engine says which fields its verbs have.
import type { Fields, Request, VerbJson } from '../engine/answers';

export function shellWord(text: string): string {
  return /^[\w./+=:,@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The words of a command as a shell splits them. Null if a quote is open. */
export function splitWords(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  for (let i = 0; i < text.length; ++i) {
    const c = text[i] as string;
    if (c === "'") {
      const end = text.indexOf("'", i + 1);
      if (end < 0) return null;
      word = (word ?? '') + text.slice(i + 1, end);
      i = end;
    } else if (c === '"') {
      word ??= '';
      for (++i; i < text.length && text[i] !== '"'; ++i) {
        if (text[i] === '\\' && i + 1 < text.length) ++i;
        word += text[i];
      }
      if (i >= text.length) return null;
    } else if (c === '\\' && i + 1 < text.length) {
      const next = text[++i] as string;
      if (next !== '\n') word = (word ?? '') + next;
    } else if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? '') + c;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

function listed(value: Fields[string]): string[] {
  if (value === undefined || value === false || value === '') return [];
  return Array.isArray(value) ? value : [String(value)];
}

/** What to type in a terminal for the answer to this request. */
export function commandOf(verbs: VerbJson[], { verb, request }: Request): string {
  const fields = verbs.find((one) => one.name === verb)?.fields ?? [];
  const options: string[] = [];
  const positional: string[] = [];
  for (const field of fields) {
    const value = request[field.name];
    const all = listed(value);
    if (field.argument) {
      positional.push(...all.map(shellWord));
      continue;
    }
    const name = `--${field.name.replaceAll('_', '-')}`;
    if (value === true) options.push(name);
    else for (const text of all) options.push(/^-/.test(text) ? `${name}=${shellWord(text)}` : `${name} ${shellWord(text)}`);
  }
  const dashed = positional.some((text) => text.startsWith('-')) ? ['--'] : [];
  return ['tessera', verb, ...options, ...dashed, ...positional].join(' ');
}

/** The request of a command, with or without the word `tessera` before it. Null if it has no such verb. */
export function requestOf(verbs: VerbJson[], words: string[]): Request | null {
  let rest = words[0] === 'tessera' ? words.slice(1) : words;
  const two = verbs.find((one) => one.name === rest.slice(0, 2).join(' '));
  const verb = two ?? verbs.find((one) => one.name === rest[0]) ??
    (rest[0] === 'reshard' ? verbs.find((one) => one.name === 'reshard plan') : undefined);
  if (!verb) return null;
  rest = rest.slice(two ? 2 : 1);
  const request: Record<string, string | boolean | string[]> = {};
  const add = (name: string, text: string, repeated: boolean): void => {
    const old = request[name];
    if (repeated) request[name] = [...(Array.isArray(old) ? old : []), text];
    else request[name] = text;
  };
  const positional: string[] = [];
  for (let i = 0; i < rest.length; ++i) {
    const word = rest[i] as string;
    if (word === '--') {
      positional.push(...rest.slice(i + 1));
      break;
    }
    if (word === '-o' || word === '--output') {
      ++i;
      continue;
    }
    if (!word.startsWith('--') || word.length === 2) {
      if (!/^-[a-z]$/.test(word)) positional.push(word);
      continue;
    }
    const [option, ...after] = word.slice(2).split('=');
    const name = (option as string).replaceAll('-', '_');
    const field = verb.fields.find((one) => one.name === name);
    if (!field) continue; // an option of every verb, such as --json
    const follows = rest[i + 1];
    if (after.length > 0) add(name, after.join('='), field.repeated);
    else if (field.value === '') request[name] = true;
    else if (field.bare !== '' && (follows === undefined || follows.startsWith('--'))) request[name] = field.bare;
    else if (follows !== undefined) add(name, rest[++i] as string, field.repeated);
  }
  for (const field of verb.fields) {
    if (!field.argument) continue;
    if (field.repeated) {
      if (positional.length > 0) request[field.name] = positional.splice(0);
    } else if (positional.length > 0) {
      request[field.name] = positional.shift() as string;
    }
  }
  return { verb: verb.name, request };
}
