import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { JournalFiles } from '../../src/stores/failover/journal-files.js';

interface Inode {
  readonly ino: number;
  /** As processes see it. */
  bytes: Buffer;
  /** As it was when it was last synced. */
  synced: Buffer;
}

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

/**
 * A disk that keeps what was synced and nothing else: at a loss of power, bytes that were not synced are gone or half there, and names that
 * were given or taken without the folder being synced are as before.
 */
export class SyncedDisk {
  /** Called before each operation; what it throws is what the operation throws. */
  onOperation: (what: string) => void = () => undefined;
  #names = new Map<string, Inode>();
  #syncedNames = new Map<string, Inode>();
  #inodes = 0;

  get files(): JournalFiles {
    const begin = async (what: string): Promise<void> => this.onOperation(what);
    return {
      open: async (path: string, flags = 'r') => {
        await begin(`open ${basename(path)}`);
        if (flags === 'r' && !this.#names.has(path)) return this.#folder(path);
        if (flags === 'wx' && this.#names.has(path)) throw systemError('EEXIST');
        if (flags === 'wx')
          this.#names.set(path, { ino: ++this.#inodes, bytes: Buffer.alloc(0), synced: Buffer.alloc(0) });
        return this.#handle(this.#at(path), path);
      },
      rename: async (from: string, to: string) => {
        await begin('rename');
        this.#names.set(to, this.#at(from));
        this.#names.delete(from);
      },
      rm: async (path: string) => {
        await begin('rm');
        this.#names.delete(path);
      },
      stat: async (path: string) => statsOf(this.#at(path)),
    } as unknown as JournalFiles;
  }

  /** A backup of it. */
  copy(): SyncedDisk {
    const disk = new SyncedDisk();
    const copies = new Map<Inode, Inode>();
    const copyOf = (inode: Inode): Inode => {
      const copy = copies.get(inode) ?? { ...inode };
      copies.set(inode, copy);
      return copy;
    };
    disk.#inodes = this.#inodes;
    disk.#names = new Map([...this.#names].map(([name, inode]) => [name, copyOf(inode)]));
    disk.#syncedNames = new Map([...this.#syncedNames].map(([name, inode]) => [name, copyOf(inode)]));
    return disk;
  }

  /** Of what was not synced a part may be there. @param torn share of it, from 0 to 1 */
  losePower(torn = 0): void {
    this.#names = new Map(this.#syncedNames);
    for (const inode of this.#names.values()) {
      const { bytes, synced } = inode;
      const kept = bytes.length > synced.length ? Math.floor((bytes.length - synced.length) * torn) : 0;
      inode.bytes = Buffer.concat([synced, bytes.subarray(synced.length, synced.length + kept)]);
      inode.synced = inode.bytes;
    }
  }

  #at(path: string): Inode {
    const inode = this.#names.get(path);
    if (inode === undefined) throw systemError('ENOENT');
    return inode;
  }

  #folder(path: string): FileHandle {
    const sync = async (): Promise<void> => {
      this.onOperation('sync folder');
      for (const name of [...this.#syncedNames.keys()])
        if (dirname(name) === path) this.#syncedNames.delete(name);
      for (const [name, inode] of this.#names) if (dirname(name) === path) this.#syncedNames.set(name, inode);
    };
    return { sync, close: async () => undefined } as unknown as FileHandle;
  }

  #handle(inode: Inode, path: string): FileHandle {
    const begin = (what: string): void => this.onOperation(`${what} ${basename(path)}`);
    return {
      stat: async () => statsOf(inode),
      read: async (buffer: Buffer, offset: number, length: number, position: number) => ({
        bytesRead: inode.bytes.copy(buffer, offset, position, position + length),
        buffer,
      }),
      write: async (buffer: Buffer, offset: number, length: number, position: number) => {
        begin('write');
        const end = Math.max(inode.bytes.length, position + length);
        const bytes = Buffer.alloc(end);
        inode.bytes.copy(bytes);
        buffer.copy(bytes, position, offset, offset + length);
        inode.bytes = bytes;
        return { bytesWritten: length, buffer };
      },
      truncate: async (length: number) => {
        begin('truncate');
        inode.bytes = inode.bytes.subarray(0, length);
      },
      sync: async () => {
        begin('sync');
        inode.synced = inode.bytes;
      },
      close: async () => undefined,
    } as unknown as FileHandle;
  }
}

const statsOf = ({ ino, bytes }: Inode): Stats => ({ ino, size: bytes.length, isFile: () => true }) as Stats;
