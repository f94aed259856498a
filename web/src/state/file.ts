// SPDX-License-Identifier: Apache-2.0
// Files that a reader drops or chooses.

export interface Unpacked {
  name: string;
  bytes: Uint8Array;
  isText: boolean;
}

/** The bytes of a file, without the compression of gzip, under a name that a request can have; or why there are none. */
export async function unpacked(file: File): Promise<Unpacked | { problem: string }> {
  if (file.size > 512 << 20) return { problem: `${file.name} is larger than 512 MB` };
  let bytes = new Uint8Array(await file.arrayBuffer());
  let name = file.name.replace(/[^\w.-]+/g, '_') || 'file';
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
      bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      name = name.replace(/\.gz$/, '');
    } catch {
      return { problem: `${file.name} is damaged: it cannot be unpacked` };
    }
  }
  const head = new TextDecoder('utf-8', { fatal: false }).decode(bytes.subarray(0, 4096));
  return { name, bytes, isText: !/[\0-\x08\x0e-\x1f\ufffd]/.test(head) };
}
