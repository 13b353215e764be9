import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { compareText, EVERYTHING, type Filter, matchesFilter } from '../../core/filter.js';
import { runtime, sleep } from '../../core/runtime.js';
import { RecentWrites } from '../recent-writes.js';
import { fieldLookup } from '../record-fields.js';
import {
  assertCount,
  assertFilter,
  assertQueryVector,
  assertRecords,
  lastRecordById,
} from '../store-checks.js';
import { isZero, unitVector } from '../unit-vector.js';
import type {
  CollectionSpec,
  CollectionStats,
  ListPage,
  ListQuery,
  VectorCollection,
  VectorQuery,
} from '../vector-store.js';
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
/** Pauses while what was written is waited for. */
const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 2_000;

export interface VertexCollectionOptions {
  readonly maxTopK: number;
  /** After how long at most a write is found by searches. */
  readonly visibleWithinMs: number;
}

/**
 * One data store of the service. Each chunk is written whole or not at all. What must be complete (`list`, `count`, `delete`) is read
 * from the documents themselves, all of them, because the service lists without a filter; searches ask its index, which shows a write
 * later. Whatever either gives is held against the filter here.
 */
export class VertexSearchCollection implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly #requests: DocumentRequests;
  readonly #options: VertexCollectionOptions;
  readonly #recent: RecentWrites;
  #listing: Listing | undefined;

  constructor(spec: CollectionSpec, requests: DocumentRequests, options: VertexCollectionOptions) {
    this.spec = spec;
    this.#requests = requests;
    this.#options = options;
    this.#recent = new RecentWrites({ visibleWithinMs: options.visibleWithinMs, keyOf: documentIdOf });
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    this.#requests.begin(signal);
    assertRecords(this.spec, records);
    if (records.length === 0) return;
    const latest = lastRecordById(records);
    const stamp = runtime().uniqueName();
    const documents = latest.map((record) => documentOf(record, stamp));
    this.#listing = undefined;
    // Before the answer, which may be lost where the write is not.
    this.#recent.wrote(latest, stamp);
    await this.#requests.write(documents, signal);
    this.#recent.wrote(latest, stamp);
  }

  async get(
    ids: readonly string[],
    { includeVectors, signal }: { includeVectors?: boolean; signal?: AbortSignal } = {},
  ): Promise<StoredChunk[]> {
    this.#requests.begin(signal);
    const wanted = new Set(ids);
    const found = new Map<string, StoredChunk>();
    for await (const documented of this.#ofIds(wanted, signal))
      found.set(documented.chunk.id, shownChunk(documented, includeVectors));
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#requests.begin(signal);
    assertFilter(filter);
    const named = idsNamedBy(filter);
    const shown: string[] = [];
    const there =
      named === undefined
        ? this.#matching(filter, 'find chunks to delete', signal)
        : this.#ofIds(new Set(named), signal);
    for await (const { chunk } of there) shown.push(chunk.id);
    const admitted = this.#recent.admitted(filter, shown.map(documentIdOf));
    // Ids that are named go whatever is shown: another process may have written them a moment ago.
    const keys = [...new Set([...admitted, ...(named ?? []).map(documentIdOf)])];
    if (keys.length === 0) return 0;
    this.#listing = undefined;
    await this.#requests.delete(keys, signal);
    this.#recent.deleted(keys);
    return admitted.size;
  }

  /** Everything is read for the first page and kept for the next one, until the last or a write of this handle. */
  async list({ filter, limit, cursor, signal }: ListQuery): Promise<ListPage> {
    this.#requests.begin(signal);
    assertFilter(filter);
    assertCount('limit', limit, Number.MAX_SAFE_INTEGER);
    const asked = JSON.stringify(filter);
    const kept = cursor !== undefined && this.#listing?.asked === asked ? this.#listing.chunks : undefined;
    const all = kept ?? (await this.#inIdOrder(filter, signal));
    const rest = cursor === undefined ? all : all.filter(({ id }) => compareText(id, cursor) > 0);
    const chunks = rest.slice(0, limit);
    const last = chunks.at(-1);
    const isLast = rest.length <= limit || last === undefined;
    this.#listing = isLast ? undefined : { asked, chunks: rest.slice(limit) };
    return isLast ? { chunks } : { chunks, cursor: last.id };
  }

  async count(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#requests.begin(signal);
    assertFilter(filter);
    let count = 0;
    for await (const _ of this.#matching(filter, 'count chunks', signal)) count++;
    return count;
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    const { filter, topK, signal, vector } = query;
    this.#requests.begin(signal);
    assertFilter(filter);
    assertCount('topK', topK, this.#options.maxTopK);
    assertQueryVector(this.spec, vector);
    const expression = candidatesOf(filter);
    if (expression === false) return [];
    const unit = unitVector(vector);
    const candidates = new Candidates(query, unit);
    // A zero query is equally far from everything, so the first ids are the best, which the index does not know.
    const isWhole =
      expression !== true && !isZero(vector) && (await this.#nearest(candidates, expression, query));
    if (!isWhole)
      for await (const documented of this.#matching(filter, 'search vectors', signal))
        candidates.add(documented);
    return candidates.best((id) => !this.#recent.isDeleted(id));
  }

  /** Returns when what this process wrote is found by searches, or when the time is over after which that is promised. */
  async optimize(signal?: AbortSignal): Promise<void> {
    this.#requests.begin(signal);
    const until = runtime().elapsed() + this.#options.visibleWithinMs;
    for (
      let pauseMs = FIRST_LOOK_MS;
      runtime().elapsed() < until;
      pauseMs = Math.min(pauseMs * 2, LAST_LOOK_MS)
    ) {
      await this.#look(signal);
      if (this.#recent.unseen().size === 0) return;
      await sleep(pauseMs, signal);
    }
  }

  async stats(): Promise<CollectionStats> {
    return {
      chunks: await this.count(EVERYTHING),
      vectorIndex: "Vertex AI Search's own, by custom embeddings",
      textIndex: 'none',
    };
  }

  /** Which of the writes that were not seen yet the index shows by now. */
  async #look(signal: AbortSignal | undefined): Promise<void> {
    const unseen = [...this.#recent.unseen().keys()];
    for (let start = 0; start < unseen.length; start += FOUND) {
      const keys = unseen.slice(start, start + FOUND);
      const filter = `key: ANY(${keys.map(literal).join(', ')})`;
      const { found } = await this.#requests.search({ filter, signal });
      const stamps = new Map(found.map(({ key, stamp }) => [key, stamp]));
      for (const key of keys) this.#recent.saw(key, stamps.get(key));
    }
  }

  /**
   * Fills in what the index finds nearest, page by page, until more would not change the result. False where it does not come to an end
   * of that: a filter that the service knows only roughly may leave little of many pages.
   */
  async #nearest(candidates: Candidates, filter: string, { signal }: VectorQuery): Promise<boolean> {
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

  async #inIdOrder(filter: Filter, signal: AbortSignal | undefined): Promise<StoredChunk[]> {
    const chunks: StoredChunk[] = [];
    for await (const { chunk } of this.#matching(filter, 'list chunks', signal)) chunks.push(chunk);
    return chunks.sort((a, b) => compareText(a.id, b.id));
  }
}

/** What is left of a listing of which a part was given. */
interface Listing {
  readonly asked: string;
  readonly chunks: readonly StoredChunk[];
}

/** What a search has found so far: scored here, exactly, whatever the service says. */
class Candidates {
  readonly unit: readonly number[];
  readonly #query: VectorQuery;
  readonly #byId = new Map<string, ScoredChunk>();

  constructor(query: VectorQuery, unit: Float32Array) {
    this.#query = query;
    this.unit = Array.from(unit);
  }

  add(documented: DocumentedChunk): void {
    const { chunk } = documented;
    if (!matchesFilter(this.#query.filter, fieldLookup(chunk))) return;
    const score = this.#scoreOf(documented);
    this.#byId.set(chunk.id, { chunk: shownChunk(documented, this.#query.includeVectors), score });
  }

  /** The last of a page may score as high as the last of the result, and the next page with it. */
  isUndecidedAfter(last: DocumentedChunk | undefined): boolean {
    if (last === undefined) return false;
    const worst = this.best()[this.#query.topK - 1];
    return worst === undefined || this.#scoreOf(last) > worst.score - SCORE_TOLERANCE;
  }

  wantsZeros(): boolean {
    return (this.best()[this.#query.topK - 1]?.score ?? -1) <= 0;
  }

  best(isThere: (id: string) => boolean = () => true): ScoredChunk[] {
    return [...this.#byId.values()]
      .filter(({ chunk }) => isThere(chunk.id))
      .sort((a, b) => b.score - a.score || compareText(a.chunk.id, b.chunk.id))
      .slice(0, this.#query.topK);
  }

  #scoreOf({ vector }: DocumentedChunk): number {
    const other = unitVector(vector);
    const product = this.unit.reduce((sum, component, i) => sum + component * (other[i] ?? 0), 0);
    return Math.max(-1, Math.min(1, product));
  }
}

/** The ids of a filter that is about ids alone. */
function idsNamedBy(filter: Filter): string[] | undefined {
  if (!('field' in filter) || filter.field !== '$chunkId') return undefined;
  if (filter.op !== 'eq' && filter.op !== 'in') return undefined;
  const values = filter.op === 'eq' ? [filter.value] : filter.values;
  return values.filter((value) => typeof value === 'string');
}
