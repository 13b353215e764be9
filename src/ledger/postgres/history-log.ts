import type { RunStatement } from '../../postgres/postgres-database.js';
import type { SqlRow } from '../../postgres/postgres-session.js';
import { codeOf } from '../chunk-states.js';
import type { HistoryPart, PlannedHistory } from '../history.js';
import { historyDigest, historyFacts } from '../history-rows.js';
import type { LedgerDocument, PlannedDocument } from '../ledger.js';
import { hexOf, storableText } from '../ledger-text.js';
import type { OpenBooks } from './books.js';
import { BREAK_HISTORY } from './changes.js';
import { readChunk } from './chunks.js';
import { type DocumentRow, documentKeyOf, openDocuments } from './documents.js';
import { bytesOf, numberOf, storedTextOf } from './row.js';

/*
 * How history is written, as `../sqlite/history-log.ts` describes it: inside the transactions that plan, commit and forget documents.
 */

/** What was written without it makes the record end, and nothing that was planned for it counts any more. */
export const breakHistory = (run: RunStatement): Promise<unknown> => run(`WITH ${BREAK_HISTORY} SELECT 1`);

/** Writes down what is planned, in place of what was planned before. */
export async function planHistories(
  { run, generation }: OpenBooks,
  documents: readonly PlannedDocument[],
): Promise<void> {
  const keys = documents.map(({ documentId }) => documentKeyOf(documentId));
  await deletePlanned({ run, generation }, keys);
  const versions = documents.map((document) => ({
    document,
    digest: historyDigest(document, document.chunks),
    chunks: document.chunks.length,
    history: document.history,
  }));
  await insertVersions({ run, generation }, versions);
}

interface NewVersion {
  readonly document: PlannedDocument | LedgerDocument;
  readonly digest: string;
  readonly chunks: number;
  readonly history: PlannedHistory | undefined;
  /** @default what is equal to one that is there shares its content */
  readonly isWithContent?: boolean;
}

/** Their ids, in their order. */
async function insertVersions(
  { run, generation }: OpenBooks,
  versions: readonly NewVersion[],
): Promise<string[]> {
  const rows = versions.map(({ document, digest, chunks, history, isWithContent = false }, place) => ({
    place,
    document_key: hexOf(documentKeyOf(document.documentId)),
    document_id: storableText(document.documentId),
    tenant: storableText(document.tenant),
    source: storableText(document.source),
    digest,
    chunks,
    with_content: isWithContent,
    facts: historyFacts(document, history?.access),
  }));
  const inserted = await run(
    `WITH given AS (
       SELECT nextval(pg_get_serial_sequence('ragstone_ledger_history_version', 'id')) AS id, * FROM json_to_recordset($2::json)
         AS given (place integer, document_key text, document_id text, tenant text, source text, digest text, chunks integer,
           with_content boolean, facts text)
     ), inserted AS (
       INSERT INTO ragstone_ledger_history_version (id, generation, document_key, document_id, tenant, source, digest, chunks,
         content, facts)
       SELECT id, $1, decode(document_key, 'hex'), document_id, tenant, source, digest, chunks,
         coalesce((SELECT same.content FROM ragstone_ledger_history_version AS same
           WHERE NOT with_content AND same.document_key = decode(given.document_key, 'hex') AND same.digest = given.digest
             AND same.valid_from IS NOT NULL LIMIT 1), id), facts
       FROM given RETURNING id, content
     )
     SELECT place, id, content FROM inserted JOIN given USING (id) ORDER BY place`,
    [generation, JSON.stringify(rows)],
  );
  const parts = inserted.rows.flatMap((row) => {
    const content = numberOf(row, 'content');
    if (content !== numberOf(row, 'id')) return [];
    return (versions[numberOf(row, 'place')]?.history?.parts ?? []).map((part, place) => ({
      content,
      place,
      part,
    }));
  });
  await insertParts(run, parts);
  return inserted.rows.map((row) => storedTextOf(row, 'id'));
}

async function insertParts(
  run: RunStatement,
  parts: readonly { readonly content: number; readonly place: number; readonly part: HistoryPart }[],
): Promise<void> {
  if (parts.length === 0) return;
  await run(
    `INSERT INTO ragstone_ledger_history_part (content, place, chunks, bytes)
     SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::bytea[])
     ON CONFLICT (content, place) DO UPDATE SET chunks = EXCLUDED.chunks, bytes = EXCLUDED.bytes`,
    [
      parts.map(({ content }) => content),
      parts.map(({ place }) => place),
      parts.map(({ part }) => part.chunks),
      parts.map(({ part }) => Buffer.from(part.bytes)),
    ],
  );
}

/** See `HistoryWriter.addPart`. */
export async function addPart(
  { run, generation }: OpenBooks,
  documentId: string,
  place: number,
  part: HistoryPart,
): Promise<void> {
  // What is shared is there already.
  const planned = await run(
    `SELECT id FROM ragstone_ledger_history_version
     WHERE generation = $1 AND document_key = $2 AND valid_from IS NULL AND content = id`,
    [generation, documentKeyOf(documentId)],
  );
  await insertParts(
    run,
    planned.rows.map((row) => ({ content: numberOf(row, 'id'), place, part })),
  );
}

/** The planned versions of documents are there from now on, and those before are not any more. */
export async function commitHistories(
  books: OpenBooks,
  rows: readonly DocumentRow[],
  at: string,
): Promise<void> {
  const { run } = books;
  const known = await knownVersions(books, rows);
  const confirmed: string[] = [];
  const replaced: Buffer[] = [];
  const begun: string[] = [];
  const dropped: Buffer[] = [];
  let isBroken = false;
  for (const { documentKey } of rows) {
    const { planned, open } = known.get(hexOf(documentKey)) ?? {};
    if (planned === undefined) {
      if (open !== undefined && open.digest === (await presentDigest(books, documentKey)))
        confirmed.push(open.id);
      else {
        replaced.push(documentKey);
        isBroken = true;
      }
    } else if (open?.digest === planned.digest) {
      dropped.push(documentKey);
      confirmed.push(open.id);
    } else {
      replaced.push(documentKey);
      if (planned.isWhole) begun.push(planned.id);
      else isBroken = true;
    }
  }
  if (confirmed.length > 0)
    await run('UPDATE ragstone_ledger_history_version SET confirmed = $2 WHERE id = ANY($1::bigint[])', [
      confirmed,
      at,
    ]);
  await deletePlanned(books, dropped);
  await closeHistories(books, replaced, Date.parse(at));
  await openVersions(run, begun, { at: Date.parse(at), confirmed: at });
  if (isBroken) await breakHistory(run);
}

interface KnownVersions {
  readonly planned?: { readonly id: string; readonly digest: string; readonly isWhole: boolean };
  readonly open?: { readonly id: string; readonly digest: string };
}

async function knownVersions(
  { run, generation }: OpenBooks,
  rows: readonly DocumentRow[],
): Promise<Map<string, KnownVersions>> {
  const found = await run(
    `SELECT id, document_key, digest, valid_from IS NULL AS planned,
       chunks = (SELECT coalesce(sum(part.chunks), 0) FROM ragstone_ledger_history_part AS part
         WHERE part.content = version.content) AS whole
     FROM ragstone_ledger_history_version AS version
     WHERE generation = $1 AND document_key = ANY($2::bytea[]) AND valid_to IS NULL`,
    [generation, rows.map(({ documentKey }) => documentKey)],
  );
  const known = new Map<string, KnownVersions>();
  for (const row of found.rows) {
    const key = hexOf(bytesOf(row, 'document_key'));
    const version = {
      id: storedTextOf(row, 'id'),
      digest: storedTextOf(row, 'digest'),
      isWhole: row.whole === true,
    };
    known.set(key, { ...known.get(key), [row.planned === true ? 'planned' : 'open']: version });
  }
  return known;
}

/** A version is never there before the one before it has ended. */
async function openVersions(
  run: RunStatement,
  ids: readonly string[],
  { at, confirmed }: { readonly at: number; readonly confirmed: string },
): Promise<void> {
  if (ids.length === 0) return;
  await run(
    `UPDATE ragstone_ledger_history_version AS version SET confirmed = $3, valid_from = greatest($2::bigint,
       (SELECT max(coalesce(earlier.valid_to, earlier.valid_from)) FROM ragstone_ledger_history_version AS earlier
        WHERE earlier.document_key = version.document_key AND earlier.generation = version.generation
          AND earlier.valid_from IS NOT NULL))
     WHERE id = ANY($1::bigint[])`,
    [ids, at, confirmed],
  );
}

/** Documents are gone, or are about to be something else. */
async function closeHistories(
  { run, generation }: OpenBooks,
  documentKeys: readonly Buffer[],
  at: number,
): Promise<void> {
  if (documentKeys.length === 0) return;
  await run(
    `UPDATE ragstone_ledger_history_version SET valid_to = greatest($3::bigint, valid_from)
     WHERE generation = $1 AND document_key = ANY($2::bytea[]) AND valid_from IS NOT NULL AND valid_to IS NULL`,
    [generation, documentKeys, at],
  );
}

/** See `GenerationWriter.forget`; in milliseconds since 1970. */
export async function forgetHistories(
  books: OpenBooks,
  rows: readonly DocumentRow[],
  at: number,
): Promise<void> {
  const keys = rows.map(({ documentKey }) => documentKey);
  await deletePlanned(books, keys);
  await closeHistories(books, keys, at);
}

async function deletePlanned({ run, generation }: OpenBooks, documentKeys: readonly Buffer[]): Promise<void> {
  if (documentKeys.length === 0) return;
  // Nobody shares what was only planned.
  await run(
    `WITH gone AS (DELETE FROM ragstone_ledger_history_version
       WHERE generation = $1 AND document_key = ANY($2::bytea[]) AND valid_from IS NULL RETURNING id)
     DELETE FROM ragstone_ledger_history_part WHERE content IN (SELECT id FROM gone)`,
    [generation, documentKeys],
  );
}

/** A document whose present version is not the one that was committed last. */
export const UNRECORDED = `documents.indexed_at IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM ragstone_ledger_history_version AS version WHERE version.document_key = documents.document_key
    AND version.generation = documents.generation AND version.valid_from IS NOT NULL AND version.valid_to IS NULL
    AND version.confirmed = documents.indexed_at)`;

/** See `HistoryWriter.record`. The caller holds the row of the document. */
export async function recordHistory(
  books: OpenBooks,
  { documentId, indexedAt }: { readonly documentId: string; readonly indexedAt: string },
  history: PlannedHistory,
  at: number,
): Promise<boolean> {
  const key = documentKeyOf(documentId);
  const [document] = await openDocuments(books, [key]);
  if (document === undefined || document.status !== 'indexed' || document.indexedAt !== indexedAt)
    return false;
  const chunks = await presentChunks(books, key);
  const given = history.parts.reduce((sum, part) => sum + part.chunks, 0);
  if (given !== chunks.length) return false;
  await closeHistories(books, [key], at);
  const digest = historyDigest(document, chunks);
  const [id = ''] = await insertVersions(books, [
    { document, digest, chunks: chunks.length, history, isWithContent: true },
  ]);
  await openVersions(books.run, [id], { at, confirmed: indexedAt });
  return true;
}

async function presentChunks({ run, generation }: OpenBooks, documentKey: Buffer) {
  const { rows } = await run(
    `SELECT chunk_id, chunks.ordinal, digest, state FROM ragstone_ledger_chunk AS chunks
     JOIN ragstone_ledger_document AS documents ON documents.id = chunks.document
     WHERE documents.generation = $1 AND document_key = $2 AND state <> ${codeOf('stale')} ORDER BY ordinal, chunk_id`,
    [generation, documentKey],
  );
  return rows.map((row: SqlRow) => readChunk(row, ''));
}

async function presentDigest(books: OpenBooks, documentKey: Buffer): Promise<string | undefined> {
  const [document] = await openDocuments(books, [documentKey]);
  return document === undefined
    ? undefined
    : historyDigest(document, await presentChunks(books, documentKey));
}
