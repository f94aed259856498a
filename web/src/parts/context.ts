// SPDX-License-Identifier: Apache-2.0
// What every part of the page can reach.
import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, ErrorAnswer, Request } from '../engine/answers';
import { Stopped, type Client } from '../engine/client';
import type { Question } from '../state/link';

export interface App {
  client: Client;
  question: Question;
  /** Changes fields of the question. `step`: as a step that Back undoes; else it replaces the address. */
  set(fields: Record<string, string>, step?: boolean): void;
  /** Opens a question, possibly in another tab. */
  open(question: Question): void;
  /** Says something to readers of screens, and in the line at the bottom. */
  say(text: string): void;
  /** Marks the place of an error in the question bar. */
  fault(error: ErrorAnswer | null): void;
  /** A file that the page was given, under the name by which requests know it. */
  giveFile(name: string, bytes: Uint8Array): Promise<void>;
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('no app');
  return app;
}

export interface Asked<T> {
  answer: T | null;
  /** Whether the answer is to an older question. */
  old: boolean;
  stopped: boolean;
  failure: string;
}

/** The answer to a request, and until it has come the one before. Null: no question. */
export function useAnswer<T extends Answer = Answer>(request: Request | null, channel: string): Asked<T> {
  const { client } = useApp();
  const [state, setState] = useState<Asked<T>>({ answer: null, old: false, stopped: false, failure: '' });
  const line = request === null ? '' : `${client.version} ${JSON.stringify(request)}`;
  const newest = useRef(line);
  newest.current = line;
  useEffect(() => {
    if (request === null) {
      setState({ answer: null, old: false, stopped: false, failure: '' });
      return;
    }
    setState((before) => ({ ...before, old: true, stopped: false, failure: '' }));
    client.ask<T>(request, channel).then((answer) => {
      if (newest.current === line) setState({ answer, old: false, stopped: false, failure: '' });
    }, (error: unknown) => {
      if (newest.current !== line) return;
      if (error instanceof Stopped) setState((before) => ({ ...before, old: false, stopped: true }));
      else setState({ answer: null, old: false, stopped: false, failure: String(error) });
    });
  }, [client, line, channel]);
  return state;
}

/** Marks an error about the text of the question bar, which answers call `source`. */
export function useFault(error: ErrorAnswer | null, source: string): void {
  const { fault } = useApp();
  const own = error && (error.source === source || error.source === undefined) ? error : null;
  const key = own ? `${own.code} ${own.line} ${own.column} ${own.message}` : '';
  useEffect(() => fault(own), [key]);
}
