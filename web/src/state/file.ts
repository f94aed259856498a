// SPDX-License-Identifier: Apache-2.0
// Files that a reader drops or chooses.

export interface Unpacked {
  name: string;
  bytes: Uint8Array;
  isText: boolean;
}

const MOST_BYTES = 512 << 20;

/** All that a stream holds, or null as soon as that is more than `most` bytes. */
async function contents(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: BlobPart[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > most) {
      await reader.cancel();
      return null;
    }
    parts.push(part.value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/**
 * The bytes of a file, without the compression of gzip, under a name that a request can have; or why there are none.
 * `most` bounds the bytes, also those that are unpacked: a small file may hold much.
 */
export async function unpacked(file: File, most = MOST_BYTES): Promise<Unpacked | { problem: string }> {
  const tooLarge = `is larger than ${most >> 20} MB`;
  if (file.size > most) return { problem: `${file.name} ${tooLarge}` };
  let bytes = new Uint8Array(await file.arrayBuffer());
  let name = file.name.replace(/[^\w.-]+/g, '_') || 'file';
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      const plain = await contents(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')), most);
      if (plain === null) return { problem: `${file.name} ${tooLarge} when it is unpacked` };
      bytes = plain;
      name = name.replace(/\.gz$/, '');
    } catch {
      return { problem: `${file.name} is damaged: it cannot be unpacked` };
    }
  }
  const head = new TextDecoder('utf-8', { fatal: false }).decode(bytes.subarray(0, 4096));
  return { name, bytes, isText: !/[\0-\x08\x0e-\x1f\ufffd]/.test(head) };
}
