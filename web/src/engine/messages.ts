// SPDX-License-Identifier: Apache-2.0
// What the page and its worker say to each other.

export type ToWorker =
  /** `rest`: the address of the part that is loaded when a function of it is called. */
  | { kind: 'start'; module: WebAssembly.Module; rest?: string }
  | { kind: 'file'; name: string; bytes: Uint8Array }
  | { kind: 'ask'; id: number; line: string };

export type ToPage =
  | { kind: 'verbs'; text: string }
  | { kind: 'begun'; id: number }
  | { kind: 'answer'; id: number; text: string; milliseconds: number }
  | { kind: 'advanced'; stage: string; done: number; total: number }
  | { kind: 'failed'; text: string };
