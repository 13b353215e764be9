import { groupedBy } from '../../core/grouped-by.js';
import type { CommunitySummary, FactReader, FactRecord, FactWriter } from '../../relations/graph/facts.js';
import type { GraphPage } from '../../relations/graph/graph.js';
import { entityName } from '../../relations/graph/names.js';
import { codeOf } from '../chunk-states.js';
import { nameKeyOf } from '../graph-rows.js';
import { packRecord, unpackFacts, unpackSummary } from '../packed-facts.js';
import { countChange } from './changes.js';
import { bytes, type Key, key as keyColumn, text, word } from './columns.js';
import type { GenerationRows } from './document-rows.js';
import { each, insert, type Program, returning, run, select } from './program.js';
import {
  after,
  CHUNK_KEY,
  DOCUMENT_KEY,
  FOR_KEY_SHARE,
  FOR_UPDATE,
  GIVEN,
  key,
  NOTHING,
  oneOf,
  type Sql,
  sql,
  TENANT_KEY,
} from './sql.js';

const CHUNK = { chunk: keyColumn({ sqlite: 'chunk_id', postgres: 'chunk_key' }) };
const RECORD = { record: bytes('record') };
const FACT = {
  ...CHUNK,
  documentKey: keyColumn({ sqlite: null, postgres: 'document_key' }),
  documentId: text('document_id'),
  inputKey: word('input_key'),
  ...RECORD,
};
const FACT_NAME = { nameKey: bytes('name_key'), ...CHUNK };
const SUMMARY = {
  id: word('id'),
  tenant: keyColumn({ sqlite: 'tenant', postgres: 'tenant_key' }),
  ...RECORD,
};
const SOURCE = { summary: word('summary'), ...CHUNK };

/** Tables that `clear` empties, those first that are made of others. */
export const FACT_TABLES = ['fact_source', 'fact_summary', 'fact_name', 'fact'] as const;

/** Whether the chunk of `fact` is in the store for certain. */
const isLive = (generation: number): Sql =>
  sql`EXISTS (SELECT 1 FROM @chunk AS chunk WHERE chunk.generation = ${generation}
    AND chunk.${CHUNK_KEY} = fact.${CHUNK_KEY} AND chunk.state = ${codeOf('live')})`;

/** Facts of chunks that are gone from every generation, and the summaries that were made of them; of documents, or of all. */
export function* forgetGoneFacts(documents?: readonly Key[]): Program<void> {
  const gone = yield* select(
    CHUNK,
    sql`FROM @fact AS fact WHERE ${documents === undefined ? NOTHING : sql`${DOCUMENT_KEY} ${oneOf('key', documents)} AND `}
      NOT EXISTS (SELECT 1 FROM @chunk AS chunk WHERE chunk.generation IN (SELECT generation FROM @generation)
        AND chunk.${CHUNK_KEY} = fact.${CHUNK_KEY}) ${FOR_UPDATE}`,
  );
  yield* forgetFacts(gone.map(({ chunk }) => chunk));
}

function* forgetFacts(chunks: readonly Key[]): Program<void> {
  if (chunks.length === 0) return;
  const made = yield* select(
    { id: word('summary') },
    sql`FROM @fact_source WHERE ${CHUNK_KEY} ${oneOf('key', chunks)}`,
  );
  const ids = made.map(({ id }) => id);
  if (ids.length > 0) {
    yield* run(sql`DELETE FROM @fact_summary WHERE id ${oneOf('word', ids)}`);
    yield* run(sql`DELETE FROM @fact_source WHERE summary ${oneOf('word', ids)}`);
  }
  yield* run(sql`DELETE FROM @fact_name WHERE ${CHUNK_KEY} ${oneOf('key', chunks)}`);
  yield* run(sql`DELETE FROM @fact WHERE ${CHUNK_KEY} ${oneOf('key', chunks)}`);
}

/** Those that are in the store for certain; nobody deletes them before the transaction ends. */
function* holdLive(generation: number, chunkIds: readonly string[]): Program<ReadonlySet<string>> {
  const live = yield* select(
    { chunkId: text('chunk_id') },
    sql`FROM @chunk WHERE generation = ${generation} AND ${CHUNK_KEY} ${oneOf('key', chunkIds)}
      AND state = ${codeOf('live')} ORDER BY ${CHUNK_KEY} ${FOR_KEY_SHARE}`,
  );
  return new Set(live.map(({ chunkId }) => chunkId));
}

function* saveFacts(generation: number, tenant: string, records: readonly FactRecord[]): Program<number> {
  const live = yield* holdLive(
    generation,
    records.map(({ chunkId }) => chunkId),
  );
  const kept = records.filter(({ chunkId }) => live.has(chunkId));
  if (kept.length === 0) return 0;
  yield* forgetFacts(kept.map(({ chunkId }) => chunkId));
  yield* insert(
    'fact',
    FACT,
    kept.map((record) => ({
      chunk: record.chunkId,
      documentKey: record.documentId,
      documentId: record.documentId,
      inputKey: record.inputKey,
      record: packRecord(record),
    })),
  );
  const names = kept.flatMap(({ chunkId, entities }) =>
    [...new Set(entities.map(({ key }) => key))].map((key) => ({
      nameKey: nameKeyOf(tenant, entityName(key)),
      chunk: chunkId,
    })),
  );
  yield* insert('fact_name', FACT_NAME, names);
  yield* countChange();
  return kept.length;
}

function* saveSummary(generation: number, tenant: string, summary: CommunitySummary): Program<boolean> {
  const chunks = [...new Set(summary.sources.map(({ chunkId }) => chunkId))];
  if ((yield* holdLive(generation, chunks)).size !== chunks.length) return false;
  const read = yield* select(CHUNK, sql`FROM @fact WHERE ${CHUNK_KEY} ${oneOf('key', chunks)}`);
  if (read.length !== chunks.length) return false;
  yield* removeSummaries(tenant, [summary.id]);
  yield* insert('fact_summary', SUMMARY, [{ id: summary.id, tenant, record: packRecord(summary) }]);
  yield* insert(
    'fact_source',
    SOURCE,
    chunks.map((chunk) => ({ summary: summary.id, chunk })),
  );
  yield* countChange();
  return true;
}

function* removeSummaries(tenant: string, ids: readonly string[]): Program<void> {
  const removed = yield* returning(
    { id: word('id') },
    sql`DELETE FROM @fact_summary WHERE id ${oneOf('word', ids)} AND ${TENANT_KEY} = ${key(tenant)}`,
  );
  if (removed.length > 0)
    yield* run(
      sql`DELETE FROM @fact_source WHERE summary ${oneOf(
        'word',
        removed.map(({ id }) => id),
      )}`,
    );
}

function* forgetSummaries(tenant: string, ids: readonly string[]): Program<void> {
  yield* removeSummaries(tenant, ids);
  yield* countChange();
}

const NAMING = { documentId: text('fact.document_id') };

/** Documents that name something, for each of its keys a page. */
const naming = (keys: readonly Buffer[], generation: number, page: GraphPage) =>
  each(
    keys,
    NAMING,
    sql`FROM @fact_name AS named JOIN @fact AS fact ON fact.${CHUNK_KEY} = named.${CHUNK_KEY}
      WHERE named.name_key = ${GIVEN}${after('fact.document_id', page)} AND ${isLive(generation)}
      GROUP BY fact.document_id ORDER BY fact.document_id LIMIT ${page.limit}`,
  );

/** What was read out of the chunks of one generation. */
export const factReader = ({ programs, generation }: GenerationRows): FactReader => ({
  facts: async (documentIds) => {
    const rows = await programs.read('read its facts', () =>
      select(
        RECORD,
        sql`FROM @fact AS fact WHERE ${DOCUMENT_KEY} ${oneOf('key', documentIds)} AND ${isLive(generation)}`,
      ),
    );
    return groupedBy(
      rows.map((row) => unpackFacts(row.record)),
      ({ documentId }) => documentId,
    );
  },
  naming: async (tenant, names, page) => {
    const keys = names.map((name) => nameKeyOf(tenant, entityName(name)));
    const hits = await programs.read('walk through its facts', () => naming(keys, generation, page));
    return hits.map(({ place, documentId }) => ({ name: names[place] ?? '', documentId }));
  },
  sameInput: async (inputKey) => {
    const rows = await programs.read('read facts of the same text', () =>
      select(RECORD, sql`FROM @fact WHERE input_key = ${inputKey}`),
    );
    return rows.map(({ record }) => unpackFacts(record)).find(({ outcome }) => outcome === 'read');
  },
  summaries: async (tenant, page) => {
    const rows = await programs.read('read its summaries', () =>
      select(
        RECORD,
        sql`FROM @fact_summary AS summary WHERE ${TENANT_KEY} = ${key(tenant)}${after('id', page)}
          AND NOT EXISTS (SELECT 1 FROM @fact_source AS fact
            WHERE fact.summary = summary.id AND NOT ${isLive(generation)})
          ORDER BY id LIMIT ${page.limit}`,
      ),
    );
    return rows.map(({ record }) => unpackSummary(record));
  },
});

/** Each method is one transaction. It holds the rows of the chunks, so that a run which deletes them finds what was written of them. */
export const factWriter = (rows: GenerationRows): FactWriter => ({
  ...factReader(rows),
  saveFacts: (tenant, records) =>
    rows.programs.transaction('keep facts', () => saveFacts(rows.generation, tenant, records)),
  saveSummary: (tenant, summary) =>
    rows.programs.transaction('keep a summary', () => saveSummary(rows.generation, tenant, summary)),
  forgetSummaries: (tenant, ids) =>
    rows.programs.transaction('remove summaries', () => forgetSummaries(tenant, ids)),
});
