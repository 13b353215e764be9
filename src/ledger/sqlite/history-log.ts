import { numberAt, text, textAt } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import type { HistoryPart, PlannedHistory } from '../history.js';
import { historyDigest, historyFacts } from '../history-rows.js';
import type { LedgerDocument, PlannedDocument } from '../ledger.js';
import { originalText, storableText } from '../ledger-text.js';
import type { Books } from './books.js';
import { chunksOf } from './chunks.js';
import { findDocument, rowIdOf } from './documents.js';

/*
 * How history is written: inside the transactions that plan, commit and forget documents, so that a death can neither lose a version nor
 * write it twice.
 */

/** What was written without it makes the record end, and nothing that was planned for it counts any more. */
export function breakHistory(database: SqliteDatabase): void {
  database.run('DELETE FROM history_state');
  database.run('DELETE FROM history_version WHERE valid_from IS NULL');
}

/** Writes down what is planned, in place of what was planned before. */
export function planHistory({ database, generation }: Books, document: PlannedDocument): void {
  const { documentId, history, chunks } = document;
  const digest = historyDigest(document, chunks);
  deletePlanned({ database, generation }, documentId);
  const same = database.row(
    'SELECT content FROM history_version WHERE document_id = ? AND digest = ? AND valid_from IS NOT NULL LIMIT 1',
    storableText(documentId),
    digest,
  );
  const content = same === undefined ? undefined : numberAt(same, 0);
  const version = insertVersion({ database, generation }, document, {
    digest,
    access: history?.access,
    chunks: chunks.length,
    content,
  });
  if (content !== undefined) return;
  for (const [place, part] of (history?.parts ?? []).entries()) insertPart(database, version, place, part);
}

/** See `HistoryWriter.addPart`. */
export function addPart(
  { database, generation }: Books,
  documentId: string,
  place: number,
  part: HistoryPart,
): void {
  const planned = plannedVersion({ database, generation }, documentId);
  // What is shared is there already.
  if (planned !== undefined && planned.content === planned.id) insertPart(database, planned.id, place, part);
}

/** The planned version of a document is there from now on, and the one before is not any more. */
export function commitHistory(books: Books, documentId: string, at: string): void {
  const { database } = books;
  const planned = plannedVersion(books, documentId);
  const open = presentVersion(books, documentId);
  if (planned === undefined) {
    if (open !== undefined && open.digest === presentDigest(books, documentId))
      confirm(database, open.id, at);
    else {
      closeHistory(books, documentId, Date.parse(at));
      breakHistory(database);
    }
    return;
  }
  if (open?.digest === planned.digest) {
    deletePlanned(books, documentId);
    confirm(database, open.id, at);
    return;
  }
  const from = closeHistory(books, documentId, Date.parse(at));
  if (isWhole(database, planned)) {
    database.run(
      'UPDATE history_version SET valid_from = ?, confirmed = ? WHERE id = ?',
      from,
      at,
      planned.id,
    );
    return;
  }
  deletePlanned(books, documentId);
  breakHistory(database);
}

/** A document is gone; says from when on, which is never before what came before. */
export function closeHistory({ database, generation }: Books, documentId: string, at: number): number {
  const stored = storableText(documentId);
  const row = database.row(
    `SELECT max(coalesce(valid_to, valid_from), valid_from) AS latest FROM history_version
     WHERE document_id = ? AND generation = ? AND valid_from IS NOT NULL ORDER BY latest DESC LIMIT 1`,
    stored,
    generation,
  );
  const from = Math.max(at, row === undefined ? 0 : numberAt(row, 0));
  database.run(
    `UPDATE history_version SET valid_to = ? WHERE document_id = ? AND generation = ? AND valid_from IS NOT NULL
       AND valid_to IS NULL`,
    from,
    stored,
    generation,
  );
  return from;
}

/** See `GenerationWriter.forget`. */
export function forgetHistory(books: Books, documentId: string, at: number): void {
  deletePlanned(books, documentId);
  closeHistory(books, documentId, at);
}

/** See `HistoryWriter.unrecorded`. */
export function unrecorded(
  { database, generation }: Books,
  after: string | undefined,
  limit: number,
): string[] {
  return database
    .rows(
      `SELECT ${text('document_id')} FROM document WHERE generation = ? AND indexed_at IS NOT NULL
         AND document_id ${after === undefined ? '>=' : '>'} ? AND ${UNRECORDED} ORDER BY document_id LIMIT ?`,
      generation,
      after === undefined ? '' : storableText(after),
      limit,
    )
    .map((row) => originalText(textAt(row, 0)));
}

/** A document whose present version is not the one that was committed last. */
export const UNRECORDED = `NOT EXISTS (SELECT 1 FROM history_version AS version WHERE version.document_id = document.document_id
  AND version.generation = document.generation AND version.valid_from IS NOT NULL AND version.valid_to IS NULL
  AND version.confirmed = document.indexed_at)`;

/** See `HistoryWriter.record`. */
export function recordHistory(
  books: Books,
  { documentId, indexedAt }: { readonly documentId: string; readonly indexedAt: string },
  history: PlannedHistory,
  at: number,
): boolean {
  const { database } = books;
  const document = findDocument(books, documentId);
  if (document === undefined || document.status !== 'indexed' || document.indexedAt !== indexedAt)
    return false;
  const chunks = presentChunks(books, documentId);
  const given = history.parts.reduce((sum, part) => sum + part.chunks, 0);
  if (given !== chunks.length) return false;
  const from = closeHistory(books, documentId, at);
  const version = insertVersion(books, document, {
    digest: historyDigest(document, chunks),
    access: history.access,
    chunks: chunks.length,
    content: undefined,
  });
  for (const [place, part] of history.parts.entries()) insertPart(database, version, place, part);
  database.run(
    'UPDATE history_version SET valid_from = ?, confirmed = ? WHERE id = ?',
    from,
    indexedAt,
    version,
  );
  return true;
}

interface VersionRow {
  readonly id: number;
  readonly digest: string;
  readonly content: number;
  readonly chunks: number;
}

const VERSION = `SELECT id, ${text('digest')}, content, chunks FROM history_version WHERE document_id = ? AND generation = ?`;

const plannedVersion = (books: Books, documentId: string): VersionRow | undefined =>
  versionRow(books, `${VERSION} AND valid_from IS NULL`, documentId);

const presentVersion = (books: Books, documentId: string): VersionRow | undefined =>
  versionRow(books, `${VERSION} AND valid_from IS NOT NULL AND valid_to IS NULL`, documentId);

function versionRow(
  { database, generation }: Books,
  sql: string,
  documentId: string,
): VersionRow | undefined {
  const row = database.row(sql, storableText(documentId), generation);
  if (row === undefined) return undefined;
  return {
    id: numberAt(row, 0),
    digest: textAt(row, 1),
    content: numberAt(row, 2),
    chunks: numberAt(row, 3),
  };
}

const confirm = (database: SqliteDatabase, id: number, at: string): number =>
  database.run('UPDATE history_version SET confirmed = ? WHERE id = ?', at, id);

function presentChunks(books: Books, documentId: string) {
  const row = rowIdOf(books, documentId);
  const chunks = row === undefined ? [] : chunksOf(books.database, row, documentId);
  return chunks.filter(({ state }) => state !== 'stale');
}

function presentDigest(books: Books, documentId: string): string | undefined {
  const document = findDocument(books, documentId);
  return document === undefined ? undefined : historyDigest(document, presentChunks(books, documentId));
}

function isWhole(database: SqliteDatabase, { content, chunks }: VersionRow): boolean {
  const row = database.row('SELECT coalesce(sum(chunks), 0) FROM history_part WHERE content = ?', content);
  return row !== undefined && numberAt(row, 0) === chunks;
}

function insertVersion(
  { database, generation }: Books,
  document: PlannedDocument | LedgerDocument,
  {
    digest,
    access,
    chunks,
    content,
  }: {
    readonly digest: string;
    readonly access: PlannedHistory['access'];
    readonly chunks: number;
    readonly content: number | undefined;
  },
): number {
  const row = database.row(
    `INSERT INTO history_version (generation, document_id, tenant, source, digest, chunks, content, facts)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    generation,
    storableText(document.documentId),
    storableText(document.tenant),
    storableText(document.source),
    digest,
    chunks,
    content ?? 0,
    Buffer.from(historyFacts(document, access), 'utf8'),
  );
  const id = numberAt(row ?? [], 0);
  if (content === undefined) database.run('UPDATE history_version SET content = id WHERE id = ?', id);
  return id;
}

function insertPart(database: SqliteDatabase, content: number, place: number, part: HistoryPart): void {
  database.run(
    'INSERT OR REPLACE INTO history_part (content, place, chunks, bytes) VALUES (?, ?, ?, ?)',
    content,
    place,
    part.chunks,
    part.bytes,
  );
}

function deletePlanned(books: Books, documentId: string): void {
  const { database } = books;
  const planned = plannedVersion(books, documentId);
  if (planned === undefined) return;
  deleteVersions(database, [planned.id]);
}

/** Deletes versions, and content that none has any more. */
export function deleteVersions(database: SqliteDatabase, ids: readonly number[]): number {
  let deleted = 0;
  for (const id of ids) {
    const row = database.row('DELETE FROM history_version WHERE id = ? RETURNING content', id);
    if (row === undefined) continue;
    deleted++;
    database.run(
      `DELETE FROM history_part WHERE content = ?1 AND NOT EXISTS (SELECT 1 FROM history_version WHERE content = ?1)`,
      numberAt(row, 0),
    );
  }
  return deleted;
}
