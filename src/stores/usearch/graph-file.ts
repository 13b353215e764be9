import {
  closeSync,
  constants,
  fsyncSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Index } from 'usearch';
import * as z from 'zod';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../platform/security/private-files.js';
import { flushFolderSync, openRegularFileSync } from '../../platform/security/regular-file.js';

/** Version of what a note means. A note of any other version is taken for none, and the graph is built anew. */
const FORMAT = 1;
const SUFFIX = '.usearch';
const READ_BYTES = 1 << 20;
/** How long a file that no note names is left alone: another process may be about to name it. */
const STRAY_MS = 60 * 60 * 1_000;

const noteSchema = z.object({
  format: z.literal(FORMAT),
  file: z.string().regex(/^[A-Za-z0-9_-]+\.[0-9a-f-]+\.usearch$/),
  bytes: z.number(),
  checksum: z.number(),
  dimensions: z.number(),
  /** Rows in the graph, deleted ones too. */
  rows: z.number(),
  /** Every row up to it is in the graph or was deleted before it was built. */
  lastRow: z.number(),
});

/** What the records' database says about a graph file. The file is never changed, so the two cannot disagree for long. */
export type GraphNote = z.output<typeof noteSchema>;

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** The note, or undefined where there is none that this version understands. */
export function parseNote(text: string | undefined): GraphNote | undefined {
  if (text === undefined) return undefined;
  try {
    return noteSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * Whether the file is the one that the note describes. Reads all of it: the driver maps a graph into memory without
 * checking it, and a damaged one would end the process.
 */
export function isIntact(folder: string, note: GraphNote): boolean {
  const path = join(folder, note.file);
  return statSync(path, { throwIfNoEntry: false })?.size === note.bytes && checksumOf(path) === note.checksum;
}

/**
 * Saves a graph under a new name, on disk when this returns. Nothing names the file until its note is written, so a death
 * at any moment leaves the graph before it in use.
 *
 * @throws RAGError `STORE_READ_ONLY`, `STORE_FULL` or `STORE_UNAVAILABLE`.
 */
export function saveGraph(
  graph: Index,
  target: { readonly folder: string; readonly collection: string; readonly lastRow: number },
): GraphNote {
  const file = `${target.collection}.${runtime().uniqueName()}${SUFFIX}`;
  const path = join(target.folder, file);
  const draft = `${path}.tmp`;
  try {
    makePrivateFolder(target.folder);
    // Made here first, because the driver's errors do not tell why a file cannot be made.
    closeSync(openRegularFileSync(draft, NEW, PRIVATE_FILE));
    graph.save(draft);
    syncFile(draft);
    renameSync(draft, path);
    flushFolderSync(target.folder);
  } catch (error) {
    rmSync(draft, { force: true });
    throw saveError(error, target.folder);
  }
  return {
    format: FORMAT,
    file,
    bytes: statSync(path).size,
    checksum: checksumOf(path),
    dimensions: graph.dimensions(),
    rows: graph.size(),
    lastRow: target.lastRow,
  };
}

/** Removes every graph file of a collection, drafts too. */
export function removeGraphs(folder: string, collection: string): void {
  for (const name of graphsIn(folder, collection)) rmSync(join(folder, name), { force: true });
}

/** Removes what earlier deaths left behind beside the file that is in use. */
export function removeStrayGraphs(folder: string, collection: string, inUse: string): void {
  for (const name of graphsIn(folder, collection)) {
    if (name === inUse) continue;
    const changed = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (runtime().now() - changed > STRAY_MS) rmSync(join(folder, name), { force: true });
  }
}

/** Removes one file; on Windows a file that somebody still maps stays until the next time. */
export function removeGraph(folder: string, file: string): void {
  try {
    rmSync(join(folder, file), { force: true });
  } catch (error) {
    if (!['EBUSY', 'EPERM'].includes(systemErrorCode(error) ?? '')) throw error;
  }
}

// A dot is in no collection's name, so no other collection's files begin like this.
const graphsIn = (folder: string, collection: string): string[] =>
  namesIn(folder).filter((name) => name.startsWith(`${collection}.`) && name.includes(SUFFIX));

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function checksumOf(path: string): number {
  const file = openRegularFileSync(path);
  try {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    let sum = 0;
    for (;;) {
      const read = readSync(file, buffer, 0, READ_BYTES, null);
      if (read === 0) return sum;
      sum = crc32(buffer.subarray(0, read), sum);
    }
  } finally {
    closeSync(file);
  }
}

function syncFile(path: string): void {
  const file = openRegularFileSync(path, constants.O_RDWR);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function saveError(error: unknown, folder: string): RAGError {
  const code = systemErrorCode(error) ?? '';
  const details = { folder };
  if (['EACCES', 'EPERM', 'EROFS'].includes(code))
    return new RAGError(
      'STORE_READ_ONLY',
      `The vector index cannot be saved: ${folder} is read-only. Searching still works.`,
      { cause: error, details },
    );
  if (code === 'ENOSPC' || code === 'EDQUOT' || isFull(folder))
    return new RAGError(
      'STORE_FULL',
      `The vector index cannot be saved: the disk of ${folder} is full. Free some space and run the command again.`,
      { cause: error, details },
    );
  return new RAGError('STORE_UNAVAILABLE', `The vector index cannot be saved in ${folder}. See the cause.`, {
    cause: error,
    details,
  });
}

// The driver's own errors have no code.
function isFull(folder: string): boolean {
  try {
    return statfsSync(folder).bavail === 0;
  } catch {
    return false;
  }
}
