// SPDX-License-Identifier: Apache-2.0
// The page's side of the engine: asks questions, keeps only the newest of a kind, and can stop.
import type { Answer, Request, VerbJson } from './answers';
import type { ToPage, ToWorker } from './messages';
import { parseAnswer } from './whole';

export class Stopped extends Error {
  constructor() {
    super('stopped');
  }
}

interface Waiting {
  id: number;
  line: string;
  channel: string | undefined;
  resolve: (text: string) => void;
  reject: (error: Error) => void;
}

export interface Status {
  /** Since when the engine works on one question; null: it is idle. */
  since: number | null;
  stage: string;
  done: number;
  total: number;
}

export class Client {
  verbs: VerbJson[] = [];
  status: Status = { since: null, stage: '', done: 0, total: 0 };
  /** Milliseconds of the last answer, in the worker. */
  last = 0;
  /** Changes with each file: the answer to a request may then be another one. */
  version = 0;
  /** Settles once the engine has said its verbs, or could not start. */
  readonly ready: Promise<void>;
  private begun: { resolve: () => void; reject: (error: Error) => void } | undefined;
  private worker: Worker | undefined;
  private module: WebAssembly.Module | undefined;
  private queue: Waiting[] = [];
  private current: Waiting | undefined;
  private next = 1;
  private readonly files = new Map<string, Uint8Array>();
  private readonly listeners = new Set<() => void>();
  private readonly cache = new Map<string, string>();

  constructor(
    private readonly compile: () => Promise<WebAssembly.Module>,
    private readonly makeWorker: () => Worker,
    private readonly rest?: string,
  ) {
    this.ready = this.start();
  }

  onStatus(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The answer as text. A newer question of the same channel replaces one that has not begun. */
  async askText(request: Request, channel?: string): Promise<string> {
    await this.ready;
    const line = JSON.stringify(request);
    const known = this.cache.get(line);
    if (known !== undefined) return known;
    if (channel !== undefined) {
      for (const old of this.queue.filter((one) => one.channel === channel)) old.reject(new Stopped());
      this.queue = this.queue.filter((one) => one.channel !== channel);
    }
    const { version } = this;
    const text = await new Promise<string>((resolve, reject) => {
      this.queue.push({ id: this.next++, line, channel, resolve, reject });
      this.pump();
    });
    if (text.length < 4e6 && version === this.version) {
      this.cache.set(line, text);
      if (this.cache.size > 400) this.cache.delete(this.cache.keys().next().value as string);
    }
    return text;
  }

  async ask<T extends Answer = Answer>(request: Request, channel?: string): Promise<T> {
    return parseAnswer(await this.askText(request, channel)) as T;
  }

  async putFile(name: string, bytes: Uint8Array): Promise<void> {
    await this.ready;
    this.files.set(name, bytes);
    ++this.version;
    this.cache.clear();
    this.send({ kind: 'file', name, bytes });
  }

  hasFile(name: string): boolean {
    return this.files.has(name);
  }

  /** Ends the question that is being worked on, and all that wait. */
  stop(): void {
    const ended = this.current ? [this.current, ...this.queue] : this.queue;
    this.queue = [];
    this.current = undefined;
    this.restart();
    for (const one of ended) one.reject(new Stopped());
    this.say({ since: null, stage: '', done: 0, total: 0 });
  }

  private async start(): Promise<void> {
    this.module = await this.compile();
    await new Promise<void>((resolve, reject) => {
      this.begun = { resolve, reject };
      this.restart();
    });
  }

  private restart(): void {
    this.worker?.terminate();
    const worker = this.makeWorker();
    this.worker = worker;
    worker.onmessage = (event: MessageEvent<ToPage>) => {
      if (worker === this.worker) this.receive(event.data);
    };
    worker.onerror = (event) => {
      if (worker === this.worker) this.fail(event.message);
    };
    if (this.module) this.send({ kind: 'start', module: this.module, ...(this.rest !== undefined && { rest: this.rest }) });
    for (const [name, bytes] of this.files) this.send({ kind: 'file', name, bytes });
  }

  private send(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private pump(): void {
    if (this.current) return;
    const one = this.queue.shift();
    if (!one) return;
    if (!this.worker) this.restart();
    this.current = one;
    this.say({ since: performance.now(), stage: '', done: 0, total: 0 });
    this.send({ kind: 'ask', id: one.id, line: one.line });
  }

  private receive(message: ToPage): void {
    if (message.kind === 'verbs') {
      this.verbs = JSON.parse(message.text) as VerbJson[];
      this.begun?.resolve();
      this.say({ ...this.status });
    } else if (message.kind === 'advanced') {
      this.say({ ...this.status, stage: message.stage, done: message.done, total: message.total });
    } else if (message.kind === 'failed') {
      this.fail(message.text);
    } else if (message.kind === 'answer' && this.current?.id === message.id) {
      const { resolve } = this.current;
      this.current = undefined;
      this.last = message.milliseconds;
      resolve(message.text);
      this.pump();
      if (!this.current) this.say({ since: null, stage: '', done: 0, total: 0 });
    }
  }

  // The engine trapped, out of memory or of stack, or could not start. It starts again for the next question, not
  // before: an engine that cannot start would do so for ever.
  private fail(text: string): void {
    const failed = this.current;
    this.current = undefined;
    this.worker?.terminate();
    this.worker = undefined;
    this.begun?.reject(new Error(text));
    failed?.reject(new Error(`the engine stopped: ${text}; the next question starts it again`));
    this.pump();
    if (!this.current) this.say({ since: null, stage: '', done: 0, total: 0 });
  }

  private say(status: Status): void {
    this.status = status;
    for (const listener of this.listeners) listener();
  }
}
