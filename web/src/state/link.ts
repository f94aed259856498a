// SPDX-License-Identifier: Apache-2.0
// The whole question in the fragment of the address: JSON, compressed with deflate, in base64 for addresses.

/** A tab, and what its fields hold. */
export interface Question {
  tab: string;
  fields: Record<string, string>;
}

/** What a link holds: a question, or a text as `tessera link` writes it: a command, a layout, a map. */
export type Linked = Question | { text: string };

// A link unpacks to at most this much, whatever it claims.
const MOST = 4 << 20;

async function through(bytes: Uint8Array<ArrayBuffer>, stream: TransformStream<BufferSource, Uint8Array>): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream as TransformStream<Uint8Array<ArrayBuffer>, Uint8Array>).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST) {
      await reader.cancel();
      throw new Error('the link is too large');
    }
    parts.push(value);
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export async function encode(question: Linked): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(question)), new CompressionStream('deflate-raw'));
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Null if the text is no link; it may come from anywhere. */
export async function decode(fragment: string): Promise<Linked | null> {
  const text = fragment.replace(/^#/, '');
  if (!/^[\w-]+$/.test(text) || text.length > MOST) return null;
  try {
    const packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream('deflate-raw'));
    return checked(JSON.parse(new TextDecoder().decode(bytes)) as unknown);
  } catch {
    return null;
  }
}

function checked(value: unknown): Linked | null {
  if (typeof value !== 'object' || value === null) return null;
  const { text, tab, fields } = value as Record<string, unknown>;
  if (typeof text === 'string') return { text };
  if (typeof tab !== 'string' || typeof fields !== 'object' || fields === null) return null;
  const own: Record<string, string> = {};
  for (const [key, one] of Object.entries(fields)) if (typeof one === 'string' && /^[a-z_]+$/.test(key)) own[key] = one;
  return { tab, fields: own };
}
