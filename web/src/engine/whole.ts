// SPDX-License-Identifier: Apache-2.0
// Whole numbers of answers: a number, or beyond 2^53, which a number rounds, its digits.

export type Whole = number | string;

/** The value of a JSON text, in which integers beyond 2^53 become texts with their digits. */
export function parseAnswer(text: string): unknown {
  // Only where a long run of digits occurs at all. Strings are left alone.
  const exact = /\d{16}/.test(text)
    ? text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g, (part) => (part.startsWith('"') || Number.isSafeInteger(Number(part)) ? part : `"${part}"`))
    : text;
  return JSON.parse(exact);
}

/** a + b, exactly. */
export function plus(a: Whole, b: Whole): Whole {
  const sum = Number(a) + Number(b);
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(sum)) return sum;
  const exact = BigInt(a) + BigInt(b);
  return exact === BigInt(Number(exact)) && Number.isSafeInteger(Number(exact)) ? Number(exact) : String(exact);
}

export function minus(a: Whole, b: Whole): Whole {
  return typeof b === 'number' ? plus(a, -b) : plus(a, b.startsWith('-') ? b.slice(1) : `-${b}`);
}

/** Below, at or above 0 as a is below, at or above b. */
export function compare(a: Whole, b: Whole): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [x, y] = [BigInt(a), BigInt(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** With separators of thousands. */
export function grouped(a: Whole): string {
  return (typeof a === 'number' ? a : BigInt(a)).toLocaleString('en');
}
