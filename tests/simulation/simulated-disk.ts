import type { Dirent, Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { SourceFiles } from '../../src/core/runtime.js';
import type { Faults } from './faults.js';
import type { Scheduler } from './scheduler.js';
import type { SimulatedProcess } from './simulated-process.js';

interface File {
  readonly bytes: Buffer;
  readonly at: number;
}

const systemError = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code, path });

/** Files that people write and processes read. What is opened is read as it was then: who writes puts a new file in its place. */
export class SimulatedDisk {
  readonly root = '/simulated/notes';
  readonly #files = new Map<string, File>();
  readonly #scheduler: Scheduler;
  isAway = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  write(name: string, content: string): void {
    this.#files.set(`${this.root}/${name}`, { bytes: Buffer.from(content), at: this.#scheduler.now });
  }

  remove(name: string): void {
    this.#files.delete(`${this.root}/${name}`);
  }

  /** The files as a process lists and reads them. */
  seenBy(process: SimulatedProcess, faults: () => Faults): SourceFiles {
    const { random } = this.#scheduler;
    const at = <Args extends unknown[], T>(name: string, work: (path: string, ...args: Args) => T) => {
      return async (given: string, ...args: Args): Promise<T> => {
        const path = resolve(given);
        // Most is in memory; sometimes the disk is asked, and others come between.
        if (!process.isAlone && random.chance(0.1))
          await this.#scheduler.wait(random.between(0.1, 30), `${process.name} disk ${name}`, process);
        if (random.chance(faults().disk) || (name === 'readdir' && random.chance(faults().folders)))
          throw systemError('EIO', path);
        return work(path, ...args);
      };
    };
    const stat = at('stat', (path) => this.#stats(path));
    const files = {
      stat,
      lstat: stat,
      realpath: at('realpath', (path) => {
        this.#stats(path);
        return path;
      }),
      readdir: at('readdir', (path, options?: { withFileTypes?: boolean }) => this.#entries(path, options)),
      open: at('open', (path) => this.#handle(path, at)),
    };
    return files as unknown as SourceFiles;
  }

  #isFolder(path: string): boolean {
    if (path === this.root) return true;
    for (const name of this.#files.keys()) if (name.startsWith(`${path}/`)) return true;
    return path === '/' || this.root.startsWith(`${path}/`);
  }

  #stats(path: string): Stats {
    if (this.isAway && path.startsWith(this.root)) throw systemError('ENOENT', path);
    const file = this.#files.get(path);
    if (file === undefined && !this.#isFolder(path)) throw systemError('ENOENT', path);
    const date = new Date(1_600_000_000_000);
    const isFile = file !== undefined;
    return {
      isFile: () => isFile,
      isDirectory: () => !isFile,
      isSymbolicLink: () => false,
      size: file?.bytes.length ?? 0,
      mtime: date,
      mtimeMs: date.getTime(),
      birthtime: date,
      birthtimeMs: 0,
    } as Stats;
  }

  #entries(path: string, { withFileTypes = false } = {}): unknown[] {
    if (!this.#stats(path).isDirectory()) throw systemError('ENOTDIR', path);
    const kinds = new Map<string, boolean>();
    for (const name of this.#files.keys()) {
      if (!name.startsWith(`${path}/`)) continue;
      const rest = name.slice(path.length + 1);
      const isFile = !rest.includes('/');
      kinds.set(isFile ? rest : rest.slice(0, rest.indexOf('/')), isFile);
    }
    const entries = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1));
    if (!withFileTypes) return entries.map(([name]) => name);
    return entries.map(
      ([name, isFile]) =>
        ({
          name,
          isFile: () => isFile,
          isDirectory: () => !isFile,
          isSymbolicLink: () => false,
        }) as Dirent,
    );
  }

  #handle(
    path: string,
    at: <T>(name: string, work: (path: string, ...args: never[]) => T) => (path: string) => Promise<T>,
  ): FileHandle {
    const stats = this.#stats(path);
    const file = this.#files.get(path);
    if (file === undefined) throw systemError('EISDIR', path);
    const name = `${basename(dirname(path))}/${basename(path)}`;
    let offset = 0;
    const handle = {
      stat: async () => stats,
      read: async (buffer: Buffer, start: number, length: number) => {
        await at(`read ${name}`, () => undefined)(path);
        const bytesRead = file.bytes.copy(buffer, start, offset, offset + length);
        offset += bytesRead;
        return { bytesRead, buffer };
      },
      readFile: async () => file.bytes,
      close: async () => undefined,
    };
    return handle as unknown as FileHandle;
  }
}
