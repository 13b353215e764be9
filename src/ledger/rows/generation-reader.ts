import { FOLDED_KEY } from '../../core/pushed-fields.js';
import type { StatementReader } from '../../relations/conflicts/statement-rows.js';
import type { FactReader } from '../../relations/graph/facts.js';
import type { GraphPage, GraphReader } from '../../relations/graph/graph.js';
import { documentPlan } from '../document-plan.js';
import type {
  DocumentHead,
  DocumentPlan,
  GenerationReader,
  LedgerChunk,
  LedgerDocument,
  LedgerItem,
  PlannedDocument,
  SourceSummary,
} from '../ledger.js';
import { storableText } from '../ledger-text.js';
import type { LedgerFailure, SourceState } from '../source-state.js';
import { decodeText } from '../text-encoding.js';
import { byId, chunkPage, chunksOf } from './chunks.js';
import { bytes, type Columns, integer, optional, type RowOf, text, word } from './columns.js';
import type { GenerationRows } from './document-rows.js';
import { documents, heads } from './documents.js';
import { factReader } from './facts.js';
import { graphReader } from './graph.js';
import { select } from './program.js';
import { summarizeSources } from './source-summaries.js';
import {
  DOCUMENT_KEY,
  endsWith,
  isOfItems,
  isOfSource,
  key,
  NOTHING,
  pageOf,
  REVISION_KEY,
  type Sql,
  spelled,
  sql,
} from './sql.js';
import { statementReader } from './statements.js';
import { readJson, readStatus } from './stored-words.js';

const ITEM = {
  tenant: text('tenant'),
  source: text('source'),
  itemId: text('item_id'),
  version: optional(text('version')),
  processingKey: optional(word('processing_key')),
  status: word('status'),
  attempts: integer('attempts'),
  error: optional(word('error')),
};
const TEXT = { encoding: word('revision.encoding'), bytes: bytes('revision.text') };
const SOURCE = { source: text('source') };
const STATE = { ...SOURCE, state: word('state') };
const CURSOR = { cursor: text('cursor') };
const COUNT = { itemId: text('item_id'), documents: integer('count(*)') };
const DOCUMENT_ID = { documentId: text('document_id') };

/** One generation of a ledger for reading. Every read sees one moment. */
export class LedgerGenerationReader implements GenerationReader {
  readonly generation: number;
  protected readonly rows: GenerationRows;

  constructor(rows: GenerationRows) {
    this.generation = rows.generation;
    this.rows = rows;
  }

  async items(tenant: string, source: string, itemIds?: readonly string[]): Promise<Map<string, LedgerItem>> {
    const which = itemIds === undefined ? isOfSource(tenant, source) : isOfItems(tenant, source, itemIds);
    const rows = await this.#select(
      'read the items of a source',
      ITEM,
      sql`FROM @item WHERE ${this.#here} AND ${which} ORDER BY item_id`,
    );
    return new Map(rows.map((row) => [row.itemId, readItem(row)]));
  }

  async failures(limit: number): Promise<LedgerItem[]> {
    const rows = await this.#select(
      'read its failures',
      ITEM,
      sql`FROM @item WHERE ${this.#here} AND error IS NOT NULL ORDER BY attempts DESC, tenant, source, item_id LIMIT ${limit}`,
    );
    return rows.map(readItem);
  }

  async hasItems(tenant: string, source: string): Promise<boolean> {
    const rest = sql`FROM @item WHERE ${this.#here} AND ${isOfSource(tenant, source)} LIMIT 1`;
    return (await this.#select('look for a source', SOURCE, rest)).length > 0;
  }

  async sourceCursor(tenant: string, source: string): Promise<string | undefined> {
    const rest = sql`FROM @source_cursor WHERE ${this.#here} AND ${isOfSource(tenant, source)}`;
    return (await this.#select('read the cursor of a source', CURSOR, rest))[0]?.cursor;
  }

  async sourceStates(tenant: string): Promise<Map<string, SourceState>> {
    const rest = sql`FROM @source_state WHERE ${this.#here} AND tenant = ${storableText(tenant)} ORDER BY source`;
    const rows = await this.#select('read how its sources are', STATE, rest);
    return new Map(rows.map(({ source, state }) => [source, readJson<SourceState>(state)]));
  }

  async sourceNames(tenant: string): Promise<string[]> {
    const rows = await this.#select('list its sources', SOURCE, sourcesOf(this.#here, storableText(tenant)));
    return rows.map(({ source }) => source);
  }

  async documentsOfItems(
    tenant: string,
    source: string,
    itemIds: readonly string[],
  ): Promise<LedgerDocument[]> {
    // The plus keeps SQLite from reading the whole generation in the order of ids for the sake of the last line.
    const order = spelled({ sqlite: '+document_id', postgres: 'document_id' });
    const found = await this.#documents(
      'read the documents of items',
      sql`${isOfItems(tenant, source, itemIds)} AND ${isOfSource(tenant, source)} ORDER BY ${order}`,
    );
    const byItem = new Map(itemIds.map((itemId): [string, LedgerDocument[]] => [itemId, []]));
    for (const document of found) byItem.get(document.itemId)?.push(document);
    return itemIds.flatMap((itemId) => byItem.get(itemId) ?? []);
  }

  async documentCounts(tenant: string, source: string): Promise<Map<string, number>> {
    const rest = sql`FROM @document WHERE ${this.#here} AND ${isOfSource(tenant, source)} GROUP BY item_id`;
    const rows = await this.#select('count the documents of a source', COUNT, rest);
    return new Map(rows.map(({ itemId, documents }) => [itemId, documents]));
  }

  async document(documentId: string): Promise<LedgerDocument | undefined> {
    return (await this.#documents('read a document', sql`${DOCUMENT_KEY} = ${key(documentId)}`))[0];
  }

  documents(after: string | undefined, limit: number): Promise<LedgerDocument[]> {
    return this.#documents('list its documents', sql`true ${pageOf('document_id', { after, limit })}`);
  }

  async folded(page: GraphPage): Promise<string[]> {
    const field = `${JSON.stringify(FOLDED_KEY)}:`;
    const holds = spelled({
      sqlite: sql`instr(metadata, ${field})`,
      postgres: sql`position(${field} in metadata)`,
    });
    const rows = await this.#select(
      'list documents of earlier versions',
      DOCUMENT_ID,
      sql`FROM @document WHERE ${this.#here} AND ${holds} > 0 ${pageOf('document_id', page)}`,
    );
    return rows.map(({ documentId }) => documentId);
  }

  called(tenant: string, name: string): Promise<LedgerDocument[]> {
    const id = key(name);
    const [path, end] = [storableText(name), storableText(`/${name}`)];
    return this.#documents(
      'find a document by its name',
      sql`tenant = ${storableText(tenant)} AND (${DOCUMENT_KEY} = ${id} OR external_id = ${path}
        OR ${endsWith(sql`external_id`, sql`${end}`)} OR ${endsWith(sql`${path}`, sql`'/' || external_id`)})
        ORDER BY document_id`,
    );
  }

  heads(tenant: string, after: string | undefined, limit: number): Promise<DocumentHead[]> {
    return this.rows.programs.read('list what counts of its documents', () =>
      heads(this.generation, tenant, { after, limit }),
    );
  }

  async chunks(documentId: string): Promise<LedgerChunk[]> {
    return (await this.chunksOf([documentId])).get(documentId) ?? [];
  }

  chunksOf(documentIds: readonly string[]): Promise<Map<string, LedgerChunk[]>> {
    return this.rows.programs.read('read the chunks of documents', () =>
      chunksOf(this.generation, documentIds),
    );
  }

  allChunks(after: string | undefined, limit: number): Promise<LedgerChunk[]> {
    return this.rows.programs.read('list its chunks', () => chunkPage(this.generation, { after, limit }));
  }

  async preview(documents: readonly PlannedDocument[]): Promise<DocumentPlan[]> {
    const known = await this.chunksOf(documents.map(({ documentId }) => documentId));
    return documents.map((document) => documentPlan(document, byId(known.get(document.documentId))));
  }

  async text(documentId: string, revision?: string): Promise<string | undefined> {
    const wanted = revision === undefined ? sql`documents.${REVISION_KEY}` : key(revision);
    const texts = await this.#texts(documentId, sql`AND revision.${REVISION_KEY} = ${wanted}`);
    return texts[0];
  }

  texts(documentId: string): Promise<string[]> {
    return this.#texts(documentId, NOTHING);
  }

  sources(): Promise<SourceSummary[]> {
    return this.rows.programs.snapshot('count what it holds', () => summarizeSources(this.generation));
  }

  get graph(): GraphReader {
    return graphReader(this.rows);
  }

  get statements(): StatementReader {
    return statementReader(this.rows);
  }

  get facts(): FactReader {
    return factReader(this.rows);
  }

  get #here(): Sql {
    return sql`generation = ${this.generation}`;
  }

  #select<Of extends Columns>(action: string, columns: Of, rest: Sql): Promise<readonly RowOf<Of>[]> {
    return this.rows.programs.read(action, () => select(columns, rest));
  }

  #documents(action: string, condition: Sql): Promise<LedgerDocument[]> {
    return this.rows.programs.read(action, () => documents(this.generation, condition));
  }

  async #texts(documentId: string, condition: Sql): Promise<string[]> {
    const rows = await this.#select(
      'read texts',
      TEXT,
      sql`FROM @document AS documents JOIN @revision AS revision ON revision.document = documents.id
        WHERE ${this.#here} AND ${DOCUMENT_KEY} = ${key(documentId)} ${condition}`,
    );
    return rows.map(decodeText);
  }
}

function readItem({ version, processingKey, error, ...row }: RowOf<typeof ITEM>): LedgerItem {
  return {
    ...row,
    ...(version === undefined ? {} : { version }),
    ...(processingKey === undefined ? {} : { processingKey }),
    status: readStatus(row.status),
    ...(error === undefined ? {} : { error: readJson<LedgerFailure>(error) }),
  };
}

/** Names of all sources with items, in name order; PostgreSQL jumps from source to source in the index. */
function sourcesOf(here: Sql, tenant: string): Sql {
  const next = sql`SELECT source_key, tenant, source FROM @item WHERE ${here}`;
  return spelled({
    sqlite: sql`FROM @item WHERE ${here} AND tenant = ${tenant} GROUP BY source ORDER BY source`,
    postgres: sql`FROM (WITH RECURSIVE known AS (
        (${next} ORDER BY source_key LIMIT 1)
        UNION ALL
        SELECT following.* FROM known,
          LATERAL (${next} AND source_key > known.source_key ORDER BY source_key LIMIT 1) AS following
      ) SELECT * FROM known) AS known WHERE tenant = ${tenant} ORDER BY source`,
  });
}
