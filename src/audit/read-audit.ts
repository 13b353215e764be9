import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA_FOLDERS } from '../core/data-folder.js';
import { RAGError, systemErrorCode } from '../core/errors.js';
import { openRegularFile } from '../security/regular-file.js';
import { type AuditRecord, auditRecord, type ChainEnd, CURRENT_FILE, ROTATED_FILE } from './audit-record.js';
import { lineHash } from './line-hash.js';

/** A line of ours is shorter; a longer one is not read. */
const MOST_LINE_BYTES = 4_194_304;

/** A line of the log, or one that is none: torn by the death of a process, or damaged. */
export type AuditLine =
  | { readonly file: string; readonly record: AuditRecord }
  | { readonly file: string; readonly record?: undefined };

/**
 * All lines of the log of a data folder, oldest file first, one at a time. Nothing where there is no log.
 *
 * @throws RAGError `AUDIT_UNAVAILABLE` where it cannot be read
 */
export async function* readAudit(dataDir: string): AsyncGenerator<AuditLine> {
  const folder = join(dataDir, DATA_FOLDERS.audit);
  try {
    for (const file of await filesOf(folder))
      for await (const line of linesOf(join(folder, file))) {
        // A writer that saw the half of another's write took it for a torn line, and ended it once more.
        if (line === '') continue;
        yield auditLineOf(file, line);
      }
  } catch (cause) {
    throw new RAGError('AUDIT_UNAVAILABLE', `The audit log in ${folder} cannot be read.`, { cause });
  }
}

/**
 * Lines of the log of a data folder that hold a text, the youngest first, out of its last bytes; those that cannot be read are left out. `isWhole` of
 * the last one says whether that was all of the log.
 *
 * @throws RAGError `AUDIT_UNAVAILABLE` where it cannot be read
 */
export async function* readAuditBackwards(
  dataDir: string,
  { holding, mostBytes }: { readonly holding: string; readonly mostBytes: number },
): AsyncGenerator<AuditRecord, { readonly isWhole: boolean }> {
  const folder = join(dataDir, DATA_FOLDERS.audit);
  let left = mostBytes;
  try {
    for (const file of (await filesOf(folder)).reverse()) {
      if (left <= 0) return { isWhole: false };
      const held: string[] = [];
      for await (const line of linesOf(join(folder, file))) {
        left -= line?.length ?? 0;
        if (line?.includes(holding) === true) held.push(line);
      }
      for (const line of held.reverse()) {
        const record = recordOf(line);
        if (record !== undefined) yield record;
      }
    }
  } catch (cause) {
    throw new RAGError('AUDIT_UNAVAILABLE', `The audit log in ${folder} cannot be read.`, { cause });
  }
  return { isWhole: true };
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    const rotated = names.filter((name) => ROTATED_FILE.test(name)).sort();
    return names.includes(CURRENT_FILE) ? [...rotated, CURRENT_FILE] : rotated;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The lines of a file; undefined in the place of one that is too long. */
export async function* linesOf(path: string): AsyncGenerator<string | undefined> {
  let rest = Buffer.alloc(0);
  let isTooLong = false;
  try {
    const { handle } = await openRegularFile(path);
    for await (const part of handle.createReadStream() as AsyncIterable<Buffer>) {
      let bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
      for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n')) {
        yield isTooLong ? undefined : bytes.toString('utf8', 0, end);
        isTooLong = false;
        bytes = bytes.subarray(end + 1);
      }
      isTooLong ||= bytes.length > MOST_LINE_BYTES;
      rest = isTooLong ? Buffer.alloc(0) : Buffer.from(bytes);
    }
  } catch (error) {
    // It was put aside or removed meanwhile; what is in it is read under its other name the next time.
    if (systemErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  if (rest.length > 0 || isTooLong) yield isTooLong ? undefined : rest.toString('utf8');
}

/** A line as it is read; `undefined` stands for one that is too long. */
export function auditLineOf(file: string, line: string | undefined): AuditLine {
  const record = line === undefined ? undefined : recordOf(line);
  return record === undefined ? { file } : { file, record };
}

function recordOf(line: string): AuditRecord | undefined {
  try {
    return auditRecord.loose().parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** What the chains of a log say of it. */
export interface AuditFinding {
  readonly file: string;
  /** In words. */
  readonly problem: string;
}

/**
 * Follows the chains of all writers: each is remembered by its last line alone. A chain whose beginning was removed goes on from where a
 * later line of the log (`removed`) says that it ended, so `end` has the last word.
 */
export class AuditChains {
  readonly #removed = new Map<string, string>();
  readonly #headless: { readonly file: string; readonly record: AuditRecord }[] = [];
  readonly #last = new Map<string, { readonly sequence: number; readonly hash: string }>();

  /** What is wrong with the next line; undefined for one that follows. */
  check({ file, record }: AuditLine): AuditFinding | undefined {
    if (record === undefined)
      return { file, problem: 'A line cannot be read: torn by the death of a process, or damaged.' };
    const { writer, sequence, hash } = record;
    const last = this.#last.get(writer);
    this.#last.set(writer, { sequence, hash });
    const what = named(record);
    for (const end of record.removed?.chains ?? []) this.#removed.set(placeOf(end), end.hash);
    if (last === undefined && sequence > 0) {
      this.#headless.push({ file, record });
      return undefined;
    }
    if (sequence !== (last?.sequence ?? -1) + 1)
      return { file, problem: `Lines are missing or out of order before ${what}.` };
    return lineHash(last?.hash ?? '', record) === hash
      ? undefined
      : { file, problem: `It was changed: ${what}.` };
  }

  /** What is wrong with lines whose beginnings were not there. */
  end(): AuditFinding[] {
    return this.#headless.flatMap(({ file, record }): AuditFinding[] => {
      const { writer, sequence, hash } = record;
      const before = this.#removed.get(placeOf({ writer, sequence: sequence - 1 }));
      if (before === undefined)
        return [
          {
            file,
            problem: `The lines before ${named(record)} are not there, and no line of the log says that they were removed.`,
          },
        ];
      return lineHash(before, record) === hash
        ? []
        : [{ file, problem: `It was changed: ${named(record)}.` }];
    });
  }
}

const placeOf = ({ writer, sequence }: Pick<ChainEnd, 'writer' | 'sequence'>): string =>
  `${writer} ${sequence}`;

const named = ({ sequence, writer, at }: AuditRecord): string =>
  `line ${sequence} of the writer ${writer} (${at})`;
