import { RAGError } from '../../core/errors.js';
import { numberAt, text, textAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { codeOf } from '../chunk-states.js';
import { documentPlan, type KnownChunks, workFor } from '../document-plan.js';
import type { DocumentPlan, LedgerChunk, PlannedDocument } from '../ledger.js';
import { originalText, storableText } from '../ledger-text.js';
import { byId, chunksOf } from '../rows/chunks.js';
import { forgetRows } from '../rows/document-rows.js';
import { forgetGoneFacts } from '../rows/facts.js';
import { saveGraphs } from '../rows/graph.js';
import { forgetOldStatements } from '../rows/statements.js';
import { encodeText } from '../text-encoding.js';
import type { GenerationDatabase } from './generation-database.js';
import { runProgram } from './run-program.js';

/*
 * The write-ahead log of the store.
 *
 * A store in the ledger's own file takes part in its transactions, and all of this happens in one. Any other store cannot
 * share a transaction with the ledger, so the ledger writes down beforehand what the store may come to hold, and
 * afterwards what it does hold. Two things are always true, whenever the process dies:
 *
 *   1. every chunk that is in the store is in the ledger (nothing can be orphaned);
 *   2. a chunk that the ledger calls `live` is in the store, with the digest written there.
 *
 * One revision goes `plan` -> store upsert -> store delete -> `commit`; a deletion goes `planDeletion` -> store delete ->
 * `forget`. The transactions of the ledger are durable when they return (`synchronous = FULL`), so their order holds over
 * a power cut too. Killed
 *
 *   - inside `plan` or `planDeletion`: the transaction is rolled back; the store was not touched.
 *   - after `plan`, before the store was written: new chunks are `planned` and absent. The next plan writes those that
 *     its revision contains (`toWrite`) and deletes the others (`toDelete`), which the store takes quietly.
 *   - during the upsert: as before, and some of the `planned` chunks are present. They are written again (an upsert is
 *     idempotent) or deleted. A chunk whose metadata changed is `planned` too, because the store may hold either
 *     version of it.
 *   - after the upsert, before or during the delete: chunks of the old revision are `stale`, some of them present. The
 *     next plan deletes them again, or writes them again where its revision has them back.
 *   - after the delete, before `commit`: everything is done but not known to be; the next plan repeats it.
 *   - inside `commit` or `forget`: rolled back; the same as before it.
 *   - after `planDeletion`, before `forget`: all chunks of the document are `stale`. The next run plans the deletion
 *     again, or a new revision when the document has come back.
 *
 * The next run is sure to look at the document again: `plan` and `planDeletion` also make its item `pending` in the same
 * transaction, so that an item that was put back to the version indexed before is not passed over as unchanged.
 */

/** Records what is about to be written; see `Ledger.plan`. */
export function planDocuments(
  target: GenerationDatabase,
  documents: readonly PlannedDocument[],
): DocumentPlan[] {
  const rows = documents.map((document) => beginDocument(target, document));
  const ids = documents.map(({ documentId }) => documentId);
  const known = runProgram(target.database, chunksOf(target.generation, ids));
  const plans = documents.map((document, at) =>
    planChunks(target, rows[at] ?? 0, document, byId(known.get(document.documentId))),
  );
  const graphs = documents.map(({ tenant, graph }, at) => ({ document: rows[at] ?? 0, tenant, graph }));
  runProgram(target.database, saveGraphs(target.generation, graphs));
  runProgram(target.database, forgetOldStatements(rows));
  return plans;
}

function planChunks(
  target: GenerationDatabase,
  row: number,
  document: PlannedDocument,
  before: KnownChunks,
): DocumentPlan {
  const { database } = target;
  saveRevision(database, row, document);
  for (const [ordinal, { chunkId, digest }] of document.chunks.entries()) {
    const known = before.get(chunkId);
    const state = workFor(known, digest) === 'unchanged' ? 'live' : 'planned';
    if (known === undefined) insertChunk(target, row, { chunkId, digest, ordinal, state });
    else if (state === 'planned' || known.ordinal !== ordinal)
      updateChunk(database, row, { chunkId, digest, ordinal, state });
  }
  const plan = documentPlan(document, before);
  for (const chunkId of plan.toDelete) markStale(database, row, chunkId);
  return plan;
}

type ChunkFacts = Omit<LedgerChunk, 'documentId'>;

function insertChunk(
  { database, generation }: GenerationDatabase,
  documentRow: number,
  chunk: ChunkFacts,
): void {
  database.run(
    'INSERT INTO chunk (generation, document, chunk_id, ordinal, digest, state) VALUES (?, ?, ?, ?, ?, ?)',
    generation,
    documentRow,
    storableText(chunk.chunkId),
    chunk.ordinal,
    chunk.digest,
    codeOf(chunk.state),
  );
}

function updateChunk(database: SqliteDatabase, documentRow: number, chunk: ChunkFacts): void {
  database.run(
    'UPDATE chunk SET ordinal = ?, digest = ?, state = ? WHERE document = ? AND chunk_id = ?',
    chunk.ordinal,
    chunk.digest,
    codeOf(chunk.state),
    documentRow,
    storableText(chunk.chunkId),
  );
}

function markStale(database: SqliteDatabase, documentRow: number, chunkId: string): void {
  database.run(
    'UPDATE chunk SET state = ? WHERE document = ? AND chunk_id = ?',
    codeOf('stale'),
    documentRow,
    storableText(chunkId),
  );
}

/** Records that the store has done what was planned for a document; see `Ledger.commit`. */
export function commitDocument(
  target: GenerationDatabase,
  documentId: string,
  { at, keepRevisions }: { at: string; keepRevisions: number },
): void {
  const { database } = target;
  const row = rowIdOf(target, documentId);
  if (row === undefined)
    throw new RAGError('INTERNAL', `Document ${documentId} was to be committed before it was planned.`);
  database.run(
    'UPDATE chunk SET state = ? WHERE document = ? AND state = ?',
    codeOf('live'),
    row,
    codeOf('planned'),
  );
  database.run('DELETE FROM chunk WHERE document = ? AND state = ?', row, codeOf('stale'));
  runProgram(database, forgetGoneFacts([documentId]));
  database.run("UPDATE document SET status = 'indexed', indexed_at = ? WHERE id = ?", at, row);
  pruneRevisions(database, row, keepRevisions);
}

/** Marks all chunks of a document for deletion and returns their ids; an unknown document has none. */
export function planDocumentDeletion(target: GenerationDatabase, documentId: string): string[] {
  const { database } = target;
  const row = rowIdOf(target, documentId);
  if (row === undefined) return [];
  database.run('UPDATE chunk SET state = ? WHERE document = ?', codeOf('stale'), row);
  setDocumentPending(database, row);
  database.run('UPDATE document SET indexed_at = NULL WHERE id = ?', row);
  const chunks = runProgram(database, chunksOf(target.generation, [documentId]));
  return (chunks.get(documentId) ?? []).map(({ chunkId }) => chunkId);
}

/**
 * Forgets a document whose deletion was planned. A chunk that is not `stale` might still be in the store, and would be
 * orphaned there: that is refused.
 */
export function forgetDocument(target: GenerationDatabase, documentId: string): void {
  const { database } = target;
  const row = rowIdOf(target, documentId);
  if (row === undefined) return;
  const kept = database.row(
    'SELECT count(*) FROM chunk WHERE document = ? AND state <> ?',
    row,
    codeOf('stale'),
  );
  if (kept !== undefined && numberAt(kept, 0) > 0)
    throw new RAGError(
      'INTERNAL',
      `Document ${documentId} was to be forgotten before its deletion was planned.`,
    );
  runProgram(database, forgetRows([row]));
  for (const table of ['chunk', 'revision']) database.run(`DELETE FROM ${table} WHERE document = ?`, row);
  database.run('DELETE FROM document WHERE id = ?', row);
  runProgram(database, forgetGoneFacts([documentId]));
}

/** Ids of the documents that chunks belong to, each once. */
export function documentsOfChunks(
  { database, generation }: GenerationDatabase,
  chunkIds: readonly string[],
): ReadonlySet<string> {
  const sql = `SELECT ${text('document_id')} FROM chunk JOIN document ON document.id = chunk.document
    WHERE chunk.generation = ? AND chunk_id = ?`;
  return new Set(
    chunkIds.flatMap((chunkId) => {
      const row = database.row(sql, generation, storableText(chunkId));
      return row === undefined ? [] : [originalText(textAt(row, 0))];
    }),
  );
}

/** See `Ledger.markChunksMissing`. */
export function markMissing({ database, generation }: GenerationDatabase, chunkIds: readonly string[]): void {
  for (const chunkId of chunkIds) {
    const row = database.row(
      'UPDATE chunk SET state = ? WHERE generation = ? AND chunk_id = ? AND state = ? RETURNING document',
      codeOf('planned'),
      generation,
      storableText(chunkId),
      codeOf('live'),
    );
    if (row === undefined) continue;
    const document = numberAt(row, 0);
    database.run("UPDATE document SET status = 'outdated' WHERE id = ? AND status = 'indexed'", document);
    database.run(
      `UPDATE item SET status = 'outdated' WHERE status = 'indexed'
       AND (generation, tenant, source, item_id) =
         (SELECT generation, tenant, source, item_id FROM document WHERE id = ?)`,
      document,
    );
  }
}

/** Key of a document's row, or undefined where the document is unknown. */
function rowIdOf({ database, generation }: GenerationDatabase, documentId: string): number | undefined {
  const sql = 'SELECT id FROM document WHERE generation = ? AND document_id = ?';
  const row = database.row(sql, generation, storableText(documentId));
  return row === undefined ? undefined : numberAt(row, 0);
}

/** Writes the document's facts, makes it and its item `pending`, and returns the key of its row. */
function beginDocument({ database, generation }: GenerationDatabase, document: PlannedDocument): number {
  const row = database.row(
    `INSERT INTO document (generation, document_id, tenant, project, source, source_type, item_id, external_id, revision, title,
       metadata, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')
     ON CONFLICT (generation, document_id) DO UPDATE SET tenant = excluded.tenant, project = excluded.project,
       source = excluded.source, source_type = excluded.source_type, item_id = excluded.item_id,
       external_id = excluded.external_id, revision = excluded.revision, title = excluded.title,
       metadata = excluded.metadata, status = 'pending',
       examined = CASE WHEN revision = excluded.revision THEN examined ELSE 0 END
     RETURNING id`,
    generation,
    storableText(document.documentId),
    storableText(document.tenant),
    document.project === undefined ? null : storableText(document.project),
    storableText(document.source),
    storableText(document.sourceType),
    storableText(document.itemId),
    storableText(document.externalId),
    document.revision,
    document.title === undefined ? null : JSON.stringify(document.title),
    JSON.stringify(document.metadata),
  );
  const id = row === undefined ? undefined : numberAt(row, 0);
  if (id === undefined) throw new Error('RETURNING gave no row');
  setItemPending(database, id);
  return id;
}

/** Makes a document and its item `pending`. */
function setDocumentPending(database: SqliteDatabase, documentRow: number): void {
  database.run("UPDATE document SET status = 'pending' WHERE id = ?", documentRow);
  setItemPending(database, documentRow);
}

function setItemPending(database: SqliteDatabase, documentRow: number): void {
  database.run(
    `INSERT INTO item (generation, tenant, source, item_id, status)
     SELECT generation, tenant, source, item_id, 'pending' FROM document WHERE id = ?
     ON CONFLICT DO UPDATE SET status = 'pending'`,
    documentRow,
  );
}

/** Keeps the text of a planned revision as the newest one of its document. */
function saveRevision(database: SqliteDatabase, documentRow: number, document: PlannedDocument): void {
  const { encoding, bytes } = encodeText(document.text);
  database.run(
    `INSERT INTO revision (document, revision, sequence, encoding, text)
     VALUES (?1, ?2, (SELECT coalesce(max(sequence), 0) + 1 FROM revision WHERE document = ?1), ?3, ?4)
     ON CONFLICT DO UPDATE SET sequence = excluded.sequence`,
    documentRow,
    document.revision,
    encoding,
    bytes,
  );
}

/**
 * Marks the document's revision as indexed and keeps the newest `keep` of the indexed ones. Revisions of attempts that
 * never came to an end are dropped: no chunk of theirs was ever live.
 */
function pruneRevisions(database: SqliteDatabase, documentRow: number, keep: number): void {
  database.run(
    `UPDATE revision SET indexed = 1
     WHERE document = ?1 AND revision = (SELECT revision FROM document WHERE id = ?1)`,
    documentRow,
  );
  database.run(
    `DELETE FROM revision WHERE document = ?1 AND sequence NOT IN
       (SELECT sequence FROM revision WHERE document = ?1 AND indexed = 1 ORDER BY sequence DESC LIMIT ?2)`,
    documentRow,
    keep,
  );
}
