import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { type Filter, matchesFilter } from '../../core/filter.js';
import { asCosine, bestOf } from '../best-hits.js';
import { CachedOrder, type PageQuery, type ReadOptions } from '../id-pages.js';
import { idsNamedBy, RecentWrites, type Stamps } from '../recent-writes.js';
import { fieldLookup } from '../record-fields.js';
import type { ServerChunks } from '../server-collection.js';
import { unitVector } from '../unit-vector.js';
import type { CollectionStats, ListPage, VectorQuery } from '../vector-store.js';
import { type DocumentedChunk, documentOf, shownChunk, ZERO_VECTOR } from './document-codec.js';
import { type DocumentRequests, FOUND } from './document-requests.js';
import { candidatesOf, hasFact, literal } from './filter-expression.js';
import { documentIdOf } from './vertex-names.js';

/** More ids than this are read by a listing of everything. */
const MAX_READ_BY_NAME = 1_000;
/** Pages of one search. Behind them everything is compared here. */
const MAX_PAGES = 20;
/** How far a score of the service may be off, which multiplies in single precision. */
const SCORE_TOLERANCE = 1e-5;
/** A filter, and an expression of the service that admits at least what it does. */
interface Where {
  readonly filter: Filter;
  /** True where everything may pass. */
  readonly expression: string | true;
}

/**
 * One data store of the service. Each chunk is written whole or not at all. What must be complete (`list`, `count`, `delete`) is read
 * from the documents themselves, all of them, because the service lists without a filter; searches ask its index, which shows a write
 * later. Whatever either gives is held against the filter here.
 */
export class DataStoreChunks implements ServerChunks<Where> {
  readonly #requests: DocumentRequests;
  readonly #recent: RecentWrites;
  readonly #order = new CachedOrder<StoredChunk>();

  /** @param visibleWithinMs after how long at most a write is found by searches */
  constructor(requests: DocumentRequests, visibleWithinMs: number) {
    this.#requests = requests;
    this.#recent = new RecentWrites({ visibleWithinMs, keyOf: documentIdOf, longestPauseMs: 2_000 });
  }

  async compile(filter: Filter): Promise<Where | undefined> {
    const expression = candidatesOf(filter);
    return expression === false ? undefined : { filter, expression };
  }

  async write(records: readonly ChunkRecord[], signal: AbortSignal | undefined): Promise<void> {
    this.#order.forget();
    await this.#recent.write(records, documentOf, (documents) => this.#requests.write(documents, signal));
  }

  async byIds(ids: readonly string[], { includeVectors, signal }: ReadOptions): Promise<StoredChunk[]> {
    const found: StoredChunk[] = [];
    for await (const documented of this.#ofIds(new Set(ids), signal))
      found.push(shownChunk(documented, includeVectors));
    return found;
  }

  async delete({ filter }: Where, signal: AbortSignal | undefined): Promise<number> {
    const named = idsNamedBy(filter);
    const shown: string[] = [];
    const there =
      named === undefined
        ? this.#matching(filter, 'find chunks to delete', signal)
        : this.#ofIds(new Set(named), signal);
    for await (const { chunk } of there) shown.push(documentIdOf(chunk.id));
    this.#order.forget();
    return this.#recent.delete(filter, shown, (keys) => this.#requests.delete(keys, signal));
  }

  async count({ filter }: Where, signal: AbortSignal | undefined): Promise<number> {
    let count = 0;
    for await (const _ of this.#matching(filter, 'count chunks', signal)) count++;
    return count;
  }

  /** Everything is read for the first page and kept for the next one, until the last or a write of this handle. */
  page({ filter }: Where, query: PageQuery): Promise<ListPage> {
    const { includeVectors, signal } = query;
    return this.#order.page(
      { ...query, key: JSON.stringify([filter, includeVectors]) },
      async () => {
        const chunks: StoredChunk[] = [];
        for await (const documented of this.#matching(filter, 'list chunks', signal))
          chunks.push(shownChunk(documented, includeVectors));
        return chunks;
      },
      async (chunks) => chunks,
    );
  }

  async nearest({ filter, expression }: Where, query: VectorQuery): Promise<ScoredChunk[]> {
    const candidates = new Candidates(query);
    const isWhole = expression !== true && (await this.#fill(candidates, expression, query));
    if (!isWhole)
      for await (const documented of this.#matching(filter, 'search vectors', query.signal))
        candidates.add(documented);
    return candidates.hits().filter(({ chunk }) => !this.#recent.isDeleted(chunk.id));
  }

  optimize(signal: AbortSignal | undefined): Promise<void> {
    const look = async (keys: readonly string[]): Promise<Stamps> => {
      const filter = `key: ANY(${keys.map(literal).join(', ')})`;
      const { found } = await this.#requests.search({ filter, signal });
      return new Map(found.map(({ key, stamp }) => [key, stamp]));
    };
    return this.#recent.settle(look, { atOnce: FOUND, signal });
  }

  async indexes(): Promise<Omit<CollectionStats, 'chunks'>> {
    return { vectorIndex: "Vertex AI Search's own, by custom embeddings", textIndex: 'none' };
  }

  /**
   * Fills in what the index finds nearest, page by page, until more would not change the result. False where it does not come to an end
   * of that: a filter that the service knows only roughly may leave little of many pages.
   */
  async #fill(candidates: Candidates, filter: string, { signal }: VectorQuery): Promise<boolean> {
    let pageToken: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page = await this.#requests.search({ filter, vector: candidates.unit, pageToken, signal });
      for (const documented of page.found) candidates.add(documented);
      pageToken = page.pageToken;
      const isTieCut = candidates.isUndecidedAfter(page.found.at(-1));
      if (pageToken !== undefined && isTieCut) continue;
      await this.#zeros(candidates, filter, signal);
      return true;
    }
    return false;
  }

  /** Chunks without a direction, which score 0: that matters from the first score that is not above. */
  async #zeros(candidates: Candidates, filter: string, signal: AbortSignal | undefined): Promise<void> {
    if (!candidates.wantsZeros()) return;
    let pageToken: string | undefined;
    do {
      const expression = `(${filter}) AND ${hasFact([ZERO_VECTOR])}`;
      const page = await this.#requests.search({ filter: expression, pageToken, signal });
      for (const documented of page.found) candidates.add(documented);
      pageToken = page.pageToken;
    } while (pageToken !== undefined);
  }

  async *#ofIds(ids: ReadonlySet<string>, signal: AbortSignal | undefined): AsyncGenerator<DocumentedChunk> {
    if (ids.size <= MAX_READ_BY_NAME) {
      yield* await this.#requests.read([...ids].map(documentIdOf), signal);
      return;
    }
    for await (const page of this.#requests.all('read chunks', signal))
      yield* page.filter(({ chunk }) => ids.has(chunk.id));
  }

  /** Every chunk that the filter admits, in no order. */
  async *#matching(
    filter: Filter,
    action: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<DocumentedChunk> {
    // A listing may show one twice that is written meanwhile.
    const seen = new Set<string>();
    for await (const page of this.#requests.all(action, signal))
      for (const documented of page) {
        const { chunk } = documented;
        if (seen.has(chunk.id) || !matchesFilter(filter, fieldLookup(chunk))) continue;
        seen.add(chunk.id);
        yield documented;
      }
  }
}

/** What a search has found so far: scored here, exactly, whatever the service says. */
class Candidates {
  readonly unit: readonly number[];
  readonly #query: VectorQuery;
  readonly #byId = new Map<string, ScoredChunk>();

  constructor(query: VectorQuery) {
    this.#query = query;
    this.unit = Array.from(query.vector);
  }

  add(documented: DocumentedChunk): void {
    const { chunk } = documented;
    if (!matchesFilter(this.#query.filter, fieldLookup(chunk))) return;
    const score = this.#scoreOf(documented);
    this.#byId.set(chunk.id, { chunk: shownChunk(documented, this.#query.includeVectors), score });
  }

  hits(): ScoredChunk[] {
    return [...this.#byId.values()];
  }

  /** The last of a page may score as high as the last of the result, and the next page with it. */
  isUndecidedAfter(last: DocumentedChunk | undefined): boolean {
    if (last === undefined) return false;
    const worst = this.#worst();
    return worst === undefined || this.#scoreOf(last) > worst - SCORE_TOLERANCE;
  }

  wantsZeros(): boolean {
    return (this.#worst() ?? -1) <= 0;
  }

  /** The last score of the result, where it is full. */
  #worst(): number | undefined {
    const { topK } = this.#query;
    return bestOf(this.hits(), topK)[topK - 1]?.score;
  }

  #scoreOf({ vector }: DocumentedChunk): number {
    const other = unitVector(vector);
    const product = this.unit.reduce((sum, component, i) => sum + component * (other[i] ?? 0), 0);
    return asCosine(product);
  }
}
