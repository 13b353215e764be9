import { type FileHandle, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { openRegularFile } from '../../platform/security/regular-file.js';
import type { ShapeOf } from '../requests/check-shape.js';
import {
  AUDIT_FACES,
  AUDIT_OUTCOMES,
  type AuditRecord,
  type ChainEnd,
  CURRENT_FILE,
  rotatedFiles,
} from './audit-record.js';
import { lineHash } from './line-hash.js';

/** A line of ours is shorter; a longer one is not read. */
const MOST_LINE_BYTES = 4_194_304;

const auditRecord = z.looseObject({
  at: z.string(),
  face: z.enum(AUDIT_FACES),
  action: z.string(),
  outcome: z.enum(AUDIT_OUTCOMES),
  reason: z.string().optional(),
  status: z.int().optional(),
  request: z.string().optional(),
  caller: z.string().optional(),
  shownKey: z.string().optional(),
  address: z.string().optional(),
  tenant: z.string().optional(),
  project: z.string().optional(),
  groups: z.array(z.string()).optional(),
  clearance: z.int().optional(),
  deployment: z
    .object({
      tenantId: z.string(),
      model: z.string().optional(),
      searchEndpoint: z.string().optional(),
      indexName: z.string().optional(),
    })
    .optional(),
  filters: z.unknown().optional(),
  documents: z.array(z.string()).optional(),
  results: z.int().optional(),
  isWithheld: z.literal(true).optional(),
  text: z.string().optional(),
  leftOut: z.int().optional(),
  removed: z
    .object({
      files: z.array(z.string()),
      chains: z.array(z.object({ writer: z.string(), sequence: z.int().min(0), hash: z.string() })),
    })
    .optional(),
  writer: z.string(),
  sequence: z.int().min(0),
  hash: z.string(),
} satisfies ShapeOf<AuditRecord>);

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

/** Where a line stands: what names it, and where it begins in its file, in bytes. A file that is put aside keeps both. */
export interface AuditPlace extends Pick<AuditRecord, 'writer' | 'sequence'> {
  readonly offset: number;
}

export interface BackwardReading {
  /** Lines without all of these texts are left out. */
  readonly holding: readonly string[];
  /** Bytes that are looked at. */
  readonly mostBytes: number;
  /** Begins below this line. Nothing is read where it is no longer there. @default the end of the log */
  readonly below?: AuditPlace | undefined;
}

/** The last line that was looked at, where the log goes further back. */
export interface BackwardEnd {
  readonly reached?: AuditPlace;
}

/**
 * Lines of the log of a data folder, the youngest first, read from its end on; those that cannot be read are left out.
 *
 * @throws RAGError `AUDIT_UNAVAILABLE` where it cannot be read
 */
export async function* readAuditBackwards(
  dataDir: string,
  { holding, mostBytes, below }: BackwardReading,
): AsyncGenerator<{ readonly record: AuditRecord; readonly place: AuditPlace }, BackwardEnd> {
  const folder = join(dataDir, DATA_FOLDERS.audit);
  const held = holding.map((text) => Buffer.from(text));
  let left = mostBytes;
  let begin = below;
  try {
    for (const file of (await filesOf(folder)).reverse()) {
      const path = join(folder, file);
      if (begin !== undefined && !(await holdsLine(path, begin))) continue;
      for await (const { line, offset } of linesBackwards(path, begin?.offset)) {
        left -= line.length + 1;
        const isHeld = held.every((text) => line.includes(text));
        // A reader goes on below a line that can be found again.
        const record = isHeld || left <= 0 ? recordOf(line.toString('utf8')) : undefined;
        if (record === undefined) continue;
        const place = { writer: record.writer, sequence: record.sequence, offset };
        if (isHeld) yield { record, place };
        if (left <= 0) return { reached: place };
      }
      begin = undefined;
    }
  } catch (cause) {
    throw new RAGError('AUDIT_UNAVAILABLE', `The audit log in ${folder} cannot be read.`, { cause });
  }
  return {};
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    const rotated = rotatedFiles(names);
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

const BLOCK_BYTES = 65_536;
const NEWLINE = 10;

/** Opens a file; undefined where it was put aside or removed meanwhile: what is in it is read under its other name the next time. */
async function openOlder(path: string): Promise<Awaited<ReturnType<typeof openRegularFile>> | undefined> {
  try {
    return await openRegularFile(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The lines of a file before a place in it, the last one first, with the places where they begin; those that are too long are left out. */
async function* linesBackwards(
  path: string,
  end: number | undefined,
): AsyncGenerator<{ readonly line: Buffer; readonly offset: number }> {
  const opened = await openOlder(path);
  if (opened === undefined) return;
  const { handle, stats } = opened;
  try {
    let rest: Buffer = Buffer.alloc(0);
    let isTooLong = false;
    for (let at = end ?? stats.size; at > 0; ) {
      const start = Math.max(0, at - BLOCK_BYTES);
      const bytes = Buffer.concat([await readAt(handle, start, at - start), rest]);
      at = start;
      let last = bytes.length;
      while (last > 0) {
        const newline = bytes.lastIndexOf(NEWLINE, last - 1);
        if (newline < 0) break;
        if (!isTooLong) yield { line: bytes.subarray(newline + 1, last), offset: start + newline + 1 };
        isTooLong = false;
        last = newline;
      }
      isTooLong ||= last > MOST_LINE_BYTES;
      rest = isTooLong ? Buffer.alloc(0) : bytes.subarray(0, last);
    }
    if (rest.length > 0) yield { line: rest, offset: 0 };
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

/** Whether a file has a line at its place. */
async function holdsLine(path: string, { writer, sequence, offset }: AuditPlace): Promise<boolean> {
  const opened = await openOlder(path);
  if (opened === undefined) return false;
  try {
    let line = Buffer.alloc(0);
    for (let end = -1; end < 0 && line.length <= MOST_LINE_BYTES; ) {
      const part = await readAt(opened.handle, offset + line.length, BLOCK_BYTES);
      end = part.length === 0 ? 0 : part.indexOf(NEWLINE);
      line = Buffer.concat([line, part.subarray(0, end < 0 ? part.length : end)]);
    }
    const record = recordOf(line.toString('utf8'));
    return record?.writer === writer && record.sequence === sequence;
  } finally {
    await opened.handle.close();
  }
}

/** A line as it is read; `undefined` stands for one that is too long. */
export function auditLineOf(file: string, line: string | undefined): AuditLine {
  const record = line === undefined ? undefined : recordOf(line);
  return record === undefined ? { file } : { file, record };
}

function recordOf(line: string): AuditRecord | undefined {
  try {
    return auditRecord.parse(JSON.parse(line));
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
