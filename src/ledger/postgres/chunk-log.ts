import { RAGError } from '../../core/errors.js';
import type { RunStatement } from '../../platform/postgres/postgres-database.js';
import type { SqlRow } from '../../platform/postgres/postgres-session.js';
import { codeOf } from '../chunk-states.js';
import { documentPlan } from '../document-plan.js';
import type { DocumentPlan, LedgerChunk, PlannedDocument } from '../ledger.js';
import { hexOf, keyOf, storableText } from '../ledger-text.js';
import { forgetRows } from '../rows/document-rows.js';
import { forgetGoneFacts } from '../rows/facts.js';
import { saveGraphs } from '../rows/graph.js';
import { forgetOldStatements } from '../rows/statements.js';
import { readChunkState } from '../rows/stored-words.js';
import { encodeText } from '../text-encoding.js';
import { type DocumentRow, documentKeyOf } from './documents.js';
import type { GenerationTransaction } from './generation-database.js';
import { itemKeyOf, setItemsPending, sourceKeyOf } from './items.js';
import { inLockOrder } from './leases.js';
import { bytesOf, numberOf, textOf } from './row.js';
import { runProgram } from './run-program.js';

/*
 * The write-ahead log of the store, as `../sqlite/chunk-log.ts` describes it. Every function is a fixed number of statements,
 * however many documents and chunks there are, and expects that their items are fenced off.
 */

const chunkKeyOf = (chunkId: string): Buffer => keyOf(chunkId);

/** Records what is about to be written; see `GenerationWriter.plan`. */
export async function planDocuments(
  transaction: GenerationTransaction,
  documents: readonly PlannedDocument[],
): Promise<DocumentPlan[]> {
  assertOnce(documents.map(({ documentId }) => documentId));
  assertOnce(documents.flatMap(({ chunks }) => chunks.map(({ chunkId }) => chunkId)));
  await setItemsPending(transaction, documents);
  const known = await beginDocuments(transaction, documents);
  const changes: ChunkChange[] = [];
  const plans = documents.map((document) => {
    const begun = known.get(hexOf(documentKeyOf(document.documentId)));
    if (begun === undefined) throw new RAGError('INTERNAL', 'A planned document was not recorded.');
    const plan = documentPlan(document, begun.chunks);
    changes.push(...changesOf(begun, document, plan));
    return plan;
  });
  await writeChunks(transaction, changes);
  await runProgram(
    transaction.run,
    saveGraphs(
      transaction.generation,
      documents.map(({ documentId, tenant, graph }) => ({
        document: known.get(hexOf(documentKeyOf(documentId)))?.id ?? 0,
        tenant,
        graph,
      })),
    ),
  );
  await runProgram(transaction.run, forgetOldStatements([...known.values()].map(({ id }) => id)));
  return plans;
}

/** A document that is recorded, with the chunks that were known before. */
interface BegunDocument {
  readonly id: number;
  readonly chunks: Map<string, LedgerChunk>;
}

/** Writes facts and texts of documents, makes them `pending`, and reads the chunks known of them. */
async function beginDocuments(
  { run, generation }: GenerationTransaction,
  documents: readonly PlannedDocument[],
): Promise<Map<string, BegunDocument>> {
  const texts = documents.map(({ text }) => encodeText(text));
  const textOfRow = (i: number): string => `($${FIRST_TEXT + i}::bytea, ${i + 1})`;
  const { rows } = await run(
    `WITH planned AS (
       SELECT * FROM ROWS FROM (json_to_recordset($2::json) AS (${PLANNED_COLUMNS})) WITH ORDINALITY
         AS planned (${PLANNED_NAMES}, place)
     ), begun AS (
       INSERT INTO ragstone_ledger_document AS documents (generation, document_key, item_key, source_key, revision_key,
         document_id, tenant, project, source, source_type, item_id, external_id, revision, title, metadata, redactions,
         status)
       SELECT $1, decode(document_key, 'hex'), decode(item_key, 'hex'), decode(source_key, 'hex'),
         decode(revision_key, 'hex'), document_id, tenant, project, source, source_type, item_id, external_id, revision,
         title, metadata, redactions, 'pending'
       FROM planned ORDER BY document_key
       ON CONFLICT (generation, document_key) DO UPDATE SET item_key = EXCLUDED.item_key,
         source_key = EXCLUDED.source_key, revision_key = EXCLUDED.revision_key, tenant = EXCLUDED.tenant,
         project = EXCLUDED.project, source = EXCLUDED.source, source_type = EXCLUDED.source_type,
         item_id = EXCLUDED.item_id, external_id = EXCLUDED.external_id, revision = EXCLUDED.revision,
         title = EXCLUDED.title, metadata = EXCLUDED.metadata, redactions = EXCLUDED.redactions, status = 'pending',
         examined = CASE WHEN documents.revision_key = EXCLUDED.revision_key
           THEN documents.examined ELSE 0 END
       RETURNING id, document_key, revision_key
     ), texts AS (
       INSERT INTO ragstone_ledger_revision (document, revision_key, sequence, encoding, text)
       SELECT begun.id, begun.revision_key,
         (SELECT coalesce(max(sequence), 0) + 1 FROM ragstone_ledger_revision WHERE document = begun.id),
         planned.encoding, given.text
       FROM begun JOIN planned ON decode(planned.document_key, 'hex') = begun.document_key
         JOIN (VALUES ${documents.map((_, i) => textOfRow(i)).join(', ')}) AS given (text, place) USING (place)
       ON CONFLICT (document, revision_key) DO UPDATE SET sequence = EXCLUDED.sequence
     )
     SELECT begun.id, begun.document_key, chunk_id, ordinal, digest, state
     FROM begun LEFT JOIN ragstone_ledger_chunk ON document = begun.id ORDER BY begun.id, ordinal, chunk_id`,
    [
      generation,
      JSON.stringify(documents.map((document, i) => plannedRow(document, texts[i]?.encoding ?? 'utf8'))),
      ...texts.map(({ bytes }) => bytes),
    ],
  );
  return begunOf(rows);
}

/** Number of the first parameter that holds a text. */
const FIRST_TEXT = 3;

const PLANNED_NAMES = `document_key, item_key, source_key, revision_key, document_id, tenant, project, source, source_type,
  item_id, external_id, revision, title, metadata, encoding, redactions`;

const PLANNED_COLUMNS = PLANNED_NAMES.split(/,\s+/)
  .map((name) => `${name} ${name === 'redactions' ? 'jsonb' : 'text'}`)
  .join(', ');

function plannedRow(document: PlannedDocument, encoding: string) {
  const { documentId, tenant, project, source, revision, title, metadata } = document;
  return {
    document_key: hexOf(documentKeyOf(documentId)),
    item_key: hexOf(itemKeyOf(document)),
    source_key: hexOf(sourceKeyOf(tenant, source)),
    revision_key: hexOf(revisionKeyOf(revision)),
    document_id: storableText(documentId),
    tenant: storableText(tenant),
    project: project === undefined ? null : storableText(project),
    source: storableText(source),
    source_type: storableText(document.sourceType),
    item_id: storableText(document.itemId),
    external_id: storableText(document.externalId),
    revision: storableText(revision),
    title: title === undefined ? null : JSON.stringify(title),
    metadata: JSON.stringify(metadata),
    encoding,
    redactions: redactionsOf(document),
  };
}

/** Counts of redactions by type, for sums; null where there are none. */
function redactionsOf({ metadata: { redactions } }: PlannedDocument): Record<string, number> | null {
  if (typeof redactions !== 'object' || redactions === null || Array.isArray(redactions)) return null;
  const counts = Object.entries(redactions).flatMap(([type, count]) =>
    Number.isSafeInteger(count) ? [[storableText(type), Number(count)] as const] : [],
  );
  return counts.length === 0 ? null : Object.fromEntries(counts);
}

/** Rows of documents with their chunks, by the key of the document. */
function begunOf(rows: readonly SqlRow[]): Map<string, BegunDocument> {
  const begun = new Map<string, BegunDocument>();
  for (const row of rows) {
    const key = hexOf(bytesOf(row, 'document_key'));
    const document = begun.get(key) ?? { id: numberOf(row, 'id'), chunks: new Map() };
    begun.set(key, document);
    if (row.chunk_id === null) continue;
    const chunk = readChunk(row, key);
    document.chunks.set(chunk.chunkId, chunk);
  }
  return begun;
}

const readChunk = (row: SqlRow, documentId: string): LedgerChunk => ({
  chunkId: textOf(row, 'chunk_id'),
  documentId,
  ordinal: numberOf(row, 'ordinal'),
  digest: textOf(row, 'digest'),
  state: readChunkState(numberOf(row, 'state')),
});

interface ChunkChange extends Omit<LedgerChunk, 'documentId'> {
  readonly documentRow: number;
}

/** The rows of chunks that a plan changes. */
function changesOf(
  { id, chunks: before }: BegunDocument,
  { chunks }: PlannedDocument,
  plan: DocumentPlan,
): ChunkChange[] {
  const unchanged = new Set(plan.unchanged);
  const written = chunks.flatMap(({ chunkId, digest }, ordinal) => {
    const isSame = unchanged.has(chunkId);
    if (isSame && before.get(chunkId)?.ordinal === ordinal) return [];
    const state = isSame ? 'live' : 'planned';
    return [{ documentRow: id, chunkId, digest, ordinal, state } as const];
  });
  const stale = plan.toDelete.flatMap((chunkId) => {
    const known = before.get(chunkId);
    return known === undefined || known.state === 'stale'
      ? []
      : [{ documentRow: id, chunkId, digest: known.digest, ordinal: known.ordinal, state: 'stale' } as const];
  });
  return [...written, ...stale];
}

async function writeChunks(
  { run, generation }: GenerationTransaction,
  changes: readonly ChunkChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const { count } = await run(
    `INSERT INTO ragstone_ledger_chunk AS chunks (generation, chunk_key, document, chunk_id, ordinal, digest, state)
     SELECT $1, * FROM unnest($2::bytea[], $3::bigint[], $4::text[], $5::integer[], $6::text[], $7::smallint[])
     ON CONFLICT (generation, chunk_key) DO UPDATE SET ordinal = EXCLUDED.ordinal, digest = EXCLUDED.digest,
       state = EXCLUDED.state WHERE chunks.document = EXCLUDED.document`,
    [
      generation,
      changes.map(({ chunkId }) => chunkKeyOf(chunkId)),
      changes.map(({ documentRow }) => documentRow),
      changes.map(({ chunkId }) => storableText(chunkId)),
      changes.map(({ ordinal }) => ordinal),
      changes.map(({ digest }) => storableText(digest)),
      changes.map(({ state }) => codeOf(state)),
    ],
  );
  if (count !== changes.length)
    throw new RAGError('INTERNAL', 'A chunk of one document was planned for another one.');
}

function assertOnce(ids: readonly string[]): void {
  if (new Set(ids).size !== ids.length)
    throw new RAGError('INTERNAL', 'A document or chunk was planned twice in one batch.');
}

/** Records that the store has done what was planned; see `GenerationWriter.commit`. */
export async function commitDocuments(
  { run }: GenerationTransaction,
  rows: readonly DocumentRow[],
  { at, keepRevisions }: { readonly at: string; readonly keepRevisions: number },
): Promise<void> {
  const documents = rows.map(({ id }) => id);
  await run(
    `WITH written AS (UPDATE ragstone_ledger_chunk SET state = ${codeOf('live')}
       WHERE document = ANY($1::bigint[]) AND state = ${codeOf('planned')}),
     deleted AS (DELETE FROM ragstone_ledger_chunk
       WHERE document = ANY($1::bigint[]) AND state = ${codeOf('stale')})
     UPDATE ragstone_ledger_document SET status = 'indexed', indexed_at = $2 WHERE id = ANY($1::bigint[])`,
    [documents, at],
  );
  await runProgram(run, forgetGoneFacts(rows.map(({ documentKey }) => documentKey)));
  await pruneRevisions(run, { documents, keep: keepRevisions });
}

/** Marks all chunks of documents for deletion; their ids, document by document in the order of the rows. */
export async function planDeletions(
  { run }: GenerationTransaction,
  rows: readonly DocumentRow[],
): Promise<string[]> {
  const stale = await run(
    `WITH stale AS (UPDATE ragstone_ledger_chunk SET state = ${codeOf('stale')}
       WHERE document = ANY($1::bigint[]) AND state <> ${codeOf('stale')}),
     pending AS (
       UPDATE ragstone_ledger_document SET status = 'pending', indexed_at = NULL WHERE id = ANY($1::bigint[])),
     items AS (
       INSERT INTO ragstone_ledger_item (generation, item_key, source_key, tenant, source, item_id, status)
       SELECT DISTINCT ON (item_key) generation, item_key, source_key, tenant, source, item_id, 'pending'
       FROM ragstone_ledger_document WHERE id = ANY($1::bigint[]) ORDER BY item_key
       ON CONFLICT (generation, item_key) DO UPDATE SET status = 'pending'
     )
     SELECT chunk_id FROM ragstone_ledger_chunk JOIN unnest($1::bigint[]) WITH ORDINALITY AS wanted (id, place)
       ON document = wanted.id ORDER BY wanted.place, ordinal, chunk_id`,
    [rows.map(({ id }) => id)],
  );
  return stale.rows.map((row) => textOf(row, 'chunk_id'));
}

/**
 * Forgets documents whose deletion was planned. A chunk that is not `stale` might still be in the store, and would be orphaned
 * there: that is refused.
 */
export async function forgetDocuments(
  { run }: GenerationTransaction,
  rows: readonly DocumentRow[],
): Promise<void> {
  const documents = rows.map(({ id }) => id);
  const kept = await run(
    `SELECT document_id FROM ragstone_ledger_document AS documents WHERE id = ANY($1::bigint[]) AND EXISTS
       (SELECT 1 FROM ragstone_ledger_chunk WHERE document = documents.id AND state <> ${codeOf('stale')}) LIMIT 1`,
    [documents],
  );
  if (kept.rows[0] !== undefined)
    throw new RAGError(
      'INTERNAL',
      `Document ${textOf(kept.rows[0], 'document_id')} was to be forgotten before its deletion was planned.`,
    );
  await runProgram(run, forgetRows(documents));
  for (const table of ['ragstone_ledger_chunk', 'ragstone_ledger_revision'])
    await run(`DELETE FROM ${table} WHERE document = ANY($1::bigint[])`, [documents]);
  await run('DELETE FROM ragstone_ledger_document WHERE id = ANY($1::bigint[])', [documents]);
  await runProgram(run, forgetGoneFacts(rows.map(({ documentKey }) => documentKey)));
}

/** Chunks with the keys of their items, which have to be fenced off before `markMissing`. */
export async function itemKeysOfChunks(
  { run, generation }: GenerationTransaction,
  chunkIds: readonly string[],
): Promise<Buffer[]> {
  const { rows } = await run(
    `SELECT DISTINCT item_key FROM ragstone_ledger_chunk AS chunks
     JOIN ragstone_ledger_document AS documents ON documents.id = chunks.document
     WHERE chunks.generation = $1 AND chunk_key = ANY($2::bytea[])`,
    [generation, chunkIds.map(chunkKeyOf)],
  );
  return rows.map((row) => bytesOf(row, 'item_key'));
}

/** See `GenerationWriter.markChunksMissing`. */
export async function markMissing(
  { run, generation }: GenerationTransaction,
  chunkIds: readonly string[],
): Promise<void> {
  await run(
    `WITH missing AS (UPDATE ragstone_ledger_chunk SET state = ${codeOf('planned')}
       WHERE generation = $1 AND chunk_key = ANY($2::bytea[]) AND state = ${codeOf('live')} RETURNING document),
     outdated AS (UPDATE ragstone_ledger_document SET status = 'outdated'
       WHERE id IN (SELECT document FROM missing) AND status = 'indexed')
     UPDATE ragstone_ledger_item SET status = 'outdated' WHERE generation = $1 AND status = 'indexed' AND item_key IN
       (SELECT item_key FROM ragstone_ledger_document WHERE id IN (SELECT document FROM missing))`,
    [generation, inLockOrder(chunkIds.map(chunkKeyOf))],
  );
}

const revisionKeyOf = (revision: string): Buffer => keyOf(revision);

/**
 * Marks the present revision of documents as indexed and keeps the newest `keep` of the indexed ones. Revisions of attempts
 * that never came to an end are dropped: no chunk of theirs was ever live.
 */
async function pruneRevisions(
  run: RunStatement,
  { documents, keep }: { readonly documents: readonly number[]; readonly keep: number },
): Promise<void> {
  await run(
    `WITH ranked AS (
       SELECT revision.document, revision.revision_key, is_kept,
         row_number() OVER (PARTITION BY revision.document, is_kept ORDER BY sequence DESC) AS place
       FROM ragstone_ledger_revision AS revision
       JOIN ragstone_ledger_document AS documents ON documents.id = revision.document,
       LATERAL (SELECT revision.indexed OR revision.revision_key = documents.revision_key AS is_kept) AS kept
       WHERE revision.document = ANY($1::bigint[])
     ), pruned AS (
       DELETE FROM ragstone_ledger_revision AS revision USING ranked
       WHERE revision.document = ranked.document AND revision.revision_key = ranked.revision_key
         AND (NOT is_kept OR place > $2)
     )
     UPDATE ragstone_ledger_revision AS revision SET indexed = true FROM ragstone_ledger_document AS documents
     WHERE documents.id = ANY($1::bigint[]) AND revision.document = documents.id
       AND revision.revision_key = documents.revision_key AND NOT revision.indexed`,
    [documents, keep],
  );
}
