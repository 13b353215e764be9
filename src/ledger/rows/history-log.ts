import { codeOf } from '../chunk-states.js';
import type { HistoryPart, HistoryWriter, PlannedHistory } from '../history.js';
import { historyDigest, historyFacts } from '../history-rows.js';
import type { LedgerDocument, PlannedDocument } from '../ledger.js';
import { bigint, boolean, bytes, integer, json, key as keyColumn, text, word } from './columns.js';
import type { GenerationRows } from './document-rows.js';
import { documents } from './documents.js';
import { insert, type Program, returning, run, select } from './program.js';
import { DOCUMENT_KEY, FOR_UPDATE, key, oneOf, type Page, pageOf, type Sql, spelled, sql } from './sql.js';

/*
 * How history is written: inside the transactions that plan, commit and forget documents, so that a death can neither lose a version nor
 * write it twice. A version that is planned has no `valid_from`; one that says the same as another of its document shares the content of that.
 */

const VERSION = {
  generation: integer('generation'),
  documentKey: keyColumn({ sqlite: null, postgres: 'document_key' }),
  documentId: text('document_id'),
  tenant: text('tenant'),
  source: text('source'),
  digest: word('digest'),
  chunks: integer('chunks'),
  content: bigint('content'),
  facts: json('facts'),
};
const PART = {
  content: bigint('content'),
  place: integer('place'),
  chunks: integer('chunks'),
  bytes: bytes('bytes'),
};
const ID = { id: bigint('id') };

const GREATEST = spelled({ sqlite: 'max', postgres: 'greatest' });

/** What was written without it makes the record end, and nothing that was planned for it counts any more. */
export function* breakHistory(): Program<void> {
  yield* run(sql`DELETE FROM @history_state`);
  yield* run(sql`DELETE FROM @history_version WHERE valid_from IS NULL`);
}

/** Versions of documents in a generation. */
const versionsOf = (generation: number, documentIds: readonly string[]): Sql =>
  sql`generation = ${generation} AND ${DOCUMENT_KEY} ${oneOf('key', documentIds)}`;

/** Writes down what is planned, in place of what was planned before. */
export function* planHistories(generation: number, planned: readonly PlannedDocument[]): Program<void> {
  const versions = planned.map((document) => ({
    document,
    digest: historyDigest(document, document.chunks),
  }));
  const ids = planned.map(({ documentId }) => documentId);
  yield* deletePlanned(generation, ids);
  const known = yield* select(
    { documentId: text('document_id'), digest: word('digest'), content: bigint('content') },
    sql`FROM @history_version WHERE ${DOCUMENT_KEY} ${oneOf('key', ids)} AND digest ${oneOf(
      'word',
      versions.map(({ digest }) => digest),
    )} AND valid_from IS NOT NULL`,
  );
  const contents = new Map(
    known.map(({ documentId, digest, content }) => [`${digest} ${documentId}`, content]),
  );
  yield* insertVersions(
    generation,
    versions.map(({ document, digest }) => ({
      ...{ document, digest, chunks: document.chunks.length, history: document.history },
      content: contents.get(`${digest} ${document.documentId}`) ?? 0,
    })),
  );
}

interface NewVersion {
  readonly document: PlannedDocument | LedgerDocument;
  readonly digest: string;
  readonly chunks: number;
  readonly history: PlannedHistory | undefined;
  /** What it shares; 0 where it has its own. */
  readonly content: number;
}

/** Numbers of those with content of their own. */
function* insertVersions(generation: number, versions: readonly NewVersion[]): Program<number[]> {
  yield* insert(
    'history_version',
    VERSION,
    versions.map(({ document, digest, chunks, history, content }) => ({
      ...{ generation, documentKey: document.documentId, documentId: document.documentId },
      ...{ tenant: document.tenant, source: document.source, digest, chunks, content },
      facts: historyFacts(document, history?.access),
    })),
  );
  const owners = new Map(
    versions
      .filter(({ content }) => content === 0)
      .map(({ document, history }) => [document.documentId, history?.parts ?? []]),
  );
  if (owners.size === 0) return [];
  const own = yield* returning(
    { ...ID, documentId: text('document_id') },
    sql`UPDATE @history_version SET content = id WHERE ${versionsOf(generation, [...owners.keys()])} AND content = 0`,
  );
  yield* insertParts(
    own.flatMap(({ id, documentId }) =>
      (owners.get(documentId) ?? []).map((part, place) => ({ content: id, place, ...part })),
    ),
  );
  return own.map(({ id }) => id);
}

const insertParts = (
  parts: readonly (HistoryPart & { readonly content: number; readonly place: number })[],
): Program<void> =>
  insert(
    'history_part',
    PART,
    parts,
    sql`ON CONFLICT (content, place) DO UPDATE SET chunks = excluded.chunks, bytes = excluded.bytes`,
  );

/** See `HistoryWriter.addPart`. */
export function* addPart(
  generation: number,
  ...[documentId, place, part]: Parameters<HistoryWriter['addPart']>
): Program<void> {
  // What is shared is there already.
  const planned = yield* select(
    ID,
    sql`FROM @history_version WHERE ${versionsOf(generation, [documentId])} AND valid_from IS NULL AND content = id`,
  );
  yield* insertParts(planned.map(({ id }) => ({ content: id, place, ...part })));
}

const KNOWN = {
  ...ID,
  documentId: text('document_id'),
  digest: word('digest'),
  isPlanned: boolean('valid_from IS NULL'),
  isWhole: boolean(`chunks = (SELECT coalesce(sum(part.chunks), 0) FROM @history_part AS part
    WHERE part.content = version.content)`),
};

/** The planned versions of documents are there from now on, and those before are not any more. */
export function* commitHistories(
  generation: number,
  documentIds: readonly string[],
  at: string,
): Program<void> {
  const known = yield* select(
    KNOWN,
    sql`FROM @history_version AS version WHERE ${versionsOf(generation, documentIds)} AND valid_to IS NULL`,
  );
  const planned = new Map(known.filter(({ isPlanned }) => isPlanned).map((row) => [row.documentId, row]));
  const open = new Map(known.filter(({ isPlanned }) => !isPlanned).map((row) => [row.documentId, row]));
  const confirmed: number[] = [];
  const replaced: string[] = [];
  const begun: number[] = [];
  const dropped: string[] = [];
  let isBroken = false;
  for (const documentId of new Set(documentIds)) {
    const next = planned.get(documentId);
    const present = open.get(documentId);
    const digest = next === undefined ? yield* presentDigest(generation, documentId) : next.digest;
    if (present !== undefined && present.digest === digest) {
      confirmed.push(present.id);
      if (next !== undefined) dropped.push(documentId);
    } else {
      replaced.push(documentId);
      if (next?.isWhole === true) begun.push(next.id);
      else isBroken = true;
    }
  }
  if (confirmed.length > 0)
    yield* run(sql`UPDATE @history_version SET confirmed = ${at} WHERE id ${oneOf('bigint', confirmed)}`);
  yield* deletePlanned(generation, dropped);
  yield* closeHistories(generation, replaced, Date.parse(at));
  yield* openVersions(begun, Date.parse(at), at);
  if (isBroken) yield* breakHistory();
}

/** A version is never there before the one before it has ended. */
function* openVersions(ids: readonly number[], at: number, confirmed: string): Program<void> {
  if (ids.length > 0)
    yield* run(
      sql`UPDATE @history_version AS version SET confirmed = ${confirmed}, valid_from = ${GREATEST}(${at},
          coalesce((SELECT max(coalesce(earlier.valid_to, earlier.valid_from)) FROM @history_version AS earlier
            WHERE earlier.${DOCUMENT_KEY} = version.${DOCUMENT_KEY} AND earlier.generation = version.generation
              AND earlier.valid_from IS NOT NULL), 0))
        WHERE id ${oneOf('bigint', ids)}`,
    );
}

/** Documents are gone, or are about to be something else. */
function* closeHistories(generation: number, documentIds: readonly string[], at: number): Program<void> {
  if (documentIds.length > 0)
    yield* run(
      sql`UPDATE @history_version SET valid_to = ${GREATEST}(${at}, valid_from)
        WHERE ${versionsOf(generation, documentIds)} AND valid_from IS NOT NULL AND valid_to IS NULL`,
    );
}

/** See `GenerationWriter.forget`; in milliseconds since 1970. */
export function* forgetHistories(
  generation: number,
  documentIds: readonly string[],
  at: number,
): Program<void> {
  yield* deletePlanned(generation, documentIds);
  yield* closeHistories(generation, documentIds, at);
}

function* deletePlanned(generation: number, documentIds: readonly string[]): Program<void> {
  if (documentIds.length > 0)
    yield* deleteVersions(sql`${versionsOf(generation, documentIds)} AND valid_from IS NULL`);
}

/** Deletes versions, and content that none has any more; says how many there were. */
export function* deleteVersions(which: Sql): Program<number> {
  const gone = yield* returning(
    { content: bigint('content') },
    sql`DELETE FROM @history_version WHERE ${which}`,
  );
  const contents = [...new Set(gone.map(({ content }) => content))];
  if (gone.length > 0)
    yield* run(
      sql`DELETE FROM @history_part AS part WHERE content ${oneOf('bigint', contents)} AND NOT EXISTS
        (SELECT 1 FROM @history_version AS version WHERE version.content = part.content)`,
    );
  return gone.length;
}

/** A document, as `documents`, whose present version is not the one that was committed last. */
export const UNRECORDED = sql`documents.indexed_at IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM @history_version AS version WHERE version.${DOCUMENT_KEY} = documents.${DOCUMENT_KEY}
    AND version.generation = documents.generation AND version.valid_from IS NOT NULL AND version.valid_to IS NULL
    AND version.confirmed = documents.indexed_at)`;

/** Writes down what an index holds that had no history before. */
export const historyRecorder = ({
  programs,
  generation,
}: GenerationRows): Pick<HistoryWriter, 'unrecorded' | 'record'> => ({
  unrecorded: (after, limit) =>
    programs.read('find what its history lacks', () => unrecorded(generation, { after, limit })),
  record: (...given) => programs.transaction('record its history', () => recordHistory(generation, ...given)),
});

function* unrecorded(generation: number, page: Page): Program<string[]> {
  const rows = yield* select(
    { documentId: text('document_id') },
    sql`FROM @document AS documents WHERE generation = ${generation} AND ${UNRECORDED} ${pageOf('document_id', page)}`,
  );
  return rows.map(({ documentId }) => documentId);
}

function* recordHistory(
  generation: number,
  ...[{ documentId, indexedAt }, history, at]: Parameters<HistoryWriter['record']>
): Program<boolean> {
  const [document] = yield* documents(generation, sql`${DOCUMENT_KEY} = ${key(documentId)} ${FOR_UPDATE}`);
  if (document?.status !== 'indexed' || document.indexedAt !== indexedAt) return false;
  const chunks = yield* presentChunks(generation, documentId);
  const given = history.parts.reduce((sum, part) => sum + part.chunks, 0);
  if (given !== chunks.length) return false;
  yield* closeHistories(generation, [documentId], at);
  const digest = historyDigest(document, chunks);
  const ids = yield* insertVersions(generation, [
    { document, digest, chunks: chunks.length, history, content: 0 },
  ]);
  yield* openVersions(ids, at, indexedAt);
  return true;
}

const presentChunks = (generation: number, documentId: string) =>
  select(
    { chunkId: text('chunk_id'), digest: word('digest') },
    sql`FROM @chunk AS chunks JOIN @document AS documents ON documents.id = chunks.document
      WHERE documents.generation = ${generation} AND ${DOCUMENT_KEY} = ${key(documentId)} AND state <> ${codeOf('stale')}
      ORDER BY ordinal, chunk_id`,
  );

function* presentDigest(generation: number, documentId: string): Program<string | undefined> {
  const [document] = yield* documents(generation, sql`${DOCUMENT_KEY} = ${key(documentId)} ${FOR_UPDATE}`);
  return document === undefined
    ? undefined
    : historyDigest(document, yield* presentChunks(generation, documentId));
}
