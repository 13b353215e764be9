import type { SearchClient, SearchOptions } from '@azure/search-documents';
import * as z from 'zod';
import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { type Filter, oneOf } from '../../core/filter.js';
import { slicesOf } from '../batches.js';
import { asCosine, withWholeTie } from '../best-hits.js';
import { compileFilter, textsOfChunks } from '../compile-filter.js';
import { CHUNKS_PER_REQUEST, firstPage, type PageQuery, type ReadOptions } from '../id-pages.js';
import { RecentWrites } from '../recent-writes.js';
import type { ServerChunks } from '../server-collection.js';
import type { CollectionStats, ListPage, VectorQuery } from '../vector-store.js';
import type { AzureSearchConnection, CallOptions, IndexedDocument } from './azure-connection.js';
import { transportError } from './azure-errors.js';
import { documentKey } from './azure-names.js';
import { chunkFields, chunkOf, documentOf, idPieces, ZERO_VECTOR } from './document-codec.js';
import { type IndexAction, writeDocuments } from './document-writer.js';
import { bothOf, literal, type ODataFilter, toOData } from './filter-odata.js';
import { ID_PIECES } from './index-schema.js';
import { orderedText } from './ordered-text.js';

/** Most results of one request. */
export const MAX_PAGE = 1_000;
const HAS_NO_DIRECTION = `facts/any(e: e eq ${literal(ZERO_VECTOR)})`;

const HIT = z.object({ score: z.number().optional(), document: z.record(z.string(), z.unknown()) });
const KEYED = z.object({ id: z.string(), writeStamp: z.string().nullish() });

/** A document as a search gives it. */
interface Hit {
  readonly score: number;
  readonly document: IndexedDocument;
}

/** Where a document stands in the order of ids. */
interface Place {
  /** Its `idOrder`. */
  readonly order: string;
  readonly pieces: readonly number[];
}

const ID_PIECE_NAMES = Array.from({ length: ID_PIECES }, (_, i) => `idPiece${i}`);

const PLACED = z.looseObject({ idOrder: z.string() }).transform(
  (document): Place => ({
    order: document.idOrder,
    pieces: ID_PIECE_NAMES.flatMap((name) => (typeof document[name] === 'number' ? [document[name]] : [])),
  }),
);

const placeOf = (id: string): Place => ({ order: orderedText(id), pieces: Object.values(idPieces(id)) });

interface PagingOptions {
  readonly after: Place | undefined;
  readonly top: number;
  readonly select: readonly string[];
}

/** A filter, and how the service says it. */
interface Where {
  readonly filter: Filter;
  /** True where everything passes. */
  readonly stated: string | true;
}

type Search = SearchOptions<IndexedDocument>;

export interface RequestOptions {
  /** After how long at most a write is seen. */
  readonly visibleWithinMs: number;
  readonly exhaustive: boolean;
  /** Bytes of the index, as the service last counted them. */
  readonly bytes: () => Promise<number>;
}

/**
 * One collection, an index of the service. Each chunk is written whole or not at all. Reads see a write some seconds later; what this
 * process deleted its searches do not show, deletions know what it wrote before, and `optimize` returns when that can be read.
 */
export class DocumentRequests implements ServerChunks<Where> {
  readonly #connection: AzureSearchConnection;
  readonly #index: string;
  readonly #collection: string;
  readonly #options: RequestOptions;
  readonly #recent: RecentWrites;

  constructor(
    connection: AzureSearchConnection,
    names: { readonly index: string; readonly collection: string },
    options: RequestOptions,
  ) {
    this.#connection = connection;
    this.#index = names.index;
    this.#collection = names.collection;
    this.#options = options;
    const { visibleWithinMs } = options;
    this.#recent = new RecentWrites({ visibleWithinMs, keyOf: documentKey, longestPauseMs: 1_000 });
  }

  async compile(filter: Filter, signal: AbortSignal | undefined): Promise<Where | undefined> {
    const texts = textsOfChunks((about) => this.#chunks(toOData(about), { signal }));
    const stated = toOData(await compileFilter(filter, texts));
    return stated === false ? undefined : { filter, stated };
  }

  write(records: readonly ChunkRecord[], signal: AbortSignal | undefined): Promise<void> {
    const actionOf = (record: ChunkRecord, stamp: string): IndexAction => ({
      __actionType: 'upload',
      document: documentOf(record, stamp),
    });
    return this.#recent.write(records, actionOf, (actions) => this.#send(actions, 'write chunks', signal));
  }

  async delete({ filter, stated }: Where, signal: AbortSignal | undefined): Promise<number> {
    const shown = await this.#keys(stated, 'find chunks to delete', signal);
    return this.#recent.delete(filter, shown.keys(), (keys) => {
      const actions = keys.map((id): IndexAction => ({ __actionType: 'delete', document: { id } }));
      return this.#send(actions, 'delete chunks', signal);
    });
  }

  async count({ stated }: Where, signal: AbortSignal | undefined): Promise<number> {
    const call = this.#call('count chunks', signal);
    const search = { ...filtered(stated), includeTotalCount: true, top: 0 };
    const { count } = await this.#search(search, call);
    if (count === undefined)
      throw transportError(this.#connection.address, call.action, new Error('no count'));
    return count;
  }

  page({ stated }: Where, query: PageQuery): Promise<ListPage> {
    return firstPage(this.#chunks(stated, query), query.limit);
  }

  async byIds(ids: readonly string[], options: ReadOptions): Promise<StoredChunk[]> {
    const found: StoredChunk[] = [];
    for (const some of slicesOf(ids, CHUNKS_PER_REQUEST)) {
      const where = await this.compile(oneOf('$chunkId', some), options.signal);
      if (where !== undefined)
        for await (const chunks of this.#chunks(where.stated, options)) found.push(...chunks);
    }
    return found;
  }

  async nearest({ stated }: Where, query: VectorQuery): Promise<ScoredChunk[]> {
    const { topK, vector, includeVectors, signal } = query;
    const hits = await withWholeTie({ topK, maxHits: MAX_PAGE }, async (limit) => {
      const nearestTo = {
        kind: 'vector' as const,
        vector: Array.from(vector),
        fields: ['contentVector'],
        kNearestNeighborsCount: limit,
        ...(this.#options.exhaustive ? { exhaustive: true } : {}),
      };
      const search = {
        ...filtered(stated),
        top: limit,
        select: chunkFields(includeVectors),
        vectorSearchOptions: { queries: [nearestTo], filterMode: 'preFilter' as const },
      };
      const { hits: found } = await this.#search(search, this.#call('search vectors', signal));
      return found.map(({ document, score }) => ({
        chunk: chunkOf(document, includeVectors),
        score: cosineOf(score),
      }));
    });
    return hits.filter(({ chunk }) => !this.#recent.isDeleted(chunk.id));
  }

  withoutDirection({ filter, stated }: Where): Where {
    return { filter, stated: stated === true ? HAS_NO_DIRECTION : `(${stated} and ${HAS_NO_DIRECTION})` };
  }

  optimize(signal: AbortSignal | undefined): Promise<void> {
    const look = (keys: readonly string[]): Promise<Map<string, string | undefined>> =>
      this.#keys(
        `search.in(id, ${literal(keys.join('|'))}, '|')`,
        'look whether a write can be read',
        signal,
      );
    return this.#recent.settle(look, { atOnce: MAX_PAGE, signal });
  }

  async indexes(): Promise<Omit<CollectionStats, 'chunks'>> {
    const vectorIndex = this.#options.exhaustive
      ? 'compared with every vector, exact'
      : 'HNSW (m=4, efConstruction=400, efSearch=500)';
    return { bytes: await this.#options.bytes(), vectorIndex, textIndex: 'none' };
  }

  #send(actions: Iterable<IndexAction>, action: string, signal: AbortSignal | undefined): Promise<void> {
    const target = { connection: this.#connection, index: this.#index };
    return writeDocuments(target, actions, this.#call(action, signal));
  }

  /** The chunks that a filter admits, in id order from after an id, a page at a time. */
  async *#chunks(
    filter: ODataFilter,
    { cursor, limit, includeVectors, signal }: ReadOptions & Partial<PageQuery>,
  ): AsyncGenerator<StoredChunk[]> {
    const paging = {
      after: cursor === undefined ? undefined : placeOf(cursor),
      top: Math.min((limit ?? CHUNKS_PER_REQUEST) + 1, CHUNKS_PER_REQUEST),
      select: chunkFields(includeVectors),
    };
    for await (const page of this.#pages(filter, paging, this.#call('list chunks', signal)))
      yield page.map((document) => chunkOf(document, includeVectors));
  }

  /** Keys and stamps of the documents that a filter admits. */
  async #keys(
    filter: ODataFilter,
    action: string,
    signal: AbortSignal | undefined,
  ): Promise<Map<string, string | undefined>> {
    const call = this.#call(action, signal);
    const keys = new Map<string, string | undefined>();
    const paging = { after: undefined, top: MAX_PAGE, select: ['id', 'writeStamp'] };
    for await (const page of this.#pages(filter, paging, call))
      for (const document of page) {
        const { id, writeStamp } = this.#parse(KEYED, document, call);
        keys.set(id, writeStamp ?? undefined);
      }
    return keys;
  }

  /**
   * Pages in id order. The service skips 100,000 at most, so a page is asked for by where the last one ended. Ids that agree in all
   * kept pieces cannot be told apart by a filter: these are passed over.
   */
  async *#pages(
    filter: ODataFilter,
    { after, top, select }: PagingOptions,
    call: CallOptions,
  ): AsyncGenerator<IndexedDocument[]> {
    let last = after;
    for (let skip = 0; ; ) {
      const within = last === undefined ? filter : bothOf(filter, notBefore(last.pieces));
      if (within === false) return;
      const search = {
        ...filtered(within),
        orderBy: ['idOrder asc'],
        top,
        ...(skip === 0 ? {} : { skip }),
        select: [...select, 'idOrder', ...ID_PIECE_NAMES],
      };
      const { hits } = await this.#search(search, call);
      const placed = hits.map(({ document }) => ({ document, place: this.#parse(PLACED, document, call) }));
      const order = last?.order;
      const page = order === undefined ? placed : placed.filter(({ place }) => place.order > order);
      if (page.length > 0) yield page.map(({ document }) => document);
      if (hits.length < top) return;
      skip = page.length > 0 ? 0 : skip + hits.length;
      last = page.at(-1)?.place ?? last;
    }
  }

  async #search(
    search: Search,
    call: CallOptions,
  ): Promise<{ readonly count: number | undefined; readonly hits: Hit[] }> {
    const { count, results } = await this.#connection.call(call, (clients, { abortSignal }) =>
      collect(clients.documents(this.#index), { ...search, abortSignal }),
    );
    return {
      count,
      hits: results.map((result) => {
        const { score = 0, document } = this.#parse(HIT, result, call);
        return { score, document };
      }),
    };
  }

  #parse<T>(schema: z.ZodType<T>, value: unknown, { action }: CallOptions): T {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw transportError(this.#connection.address, action, parsed.error);
  }

  #call(action: string, signal: AbortSignal | undefined): CallOptions {
    return { action: `${action} in collection "${this.#collection}"`, signal };
  }
}

const filtered = (filter: string | true): Pick<Search, 'filter'> => (filter === true ? {} : { filter });

/** The score of a vector search is `1 / (1 + distance)`, the distance being one less the cosine. */
const cosineOf = (score: number): number => asCosine(2 - 1 / score);

/** Documents whose id has these pieces or comes after: from the last piece back, greater here, or equal here and so on. */
const notBefore = (pieces: readonly number[]): string =>
  pieces.reduceRight<string>(
    (rest, piece, i) =>
      rest === ''
        ? `idPiece${i} ge ${piece}`
        : `(idPiece${i} gt ${piece} or (idPiece${i} eq ${piece} and ${rest}))`,
    '',
  );

/** The client goes on by itself where the service answers with a part of a page. */
async function collect(
  client: SearchClient<IndexedDocument>,
  options: Search,
): Promise<{ readonly count: number | undefined; readonly results: readonly unknown[] }> {
  const { count, results } = await client.search(undefined, options);
  const all: unknown[] = [];
  for await (const result of results) all.push(result);
  return { count, results: all };
}
