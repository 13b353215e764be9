import type { SearchClient, SearchOptions } from '@azure/search-documents';
import * as z from 'zod';
import type { StoredChunk } from '../../core/chunk.js';
import type { AzureSearchConnection, CallOptions, IndexedDocument } from './azure-connection.js';
import { transportError } from './azure-errors.js';
import { chunkFields, chunkOf, idPieces } from './document-codec.js';
import { type IndexAction, writeDocuments } from './document-writer.js';
import { bothOf, type ODataFilter } from './filter-odata.js';
import { ID_PIECES } from './index-schema.js';
import { orderedText } from './ordered-text.js';

/** Most results of one request. */
export const MAX_PAGE = 1_000;
/** Chunks fetched at once, which may be large. */
const CHUNKS_PER_REQUEST = 500;

const HIT = z.object({ score: z.number().optional(), document: z.record(z.string(), z.unknown()) });
const KEYED = z.object({ id: z.string(), writeStamp: z.string().nullish() });

/** A document as a search gives it. */
export interface Hit {
  readonly score: number;
  readonly document: IndexedDocument;
}

export interface ReadOptions {
  readonly includeVectors?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
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

interface PageOptions {
  /** Begin after this id. */
  readonly after?: string | undefined;
  /** Of a page. */
  readonly limit?: number | undefined;
}

interface PagingOptions {
  readonly after: Place | undefined;
  readonly top: number;
  readonly select: readonly string[];
}

export interface NearestOptions extends ReadOptions {
  readonly filter: string | undefined;
  readonly limit: number;
  readonly isExhaustive: boolean;
}

type Search = SearchOptions<IndexedDocument>;

/** The requests that one collection makes of its index, with their answers checked. */
export class DocumentRequests {
  readonly #connection: AzureSearchConnection;
  readonly #index: string;
  readonly #collection: string;

  constructor(
    connection: AzureSearchConnection,
    names: { readonly index: string; readonly collection: string },
  ) {
    this.#connection = connection;
    this.#index = names.index;
    this.#collection = names.collection;
  }

  begin(signal?: AbortSignal): void {
    this.#connection.begin(signal);
  }

  write(actions: Iterable<IndexAction>, action: string, signal: AbortSignal | undefined): Promise<void> {
    return writeDocuments(
      { connection: this.#connection, index: this.#index },
      actions,
      this.#call(action, signal),
    );
  }

  /** How many documents a filter admits. */
  async count(filter: string | undefined, signal: AbortSignal | undefined): Promise<number> {
    const call = this.#call('count chunks', signal);
    const search = { ...filtered(filter), includeTotalCount: true, top: 0 };
    const { count } = await this.#search(search, call);
    if (count === undefined)
      throw transportError(this.#connection.address, call.action, new Error('no count'));
    return count;
  }

  /** What is nearest to a vector, nearest first. */
  async nearest(
    vector: readonly number[],
    { filter, limit, isExhaustive, includeVectors, signal }: NearestOptions,
  ): Promise<Hit[]> {
    const query = {
      kind: 'vector' as const,
      vector: [...vector],
      fields: ['contentVector'],
      kNearestNeighborsCount: limit,
      ...(isExhaustive ? { exhaustive: true } : {}),
    };
    const search = {
      ...filtered(filter),
      top: limit,
      select: chunkFields(includeVectors),
      vectorSearchOptions: { queries: [query], filterMode: 'preFilter' as const },
    };
    return (await this.#search(search, this.#call('search vectors', signal))).hits;
  }

  /** The chunks that a filter admits, in id order from after an id, a page at a time. */
  async *chunks(
    filter: ODataFilter,
    { after, limit = CHUNKS_PER_REQUEST, includeVectors, signal }: ReadOptions & PageOptions = {},
  ): AsyncGenerator<StoredChunk[]> {
    const paging = {
      after: after === undefined ? undefined : placeOf(after),
      top: Math.min(limit, CHUNKS_PER_REQUEST),
      select: chunkFields(includeVectors),
    };
    for await (const page of this.#pages(filter, paging, this.#call('list chunks', signal)))
      yield page.map((document) => chunkOf(document, includeVectors));
  }

  /** Keys and stamps of the documents that a filter admits. */
  async keys(
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
        ...(within === true ? {} : { filter: within }),
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

const filtered = (filter: string | undefined): Pick<Search, 'filter'> =>
  filter === undefined ? {} : { filter };

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
