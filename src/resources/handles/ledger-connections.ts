import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { DATA_FILES } from '../../core/data-folder.js';
import { RAGError } from '../../core/errors.js';
import { beginWriting } from '../../ledger/copying-pause.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { LockRequest, WriterLock } from '../../ledger/lock.js';
import { ledgerError } from '../../ledger/sqlite/ledger-errors.js';
import { discardLedger, openLedger } from '../../ledger/sqlite/open-ledger.js';
import { acquireWriterLock } from '../../ledger/writer-lock.js';
import { encryptFile } from '../../platform/sqlite/encrypted-file.js';
import { sqliteFaultOf } from '../../platform/sqlite/sqlite-fault.js';
import { openLedgerFor, remakeServerLedger } from '../assembly/open-ledger.js';
import { borrowed } from '../assembly/own-parts.js';

/** The connections of one engine to its ledger: one that reads, one that writes. */
export interface LedgerConnections {
  /** File of the ledger, where it is one. */
  readonly path: string;
  /** The ledger for reading; undefined where there is none. */
  reading(): Promise<Ledger | undefined>;
  /**
   * The ledger for writing. Hold the writer lock. Throws `INDEX_DAMAGED` where it cannot be opened, and with `check` also
   * where only a part of it is unsound.
   */
  writing(options: { readonly check: boolean }): Promise<Ledger>;
  /** The reading ledger, or an empty one that is thrown away: a dry run leaves no trace. */
  dry(): Promise<Ledger>;
  /** Throws where what is being written was removed or replaced: nobody can find what was written. */
  assertSame(): void;
  /** Throws `INDEX_UNAVAILABLE` where the folder in which an index was is gone, or another one without an index is in its place. */
  assertThere(): void;
  /** Removes a ledger, a damaged one too. Hold the writer lock. */
  discard(): Promise<void>;
  /** The right to write. Throws `INDEX_LOCKED` naming the holder, or `ABORTED`. */
  lock(request: LockRequest): Promise<WriterLock>;
  close(): Promise<void>;
}

/**
 * To a file in the data folder. Where another process has removed or replaced it, connections are opened anew, and `onReplaced`
 * is told: what was opened beside them is of a file that nobody can find any more.
 */
class FileLedger implements LedgerConnections {
  readonly #folder: string;
  readonly #dataDir: string;
  readonly #keepsHistory: boolean;
  readonly #fileKey: (() => Promise<string>) | undefined;
  readonly #onReplaced: () => void;
  #stamp: string | undefined;
  #reading: Ledger | undefined;
  #writing: Ledger | undefined;
  /** Of a file that was replaced: somebody may still be reading. */
  readonly #outdated: Ledger[] = [];
  readonly #temporary = new TemporaryLedgers();
  /** The folder in which the file was last seen. */
  #seenIn: string | undefined;

  /** One that forgets is in a temporary folder, for a store that forgets; its lock is in the data folder all the same. */
  constructor(
    {
      dataDir,
      forgets,
      keepsHistory,
      fileKey,
    }: {
      readonly dataDir: string;
      readonly forgets: boolean;
      readonly keepsHistory: boolean;
      readonly fileKey: (() => Promise<string>) | undefined;
    },
    onReplaced: () => void,
  ) {
    this.#dataDir = dataDir;
    this.#keepsHistory = keepsHistory;
    this.#fileKey = fileKey;
    this.#folder = forgets ? this.#temporary.folder() : dataDir;
    this.#onReplaced = onReplaced;
  }

  get path(): string {
    return join(this.#folder, DATA_FILES.ledger);
  }

  async reading(): Promise<Ledger | undefined> {
    if (this.#currentStamp() === undefined) {
      this.#watch();
      return undefined;
    }
    const fileKey = await this.#encryptedBy();
    const stamp = this.#watch();
    if (stamp === undefined) return undefined;
    this.#reading ??= openLedger({ path: this.path, readOnly: true, fileKey });
    this.#note(stamp);
    return this.#reading;
  }

  async writing({ check }: { readonly check: boolean }): Promise<Ledger> {
    const fileKey = await this.#encryptedBy();
    this.#watch();
    if (this.#writing !== undefined) return this.#writing;
    const ledger = openLedger({ path: this.path, keepsHistory: this.#keepsHistory, fileKey });
    if (check) await assertSound(ledger, this.path);
    this.#writing = ledger;
    this.#note(this.#currentStamp());
    return ledger;
  }

  /** The key of the file, where it is encrypted. A file in clear is encrypted before its stamp is looked at. */
  async #encryptedBy(): Promise<string | undefined> {
    const fileKey = await this.#fileKey?.();
    if (fileKey === undefined) return undefined;
    try {
      encryptFile(this.path, fileKey);
    } catch (error) {
      if (RAGError.isInstance(error)) throw error;
      throw ledgerError(this.path, sqliteFaultOf(error), error);
    }
    return fileKey;
  }

  async dry(): Promise<Ledger> {
    return (await this.reading()) ?? this.#temporary.open();
  }

  assertSame(): void {
    if (this.#writing === undefined || this.#currentStamp() === this.#stamp) return;
    throw new RAGError(
      'INDEX_DAMAGED',
      `The index's ledger ${this.path} was removed or replaced while it was being written, so what was written is lost. Run \`ragstone index\` again, and let no other program remove files of the data folder meanwhile.`,
    );
  }

  assertThere(): void {
    if (this.#currentStamp() !== undefined || this.#seenIn === undefined) return;
    // One that was cleared is still the same folder.
    if (this.#seenIn === stampOf(this.#folder)) return;
    throw new RAGError(
      'INDEX_UNAVAILABLE',
      `The data folder ${this.#folder} was removed, or another folder without an index is in its place. Put it back (is its disk mounted?), or start anew to begin a new index.`,
    );
  }

  async discard(): Promise<void> {
    await this.#closeAll();
    discardLedger(this.path);
    this.#stamp = undefined;
  }

  lock(request: LockRequest): Promise<WriterLock> {
    return lockFolder(this.#dataDir, request);
  }

  async close(): Promise<void> {
    await this.#closeAll();
    await this.#temporary.close();
  }

  /** The file as it is now; lets go of connections to another one. */
  #watch(): string | undefined {
    const stamp = this.#currentStamp();
    if (this.#stamp !== undefined && stamp !== this.#stamp) {
      for (const ledger of [this.#reading, this.#writing])
        if (ledger !== undefined) this.#outdated.push(ledger);
      this.#reading = undefined;
      this.#writing = undefined;
      this.#stamp = undefined;
      this.#onReplaced();
    }
    return stamp;
  }

  /** Which file is open. */
  #note(stamp: string | undefined): void {
    if (stamp !== undefined && stamp !== this.#stamp) this.#seenIn = stampOf(this.#folder);
    this.#stamp = stamp;
  }

  #currentStamp(): string | undefined {
    return stampOf(this.path);
  }

  async #closeAll(): Promise<void> {
    const open = [this.#reading, this.#writing, ...this.#outdated.splice(0)];
    this.#reading = undefined;
    this.#writing = undefined;
    for (const ledger of open) await ledger?.close();
  }
}

/** To a server that several hosts share. */
class ServerLedger implements LedgerConnections {
  readonly path: string;
  readonly #config: ResolvedConfig;
  readonly #temporary = new TemporaryLedgers();
  #reading: Promise<Ledger | undefined> | undefined;
  #writing: Promise<Ledger> | undefined;

  constructor(config: ResolvedConfig) {
    this.#config = config;
    this.path = join(config.dataDir, DATA_FILES.ledger);
  }

  /** Asked again until another host has made one; a server that did not answer is asked again too. */
  async reading(): Promise<Ledger | undefined> {
    this.#reading ??= this.#openForReading();
    const opening = this.#reading;
    const forget = (): void => {
      if (this.#reading === opening) this.#reading = undefined;
    };
    try {
      const ledger = await opening;
      if (ledger === undefined) forget();
      return ledger;
    } catch (error) {
      forget();
      throw error;
    }
  }

  async writing({ check }: { readonly check: boolean }): Promise<Ledger> {
    this.#writing ??= openLedgerFor(this.#config, { path: this.path });
    const opening = this.#writing;
    opening.catch(() => {
      if (this.#writing === opening) this.#writing = undefined;
    });
    const ledger = await opening;
    // Its connections hold the lock.
    if (check) await assertSound(borrowed(ledger), 'on the server');
    return ledger;
  }

  async dry(): Promise<Ledger> {
    return (await this.reading()) ?? this.#temporary.open();
  }

  /** `clear` of another host waits for the lock. */
  assertSame(): void {}

  assertThere(): void {}

  async discard(): Promise<void> {
    if ((await this.reading()) === undefined) return;
    try {
      await remakeServerLedger(this.#config);
    } catch (error) {
      // A role that did not make the tables may empty them.
      if (!RAGError.isInstance(error) || error.reason !== 'INDEX_READ_ONLY') throw error;
      await (await this.writing({ check: false })).clear();
    }
  }

  async lock(request: LockRequest): Promise<WriterLock> {
    const ledger = await this.writing({ check: false });
    if (ledger.lock === undefined) throw new RAGError('INTERNAL', 'A ledger that hosts share has no lock.');
    return ledger.lock(request);
  }

  async close(): Promise<void> {
    for (const opening of [this.#reading, this.#writing])
      await (await opening?.catch(() => undefined))?.close();
    await this.#temporary.close();
  }

  async #openForReading(): Promise<Ledger | undefined> {
    try {
      return await openLedgerFor(this.#config, { path: this.path, readOnly: true });
    } catch (error) {
      if (RAGError.isInstance(error) && error.reason === 'INDEX_EMPTY') return undefined;
      throw error;
    }
  }
}

/** To one that a program handed in: it is open already, and stays open. */
class OwnLedger implements LedgerConnections {
  readonly path: string;
  readonly #ledger: Ledger;
  readonly #dataDir: string;

  constructor(ledger: Ledger, dataDir: string) {
    this.#ledger = ledger;
    this.#dataDir = dataDir;
    this.path = join(dataDir, DATA_FILES.ledger);
  }

  async reading(): Promise<Ledger> {
    return this.#ledger;
  }

  async writing({ check }: { readonly check: boolean }): Promise<Ledger> {
    if (check) await assertSound(borrowed(this.#ledger), 'that was handed in');
    return this.#ledger;
  }

  async dry(): Promise<Ledger> {
    return this.#ledger;
  }

  assertSame(): void {}

  assertThere(): void {}

  async discard(): Promise<void> {
    throw new RAGError(
      'INDEX_DAMAGED',
      'The ledger that was handed in is damaged, and only who made it can make it anew. Do so, and run `ragstone index` again.',
    );
  }

  lock(request: LockRequest): Promise<WriterLock> {
    return this.#ledger.lock?.(request) ?? lockFolder(this.#dataDir, request);
  }

  async close(): Promise<void> {}
}

/** What a configuration comes down to: a ledger that was handed in, one on a server, or a file. */
export function openConnections(
  config: ResolvedConfig,
  file: { readonly dataDir: string; readonly forgets: boolean },
  onReplaced: () => void,
): LedgerConnections {
  if (config.own?.ledger !== undefined) return new OwnLedger(config.own.ledger, file.dataDir);
  if (config.rag.ledger.type === 'postgres') return new ServerLedger(config);
  const keepsHistory = config.rag.history.keep !== undefined;
  return new FileLedger({ ...file, keepsHistory, fileKey: config.fileKey }, onReplaced);
}

/** Where those lock that are apart from writers. */
const FOLDERS = { upgrading: 'reembed', extracting: 'extraction' } as const;

async function lockFolder(
  folder: string,
  { subject, command, waitMs, isBrief, signal }: LockRequest,
): Promise<WriterLock> {
  const holder = { command, isBrief };
  if (subject === 'upgrading' || subject === 'extracting')
    return acquireWriterLock({ folder: join(folder, FOLDERS[subject]), holder, waitMs, signal });
  const lock = await acquireWriterLock({ folder, holder, waitMs, signal });
  try {
    const writing = await beginWriting(folder, signal);
    return {
      giveWay: () => writing.giveWay(),
      release: async () => {
        writing.end();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function assertSound(ledger: Ledger, place: string): Promise<void> {
  const problems = await ledger.integrity();
  if (problems.length === 0) return;
  await ledger.close();
  throw new RAGError(
    'INDEX_DAMAGED',
    `The index's ledger ${place} is damaged: ${problems.slice(0, 3).join('; ')}`,
  );
}

/** Which file or folder stands under a path now. */
function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/** Ledgers that are thrown away. */
class TemporaryLedgers {
  readonly #folders: string[] = [];
  readonly #opened: Ledger[] = [];

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'ragstone-'));
    this.#folders.push(folder);
    return folder;
  }

  open(): Ledger {
    const ledger = openLedger({ path: join(this.folder(), DATA_FILES.ledger) });
    this.#opened.push(ledger);
    return ledger;
  }

  async close(): Promise<void> {
    for (const ledger of this.#opened) await ledger.close();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }
}
