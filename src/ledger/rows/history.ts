import type { HistoryMark, HistoryVersion, LedgerHistory } from '../history.js';
import { readHistoryFacts } from '../history-rows.js';
import { storableText } from '../ledger-text.js';
import { countChange } from './changes.js';
import { bigint, boolean, bytes, integer, json, optional, type RowOf, text } from './columns.js';
import { breakHistory, deleteVersions, UNRECORDED } from './history-log.js';
import { each, type Program, type ProgramRunner, run, select } from './program.js';
import { DOCUMENT_KEY, FOR_UPDATE, GIVEN, NOTHING, oneOf, type Sql, spelled, sql } from './sql.js';

/* How history is read and ends; see `history-log.ts` for how it comes there. */

/** Tables that `clear` empties. */
export const HISTORY_TABLES = [
  'history_part',
  'history_version',
  'history_mark',
  'history_live',
  'history_state',
] as const;

/** Versions that are deleted in one transaction where all are. */
const AT_ONCE = 500;

const VERSION = {
  id: bigint('id'),
  generation: integer('generation'),
  documentId: text('document_id'),
  tenant: text('tenant'),
  source: text('source'),
  from: bigint('valid_from'),
  to: optional(bigint('valid_to')),
  chunks: integer('chunks'),
  facts: json('facts'),
};

const readVersion = ({ facts, to, ...row }: RowOf<typeof VERSION>): HistoryVersion => ({
  ...readHistoryFacts(facts),
  ...row,
  ...(to === undefined ? {} : { to }),
});

function* versions(rest: Sql): Program<HistoryVersion[]> {
  return (yield* select(VERSION, sql`FROM @history_version WHERE ${rest}`)).map(readVersion);
}

const LIVE = sql`(SELECT generation FROM @generation WHERE state = 'live')`;

const SUMMARY = {
  begins: optional(bigint('(SELECT begins FROM @history_state)')),
  versions: bigint('count(*)'),
  past: bigint('count(valid_to)'),
  bytes: bigint('(SELECT coalesce(sum(length(bytes)), 0) FROM @history_part)'),
};

function* beginsAt(rest: Sql = NOTHING): Program<number | undefined> {
  const [state] = yield* select({ begins: bigint('begins') }, sql`FROM @history_state ${rest}`);
  return state?.begins;
}

function* begin(at: number): Program<boolean> {
  if ((yield* beginsAt(FOR_UPDATE)) !== undefined) return true;
  // What is being written is seen by the question that follows.
  yield* run(spelled({ sqlite: '', postgres: 'LOCK TABLE ragstone_ledger_document IN SHARE MODE' }));
  const [live] = yield* select(
    { generation: integer('generation') },
    sql`FROM @generation WHERE state = 'live'`,
  );
  if (live === undefined || (yield* hasUnrecorded(live.generation))) return false;
  yield* beginHistory(live.generation, at);
  return true;
}

/** Whether a generation holds what the record does not. */
function* hasUnrecorded(generation: number): Program<boolean> {
  const rows = yield* select(
    { id: bigint('id') },
    sql`FROM @document AS documents WHERE generation = ${generation} AND ${UNRECORDED} LIMIT 1`,
  );
  return rows.length > 0;
}

/** Begins the record; what another one left that is past, or is not what the index holds, is deleted. */
function* beginHistory(generation: number, at: number): Program<void> {
  yield* deleteVersions(
    sql`valid_to IS NOT NULL OR (valid_from IS NOT NULL AND NOT EXISTS (SELECT 1 FROM @document AS documents
      WHERE documents.${DOCUMENT_KEY} = @history_version.${DOCUMENT_KEY}
        AND documents.generation = @history_version.generation
        AND documents.indexed_at = @history_version.confirmed))`,
  );
  yield* run(sql`DELETE FROM @history_live`);
  yield* run(sql`DELETE FROM @history_mark`);
  yield* run(sql`INSERT INTO @history_state (only_row, begins) VALUES (${ONLY_ROW}, ${at})`);
  yield* run(sql`INSERT INTO @history_live (since, generation) VALUES (${at}, ${generation})`);
}

const ONLY_ROW = spelled({ sqlite: '1', postgres: 'true' });

/**
 * Another generation is searched from now on. The record ends where it does not hold all of that one, and begins where it does and had not
 * begun.
 */
export function* switchHistory(generation: number, at: number): Program<void> {
  if (yield* hasUnrecorded(generation)) yield* breakHistory();
  else if ((yield* beginsAt(FOR_UPDATE)) === undefined) yield* beginHistory(generation, at);
  else {
    const [last] = yield* select({ since: optional(bigint('max(since)')) }, sql`FROM @history_live`);
    const since = Math.max(at, last?.since ?? 0);
    yield* run(sql`INSERT INTO @history_live (since, generation) VALUES (${since}, ${generation})`);
  }
}

/** Of a generation that is dropped what it held while it was searched stays. */
export function* dropHistory(generation: number): Program<void> {
  const [end] = yield* select(
    { since: bigint('since') },
    sql`FROM @history_live WHERE sequence > (SELECT max(sequence) FROM @history_live WHERE generation = ${generation})
      ORDER BY sequence LIMIT 1`,
  );
  const until = end?.since ?? 0;
  yield* deleteVersions(sql`generation = ${generation} AND (valid_from IS NULL OR valid_from >= ${until})`);
  yield* run(
    sql`UPDATE @history_version SET valid_to = ${until}
      WHERE generation = ${generation} AND (valid_to IS NULL OR valid_to > ${until})`,
  );
}

function* mark(tenant: string, { source, mark, at }: Omit<HistoryMark, 'seen'>): Program<void> {
  const [last] = yield* select(
    { sequence: bigint('sequence'), mark: text('mark') },
    sql`FROM @history_mark WHERE tenant = ${storableText(tenant)} AND source = ${storableText(source)}
      ORDER BY sequence DESC LIMIT 1`,
  );
  if (last?.mark === mark)
    yield* run(sql`UPDATE @history_mark SET seen = ${at} WHERE sequence = ${last.sequence}`);
  else
    yield* run(
      sql`INSERT INTO @history_mark (tenant, source, mark, at, seen)
        VALUES (${storableText(tenant)}, ${storableText(source)}, ${storableText(mark)}, ${at}, ${at})`,
    );
}

/** Searches that were made before are not shown again. */
function* erase(which: Sql): Program<number> {
  const erased = yield* deleteVersions(which);
  if (erased > 0) yield* countChange();
  return erased;
}

function* prune(before: number, limit: number): Program<number> {
  yield* run(sql`UPDATE @history_state SET begins = ${before} WHERE begins < ${before}`);
  const horizon = Math.max(before, (yield* beginsAt()) ?? before);
  const deleted = yield* deleteVersions(
    sql`id IN (SELECT id FROM @history_version WHERE valid_to <= ${horizon} ORDER BY valid_to LIMIT ${limit})`,
  );
  // Of switches before the record begins the last one says what holds at its beginning.
  yield* run(
    sql`DELETE FROM @history_live WHERE sequence <
      (SELECT sequence FROM @history_live WHERE since <= ${horizon} ORDER BY since DESC, sequence DESC LIMIT 1)`,
  );
  yield* run(sql`DELETE FROM @history_mark WHERE seen < ${horizon}`);
  return deleted;
}

async function clear(programs: ProgramRunner): Promise<number> {
  let deleted = 0;
  await programs.transaction('end its history', breakHistory);
  for (;;) {
    const count = await programs.transaction('clear its history', () =>
      deleteVersions(sql`id IN (SELECT id FROM @history_version LIMIT ${AT_ONCE})`),
    );
    deleted += count;
    if (count < AT_ONCE) break;
  }
  await programs.transaction('clear its history', function* () {
    yield* run(sql`DELETE FROM @history_part`);
    yield* run(sql`DELETE FROM @history_live`);
    yield* run(sql`DELETE FROM @history_mark`);
  });
  return deleted;
}

/** The history in a ledger. */
export const ledgerHistory = (programs: ProgramRunner): LedgerHistory => ({
  summary: async () => {
    const [row] = await programs.read('tell what history it keeps', () =>
      select(SUMMARY, sql`FROM @history_version WHERE valid_from IS NOT NULL`),
    );
    const { begins, versions = 0, past = 0, bytes = 0 } = row ?? {};
    return { ...(begins === undefined ? {} : { begins }), versions, past, bytes };
  },
  begins: () => programs.read('tell when its history begins', () => beginsAt()),
  isEmpty: async () => {
    const [row] = await programs.read('tell whether it keeps history', () => select(IS_KEPT, NOTHING));
    return row?.isKept !== true;
  },
  begin: (at) => programs.transaction('begin its history', () => begin(at)),
  generationAt: async (moment) => {
    const [row] = await programs.read('tell what it held at a moment', () =>
      select(
        { generation: integer('generation') },
        sql`FROM @history_live WHERE since <= ${moment} AND (SELECT begins FROM @history_state) <= ${moment}
          ORDER BY since DESC, sequence DESC LIMIT 1`,
      ),
    );
    return row?.generation;
  },
  versionsAt: ({ tenant, generation, moment }, after, limit) =>
    programs.read('read what it held at a moment', () =>
      versions(
        sql`id > ${after} AND tenant = ${storableText(tenant)} AND generation = ${generation}
          AND valid_from <= ${moment} AND (valid_to IS NULL OR valid_to > ${moment}) ORDER BY id LIMIT ${limit}`,
      ),
    ),
  newest: async (documentIds) => {
    const rows = await programs.read('read the newest versions of documents', () =>
      each(
        documentIds,
        VERSION,
        sql`FROM @history_version WHERE ${DOCUMENT_KEY} = ${GIVEN} AND valid_from IS NOT NULL
          ORDER BY (valid_to IS NULL AND generation = coalesce(${LIVE}, 0)) DESC, valid_from DESC, id DESC LIMIT 1`,
      ),
    );
    return new Map(rows.map(({ place: _, ...row }) => [row.documentId, readVersion(row)]));
  },
  ofDocument: async (documentId, limit) => {
    const rows = await programs.read('read the versions of a document', () =>
      each(
        [documentId],
        VERSION,
        sql`FROM @history_version WHERE ${DOCUMENT_KEY} = ${GIVEN} AND valid_from IS NOT NULL
          ORDER BY valid_from DESC, id DESC LIMIT ${limit}`,
      ),
    );
    return rows.map(({ place: _, ...row }) => readVersion(row));
  },
  versions: (tenant, after, limit) =>
    programs.read('list its history', () =>
      versions(
        sql`id > ${after} ${tenant === undefined ? NOTHING : sql`AND tenant = ${storableText(tenant)}`}
          AND valid_from IS NOT NULL ORDER BY id LIMIT ${limit}`,
      ),
    ),
  parts: async (ids) => {
    const rows = await programs.read('read its history', () =>
      select(
        { id: bigint('version.id'), bytes: bytes('bytes') },
        sql`FROM @history_version AS version JOIN @history_part AS part ON part.content = version.content
          WHERE version.id ${oneOf('bigint', ids)} ORDER BY version.id, place`,
      ),
    );
    const parts = new Map<number, Uint8Array[]>(ids.map((id) => [id, []]));
    for (const { id, bytes } of rows) parts.get(id)?.push(bytes);
    return parts;
  },
  mark: (...given) => programs.transaction('record the state of a source', () => mark(...given)),
  marks: async (tenant) => [
    ...(await programs.read('read states of sources', () =>
      select(MARK, sql`FROM @history_mark WHERE tenant = ${storableText(tenant)} ORDER BY sequence`),
    )),
  ],
  erase: (documentIds) =>
    programs.transaction('erase versions', () => erase(sql`${DOCUMENT_KEY} ${oneOf('key', documentIds)}`)),
  eraseVersions: (ids) =>
    programs.transaction('erase versions', () =>
      erase(
        sql`id ${oneOf('bigint', ids)} AND (valid_to IS NOT NULL OR NOT EXISTS (SELECT 1 FROM @history_state))`,
      ),
    ),
  prune: (before, limit) => programs.transaction('prune its history', () => prune(before, limit)),
  clear: () => clear(programs),
});

const IS_KEPT = {
  isKept: boolean('EXISTS (SELECT 1 FROM @history_state) OR EXISTS (SELECT 1 FROM @history_version)'),
};

const MARK = { source: text('source'), mark: text('mark'), at: bigint('at'), seen: bigint('seen') };
