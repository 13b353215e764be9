import { closeSync, constants, fstatSync, fsync, writeSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../platform/security/private-files.js';
import { NO_LINK, openRegularFileSync } from '../../platform/security/regular-file.js';
import {
  type AuditEntry,
  type ChainEnd,
  CURRENT_FILE,
  type RemovedFiles,
  rotatedFiles,
} from './audit-record.js';
import { endOfTornLine } from './end-torn-line.js';
import { lineHash } from './line-hash.js';
import { auditLineOf, type BackwardReading, linesOf, readAuditBackwards } from './read-audit.js';

/** How a log is kept. */
export interface AuditLogOptions {
  readonly dataDir: string;
  /** What cannot be logged is not done, and a line is on the disk before the call is answered. */
  readonly required: boolean;
  /** Questions are logged. */
  readonly text: boolean;
  /** Filters are logged. @default true */
  readonly filters?: boolean | undefined;
  /** Metadata fields that are encrypted: what a filter asks of them is not logged. @default none */
  readonly encryptedFields?: readonly string[] | undefined;
  /** Size at which a file is put aside, in bytes. */
  readonly maxFileBytes: number;
  /** Files put aside that are kept; 0 keeps all. */
  readonly keepFiles: number;
  /** Told of a line that could not be written, where that does not stop the call. */
  readonly onFailure: (error: RAGError) => void;
}

interface WaitingEntry {
  readonly entry: AuditEntry;
  readonly at: string;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_LINK;
/** Writes to the disk what the system has of a file; found at each call, so that a test can have a disk fail. */
const flushed = promisify((file: number, done: (error: Error | null) => void) => fsync(file, done));
/** Lines that one write takes. */
const MOST_LINES = 64;
/** Files that one rotation removes: each is read before. Of more the rest goes with the next one. */
const MOST_REMOVED = 4;

/**
 * The audit log of a data folder: a line of JSON for each call, for the owner of the folder alone. Several processes may write at once:
 * each write appends whole lines by one call of the system, which no other write comes between on a local disk. A line that a killed
 * process left torn is ended by the next write, so that it costs no other.
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #folder: string;
  #writer = runtime().uniqueName();
  readonly #waiting: WaitingEntry[] = [];
  #writing: Promise<void> | undefined;
  #removing: Promise<void> | undefined;
  #sequence = 0;
  #lastHash = '';

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#folder = join(options.dataDir, DATA_FOLDERS.audit);
  }

  /** Whether questions are to be handed in. */
  get keepsText(): boolean {
    return this.#options.text;
  }

  /** Whether filters are to be handed in. */
  get keepsFilters(): boolean {
    return this.#options.filters ?? true;
  }

  /** Metadata fields whose values are not to be handed in. */
  get encryptedFields(): readonly string[] {
    return this.#options.encryptedFields ?? [];
  }

  /** Lines of a tenant that hold some texts, the youngest first. Throws `AUDIT_UNAVAILABLE`. */
  linesOf(tenant: string, reading: BackwardReading): ReturnType<typeof readAuditBackwards> {
    const holding = [`"tenant":${JSON.stringify(tenant)}`, ...reading.holding];
    return readAuditBackwards(this.#options.dataDir, { ...reading, holding });
  }

  /**
   * Appends a line. It is written when this resolves.
   *
   * @throws RAGError `AUDIT_UNAVAILABLE` where it cannot be, and `required` is set
   */
  async record(entry: AuditEntry): Promise<void> {
    const at = new Date(runtime().now()).toISOString();
    try {
      await new Promise<void>((written, failed) => {
        this.#waiting.push({ entry, at, written, failed });
        this.#writing ??= this.#writeAll();
      });
    } catch (cause) {
      const error = new RAGError(
        'AUDIT_UNAVAILABLE',
        `The audit log in ${this.#folder} cannot be written. Make room and give this account the right to write there, or set \`rag.audit.required: false\`.`,
        { cause },
      );
      if (this.#options.required) throw error;
      this.#options.onFailure(error);
    }
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#removing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const taken = this.#waiting.splice(0, MOST_LINES);
      try {
        await this.#append(taken);
        for (const { written } of taken) written();
      } catch (error) {
        this.#beginChain();
        for (const { failed } of taken) failed(error);
      }
    }
    this.#writing = undefined;
  }

  /** Of what failed a part may be on the disk: what comes next must not stand as if lines were missing or changed before it. */
  #beginChain(): void {
    this.#writer = runtime().uniqueName();
    this.#sequence = 0;
    this.#lastHash = '';
  }

  async #append(taken: readonly WaitingEntry[]): Promise<void> {
    makePrivateFolder(this.#folder);
    const lines = this.#linesOf(taken);
    const path = join(this.#folder, CURRENT_FILE);
    // Opened for each write: another process may have put the file aside. Waiting for the system's threads five times would take
    // longer than all that is done here, and every call waits for its line.
    const file = openRegularFileSync(path, APPENDING, PRIVATE_FILE);
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.from(`${endOfTornLine(file, size)}${lines.text}`);
      if (writeSync(file, bytes) < bytes.length) throw new Error('The disk took a part of a line.');
      if (this.#options.required) await flushed(file);
      this.#sequence += taken.length;
      this.#lastHash = lines.lastHash;
      if (size + bytes.length < this.#options.maxFileBytes) return;
      // A line about a removal makes room for no other one, however small the files are.
      const isOfCalls = taken.some(({ entry }) => entry.face !== 'log');
      await this.#rotate(file, path, isOfCalls);
    } finally {
      closeSync(file);
    }
  }

  #linesOf(taken: readonly WaitingEntry[]): { readonly text: string; readonly lastHash: string } {
    let hash = this.#lastHash;
    const lines = taken.map(({ entry, at }, index) => {
      const line = { at, ...entry, writer: this.#writer, sequence: this.#sequence + index };
      hash = lineHash(hash, line);
      return `${JSON.stringify({ ...line, hash })}\n`;
    });
    return { text: lines.join(''), lastHash: hash };
  }

  /** Says in the log what is removed and where its chains end, and removes it when that is written. */
  async #removeOldest(names: readonly string[]): Promise<void> {
    const oldest = names.slice(0, -this.#options.keepFiles).slice(0, MOST_REMOVED);
    if (oldest.length === 0) return;
    const removed = await chainEndsOf(this.#folder, oldest);
    const remove = async (): Promise<void> => {
      for (const name of oldest) await rm(join(this.#folder, name), { force: true });
    };
    this.#waiting.push({
      entry: { face: 'log', action: 'remove files', outcome: 'done', removed },
      at: new Date(runtime().now()).toISOString(),
      written: () => {
        this.#removing = remove().catch((error: unknown) => this.#tellRotation(error));
      },
      // They are removed the next time.
      failed: () => undefined,
    });
  }

  // What was written stays written where this fails: the file is then put aside later.
  async #rotate(file: number, path: string, mayRemove: boolean): Promise<void> {
    try {
      await flushed(file);
      const time = timeInName(runtime().now());
      const before = rotatedFiles(await readdir(this.#folder));
      const last = /\d{8}T\d{9}Z/.exec(before.at(-1) ?? '')?.[0] ?? '';
      // Files of one millisecond sort as they were put aside, and so do those of a clock that was set back.
      const name = `audit-${time > last ? time : timeInName(timeOfName(last) + 1)}-${runtime().uniqueName()}.jsonl`;
      await rename(path, join(this.#folder, name));
      if (mayRemove && this.#options.keepFiles > 0) await this.#removeOldest([...before, name]);
    } catch (cause) {
      this.#tellRotation(cause);
    }
  }

  #tellRotation(cause: unknown): void {
    // Another process put it aside.
    if (systemErrorCode(cause) === 'ENOENT') return;
    this.#options.onFailure(
      new RAGError('AUDIT_UNAVAILABLE', `The audit log in ${this.#folder} could not be rotated.`, { cause }),
    );
  }
}

/** ISO-8601 without what a name may not hold: `20261129T023423123Z`. */
const timeInName = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:.]/g, '');
const timeOfName = (time: string): number =>
  Date.parse(time.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)(\d{3}Z)$/, '$1-$2-$3:$4:$5.$6'));

/** Writers whose ends are carried on from one removal to the next. A process is one; the youngest are kept. */
const MOST_CHAINS = 200;

/** Where the chains of files end that are about to be removed, with those of files that were removed before them. */
async function chainEndsOf(folder: string, files: readonly string[]): Promise<RemovedFiles> {
  const ends = new Map<string, ChainEnd>();
  const keep = (end: ChainEnd): void => {
    const known = ends.get(end.writer);
    if (known !== undefined && known.sequence > end.sequence) return;
    // The youngest stand last.
    ends.delete(end.writer);
    ends.set(end.writer, end);
  };
  for (const file of files)
    for await (const line of linesOf(join(folder, file))) {
      const { record } = auditLineOf(file, line);
      if (record === undefined) continue;
      for (const end of record.removed?.chains ?? []) keep(end);
      keep({ writer: record.writer, sequence: record.sequence, hash: record.hash });
    }
  return { files, chains: [...ends.values()].slice(-MOST_CHAINS) };
}
