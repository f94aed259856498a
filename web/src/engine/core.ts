// SPDX-License-Identifier: Apache-2.0
// The library in WebAssembly: a request as a line of JSON in, an answer as a line of JSON out.
import { ConsoleStdout, Directory, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  tessera_buffer(size: number): number;
  tessera_answer(): number;
  tessera_verbs(): number;
  tessera_size(): number;
  [name: string]: WebAssembly.ExportValue;
}

export type Advanced = (stage: string, done: number, total: number) => void;
/** The part of the engine that web/split.mjs put into a file of its own. */
export type Rest = () => WebAssembly.Module;

// A divided engine imports a stub for each function of the rest that its table has: `placeholder.N` for place N. The first
// call of one loads the rest, which puts its functions into the table.
function stubs(module: WebAssembly.Module, rest: Rest, own: () => WebAssembly.Imports): WebAssembly.ModuleImports {
  let table: WebAssembly.Table | undefined;
  const load = (): WebAssembly.Table => {
    const imports = own();
    new WebAssembly.Instance(rest(), imports);
    return imports['primary']?.['table'] as WebAssembly.Table;
  };
  const out: WebAssembly.ModuleImports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from !== 'placeholder') continue;
    out[name] = (...values: unknown[]) => {
      table ??= load();
      return (table.get(Number(name)) as (...given: unknown[]) => unknown)(...values);
    };
  }
  return out;
}

export class Core {
  private readonly files: PreopenDirectory;
  private readonly exports: Exports;
  private readonly encoder = new TextEncoder();
  private readonly decoder = new TextDecoder();

  private constructor(files: PreopenDirectory, exports: Exports) {
    this.files = files;
    this.exports = exports;
  }

  static async make(module: WebAssembly.Module, advanced: Advanced = () => {}, rest?: Rest): Promise<Core> {
    const files = new PreopenDirectory('/', new Map());
    const print = (line: string): void => console.error(line);
    const wasi = new WASI([], [], [
      new OpenFile(new File([])),
      ConsoleStdout.lineBuffered(print),
      ConsoleStdout.lineBuffered(print),
      files,
    ], { debug: false });
    let core: Core | undefined;
    const imports: WebAssembly.Imports = {
      wasi_snapshot_preview1: wasi.wasiImport as WebAssembly.ModuleImports,
      tessera: {
        advanced: (text: number, length: number, done: number, total: number) => {
          if (core) advanced(core.read(text, length), done, total);
        },
      },
    };
    if (rest) imports['placeholder'] = stubs(module, rest, () => ({ ...imports, primary: instance.exports as WebAssembly.ModuleImports }));
    const instance = await WebAssembly.instantiate(module, imports);
    const exports = instance.exports as Exports;
    wasi.initialize({ exports });
    core = new Core(files, exports);
    return core;
  }

  /** The answer of a request, as `tessera batch` prints it. */
  answer(line: string): string {
    const bytes = this.encoder.encode(line);
    const place = this.exports.tessera_buffer(bytes.length) >>> 0;
    new Uint8Array(this.exports.memory.buffer, place, bytes.length).set(bytes);
    const text = this.exports.tessera_answer();
    return this.read(text, this.exports.tessera_size());
  }

  /** The verbs and their fields, as JSON. */
  verbs(): string {
    const text = this.exports.tessera_verbs();
    return this.read(text, this.exports.tessera_size());
  }

  /** Which functions were called, of an engine that counts them. */
  profile(): Uint8Array {
    const write = this.exports['__write_profile'] as (place: number, size: number) => number;
    const size = write(0, 0);
    const place = this.exports.tessera_buffer(size) >>> 0;
    write(place, size);
    return new Uint8Array(this.exports.memory.buffer, place, size).slice();
  }

  /** Gives the requests a file: its path is its name. */
  putFile(name: string, bytes: Uint8Array): void {
    const folders = name.split('/').filter((part) => part !== '' && part !== '.');
    const last = folders.pop();
    if (last === undefined) return;
    let { contents } = this.files.dir;
    for (const folder of folders) {
      let next = contents.get(folder);
      if (!(next instanceof Directory)) contents.set(folder, next = new Directory(new Map()));
      contents = (next as Directory).contents;
    }
    contents.set(last, new File(bytes));
  }

  private read(place: number, size: number): string {
    return this.decoder.decode(new Uint8Array(this.exports.memory.buffer, place >>> 0, size >>> 0));
  }
}
