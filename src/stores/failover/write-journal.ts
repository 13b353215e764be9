import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../platform/security/private-files.js';
import type { CollectionSpec } from '../vector-store.js';
import type { JournalFiles } from './journal-files.js';
import { FRAME_BYTES, type Frame, findFrame, frameOf, isWhole, readFrame } from './journal-frame.js';
import { type JournalEvent, type JournalState, type Mark, withEvent, withWrite } from './journal-state.js';
import { decodeWrite, type StoreWrite } from './store-write.js';

export interface JournalOptions {
  readonly folder: string;
  /** More writes are refused, in bytes. */
  readonly maxBytes: number;
  readonly files: JournalFiles;
}

/** A write of the journal, and where it stands. */
interface Entry extends Mark {
  readonly offset: number;
  readonly frame: Frame;
}

const FILE = 'journal';
const DRAFT = 'journal.new';
const TOKENS = 2 ** 32;

/**
 * The writes of an index in their order, and what the stores have of them: one file that only grows, until it is made shorter by putting another
 * one in its place. What is appended is synced before this says so. Any process may read it (`refresh`); whoever writes holds the lock.
 */
export class WriteJournal {
  readonly #options: JournalOptions;
  readonly #path: string;
  #handle: FileHandle | undefined;
  #state: JournalState | undefined;
  #entries: Entry[] = [];
  /** End of the last whole record. */
  #end = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#path = join(options.folder, FILE);
  }

  /** As it was last read; undefined where there is none yet. */
  get state(): JournalState | undefined {
    return this.#state;
  }

  /** The last write; throws where there is no journal. */
  get head(): Mark {
    return this.#entries.at(-1) ?? this.known.base;
  }

  get known(): JournalState {
    if (this.#state === undefined) throw new RAGError('INTERNAL', 'The journal was not read.');
    return this.#state;
  }

  /** Whether it does not know a collection. */
  isNew({ name }: CollectionSpec): boolean {
    return this.known.collections[name] === undefined;
  }

  /** What it keeps. */
  get size(): { readonly writes: number; readonly bytes: number } {
    return { writes: this.#entries.length, bytes: this.#end };
  }

  /** Reads what others have appended. */
  refresh(): Promise<JournalState | undefined> {
    return this.#inTurn(() => this.#refresh());
  }

  /** Reads what others have appended and cuts off what somebody died over. Hold the lock. */
  take(): Promise<JournalState | undefined> {
    return this.#inTurn(async () => {
      const state = await this.#refresh();
      const { size } = (await this.#handle?.stat()) ?? { size: 0 };
      if (size > this.#end) {
        // Half a record can only be the last one.
        if (await this.#isFollowed(size)) throw this.#damaged();
        await this.#cut();
      }
      return state;
    });
  }

  /** Begins it. Hold the lock. */
  begin(state: JournalState): Promise<void> {
    return this.#inTurn(() => this.#replace(state, []));
  }

  /** The writes after one, oldest first. */
  after(seq: number): readonly (Mark & { readonly bytes: number })[] {
    const missing = this.#entries.slice(Math.max(0, seq - this.known.base.seq));
    return missing.map(({ seq: number, token, frame }) => ({ seq: number, token, bytes: frame.length }));
  }

  /** Whether this mark is of a write that it has, or of the last one that it had: how far a store is, else undefined. */
  positionOf(mark: Mark | undefined): number | undefined {
    if (mark === undefined) return undefined;
    const { base } = this.known;
    const known = mark.seq === base.seq ? base : this.#entries[mark.seq - base.seq - 1];
    return known?.token === mark.token ? mark.seq : undefined;
  }

  markAt(seq: number): Mark {
    const { base } = this.known;
    const { token } = (seq === base.seq ? base : this.#entries[seq - base.seq - 1]) ?? base;
    return { seq, token };
  }

  /** A single write is kept however long it is. */
  hasRoomFor(body: Buffer): boolean {
    return this.#entries.length === 0 || this.#end + FRAME_BYTES + body.length <= this.#options.maxBytes;
  }

  /** Appends a write, and returns when it is on the disk. Hold the lock. */
  append(write: StoreWrite, body: Buffer): Promise<Mark> {
    return this.#inTurn(async () => {
      const mark = { seq: this.head.seq + 1, token: Math.floor(runtime().random() * TOKENS) };
      const type = write.kind === 'create' || write.kind === 'drop' ? 'change' : 'write';
      const offset = this.#end;
      const bytes = frameOf({ type, ...mark }, body);
      await this.#append(bytes);
      const frame = readFrame(bytes) as Frame;
      this.#entries.push({ ...mark, offset, frame });
      this.#state = withWrite(this.known, write);
      return mark;
    });
  }

  /** Notes a change of the state, and returns when it is on the disk. Hold the lock. */
  note(event: JournalEvent): Promise<void> {
    return this.#inTurn(async () => {
      await this.#append(frameOf({ type: 'event' }, Buffer.from(JSON.stringify(event))));
      this.#state = withEvent(this.known, event);
    });
  }

  /** @throws RAGError `INDEX_DAMAGED` where it is not what was written */
  read(seq: number): Promise<StoreWrite> {
    return this.#inTurn(async () => {
      const entry = this.#entries[seq - this.known.base.seq - 1];
      const body = entry && (await this.#bytes(entry.offset + FRAME_BYTES, entry.frame.length));
      if (body === undefined || !isWhole(entry?.frame as Frame, body)) throw this.#damaged();
      return decodeWrite(body);
    });
  }

  /** Forgets the writes up to one. Hold the lock. */
  shorten(upTo: number): Promise<void> {
    return this.#inTurn(async () => {
      const { base, voided, ...state } = this.known;
      if (upTo <= base.seq) return;
      const kept = this.#entries.filter(({ seq }) => seq > upTo);
      const bytes: Buffer[] = [];
      for (const { offset, frame } of kept) bytes.push(await this.#bytes(offset, FRAME_BYTES + frame.length));
      await this.#replace(
        { ...state, base: this.markAt(upTo), voided: voided.filter((seq) => seq > upTo) },
        bytes,
      );
    });
  }

  async close(): Promise<void> {
    await this.#inTurn(() => this.#forget());
    this.#isClosed = true;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #refresh(): Promise<JournalState | undefined> {
    if (this.#isClosed)
      throw new RAGError('STORE_UNAVAILABLE', 'The stores are closed; open the manager or the engine anew.');
    const { files } = this.#options;
    const there = await files.stat(this.#path).catch(ifMissing);
    if (there === undefined) {
      await this.#forget();
      return undefined;
    }
    // A pipe in its place would be waited for without an end.
    if (!there.isFile()) throw this.#damaged();
    const open = await this.#handle?.stat();
    // The file that is open keeps its number for as long as it is open, so that no other one has it.
    if (open === undefined || open.ino !== there.ino || there.size < this.#end) {
      await this.#forget();
      this.#handle = await files.open(this.#path, 'r+');
    } else if (there.size === this.#end) return this.#state;
    await this.#scan();
    return this.#state;
  }

  /** Reads whole records from the end of the last one on. */
  async #scan(): Promise<void> {
    const size = (await this.#handle?.stat())?.size ?? 0;
    while (this.#end < size) {
      const offset = this.#end;
      const frame = readFrame(await this.#bytes(offset, FRAME_BYTES));
      const next = frame === undefined ? size + 1 : offset + FRAME_BYTES + frame.length;
      if (frame === undefined || next > size) break;
      // Bodies of writes are long: of these the last alone can have been half written.
      const isRead = frame.type !== 'write' || next === size;
      const body = isRead ? await this.#bytes(offset + FRAME_BYTES, frame.length) : undefined;
      if (body !== undefined && !isWhole(frame, body)) break;
      this.#take(frame, offset, body);
      this.#end = next;
    }
    if (this.#state === undefined) throw this.#damaged();
  }

  /** Whether a record follows what is no whole one. */
  async #isFollowed(size: number): Promise<boolean> {
    const rest = await this.#bytes(this.#end, size - this.#end);
    for (let at = findFrame(rest, 1); at >= 0; at = findFrame(rest, at + 1))
      if (readFrame(rest.subarray(at, at + FRAME_BYTES)) !== undefined) return true;
    return false;
  }

  #take(frame: Frame, offset: number, body: Buffer | undefined): void {
    const { type, seq, token } = frame;
    const json = (): unknown => JSON.parse(body?.toString('utf8') ?? '');
    if (type === 'state') this.#state = json() as JournalState;
    else if (type === 'event') this.#state = withEvent(this.known, json() as JournalEvent);
    else {
      if (seq !== this.head.seq + 1) throw this.#damaged();
      this.#entries.push({ seq, token, offset, frame });
      if (type === 'change' && body !== undefined) this.#state = withWrite(this.known, decodeWrite(body));
    }
  }

  async #bytes(offset: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length);
    let done = 0;
    while (done < length) {
      const read = await this.#handle?.read(buffer, done, length - done, offset + done);
      if (read === undefined || read.bytesRead === 0) break;
      done += read.bytesRead;
    }
    return buffer.subarray(0, done);
  }

  async #append(bytes: Buffer): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined) throw new RAGError('INTERNAL', 'The journal is not open.');
    try {
      await writeAll(handle, bytes, this.#end);
      await handle.sync();
    } catch (error) {
      // What is there of it is cut off before anything else is appended, or found to be half by whoever opens it.
      await this.#cut().catch(() => undefined);
      await this.#forget();
      throw this.#failed(error);
    }
    this.#end += bytes.length;
  }

  async #cut(): Promise<void> {
    await this.#handle?.truncate(this.#end);
    await this.#handle?.sync();
  }

  /** Puts another file in its place: written and synced first, then named, then the folder is synced. */
  async #replace(state: JournalState, entries: readonly Buffer[]): Promise<void> {
    const { files, folder } = this.#options;
    const draft = join(folder, DRAFT);
    try {
      makePrivateFolder(folder);
      await files.rm(draft, { force: true });
      const handle = await files.open(draft, 'wx', PRIVATE_FILE);
      try {
        const first = frameOf({ type: 'state' }, Buffer.from(JSON.stringify(state)));
        await writeAll(handle, Buffer.concat([first, ...entries]), 0);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await files.rename(draft, this.#path);
      await this.#syncFolder(folder);
      // The folder itself may be new.
      await this.#syncFolder(dirname(folder));
    } catch (error) {
      throw this.#failed(error);
    }
    await this.#refresh();
  }

  async #syncFolder(path: string): Promise<void> {
    // Windows opens no folders, and needs none of it.
    if (process.platform === 'win32') return;
    const handle = await this.#options.files.open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  async #forget(): Promise<void> {
    const handle = this.#handle;
    [this.#handle, this.#state, this.#entries, this.#end] = [undefined, undefined, [], 0];
    await handle?.close().catch(() => undefined);
  }

  /** What a write is refused with that does not fit. */
  full(): RAGError {
    const { maxBytes } = this.#options;
    const behind = Object.entries(this.known.stores).filter(([, { status }]) => status === 'behind');
    const names = behind.map(
      ([name, { since }]) => `"${name}"${since === undefined ? '' : ` since ${since}`}`,
    );
    return new RAGError(
      'STORE_JOURNAL_FULL',
      `The journal of writes that a store lacks is full (${this.#entries.length} writes, ${Math.round(maxBytes / MEGABYTE)} MB, rag.failover.maxJournalMb)${names.length === 0 ? '' : `; behind is ${names.join(', ')}`}. Searches go on. Bring the store back, allow the journal more, or run \`ragstone stores rebuild NAME\`: its part of the journal is given up, and it is copied anew when it is back.`,
      { details: { stores: behind.map(([name]) => name), maxBytes } },
    );
  }

  #damaged(): RAGError {
    return new RAGError(
      'INDEX_DAMAGED',
      `The journal of the stores (${this.#path}) is damaged. Remove its folder while no process uses the index, then run \`ragstone verify --repair\`: the other store is copied anew.`,
    );
  }

  #failed(cause: unknown): RAGError {
    if (RAGError.isInstance(cause)) return cause;
    const code = systemErrorCode(cause) ?? 'unknown error';
    const isFull = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
    return new RAGError(
      isFull ? 'INDEX_DISK_FULL' : 'INDEX_UNAVAILABLE',
      `The journal of the stores (${this.#path}) cannot be written (${code}), so nothing was written to a store. ${isFull ? 'Make room' : 'See to the disk'} and try again.`,
      { cause },
    );
  }
}

const MEGABYTE = 1024 * 1024;

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

function ifMissing(error: unknown): undefined {
  if (systemErrorCode(error) === 'ENOENT') return undefined;
  throw error;
}
