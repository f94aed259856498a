// SPDX-License-Identifier: Apache-2.0
// Whole numbers of answers: a number, or beyond 2^53, which a number rounds, its digits.

export type Whole = number | string;

const NUMBERS = /(?<![\d.])-?\d{16,}(?![\d.eE])/g;

/** Where a string of a JSON text ends that begins at `begin`: after its closing quote. */
function endOfString(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') ++backslashes;
    if (backslashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** The value of a JSON text, in which integers beyond 2^53 become texts with their digits. */
export function parseAnswer(text: string): unknown {
  // Only where a long run of digits occurs at all.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  // Strings are left alone. They are not found by the expression: reports of 16 MB would exhaust its stack.
  const parts: string[] = [];
  for (let begin = 0; begin < text.length;) {
    const quote = text.indexOf('"', begin);
    const end = quote < 0 ? text.length : quote;
    parts.push(text.slice(begin, end).replace(NUMBERS, (digits) => (Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`)));
    begin = quote < 0 ? end : endOfString(text, quote);
    parts.push(text.slice(end, begin));
  }
  return JSON.parse(parts.join(''));
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
