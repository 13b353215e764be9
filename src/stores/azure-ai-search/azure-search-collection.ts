import type { ChunkRecord, ScoredChunk, StoredChunk } from '../../core/chunk.js';
import { compareText, EVERYTHING, type Filter, oneOf } from '../../core/filter.js';
import { runtime, sleep } from '../../core/runtime.js';
import { compileFilter } from '../compile-filter.js';
import type { Condition } from '../filter-condition.js';
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
import { documentKey } from './azure-names.js';
import { chunkOf, documentOf, ZERO_VECTOR } from './document-codec.js';
import { type DocumentRequests, MAX_PAGE } from './document-requests.js';
import type { IndexAction } from './document-writer.js';
import { bothOf, literal, type ODataFilter, toOData } from './filter-odata.js';

/** Hits asked for beyond topK, so that a tie at the end is usually seen whole at once. */
const TIE_MARGIN = 16;
/** Ids looked up at once. */
const IDS_PER_REQUEST = 500;
/** Pauses while what was written is waited for. */
const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 1_000;

export interface AzureCollectionOptions {
  readonly maxTopK: number;
  /** After how long at most a write is seen. */
  readonly visibleWithinMs: number;
  readonly exhaustive: boolean;
  /** Bytes of the index, as the service last counted them. */
  readonly bytes: () => Promise<number>;
}

/**
 * One index of the service. Each chunk is written whole or not at all. Reads see a write some seconds later; what this process
 * deleted its searches do not show, deletions know what it wrote before, and `optimize` returns when that can be read.
 */
export class AzureSearchCollection implements VectorCollection {
  readonly spec: CollectionSpec;
  readonly #requests: DocumentRequests;
  readonly #options: AzureCollectionOptions;
  readonly #recent: RecentWrites;

  constructor(spec: CollectionSpec, requests: DocumentRequests, options: AzureCollectionOptions) {
    this.spec = spec;
    this.#requests = requests;
    this.#options = options;
    this.#recent = new RecentWrites({ visibleWithinMs: options.visibleWithinMs, keyOf: documentKey });
  }

  async upsert(records: readonly ChunkRecord[], signal?: AbortSignal): Promise<void> {
    this.#requests.begin(signal);
    assertRecords(this.spec, records);
    if (records.length === 0) return;
    const latest = lastRecordById(records);
    const stamp = runtime().uniqueName();
    // All of them first, so that one that does not fit refuses its whole batch.
    const actions = latest.map(
      (record): IndexAction => ({ __actionType: 'upload', document: documentOf(record, stamp) }),
    );
    // Before the answer, which may be lost where the write is not.
    this.#recent.wrote(latest, stamp);
    await this.#requests.write(actions, 'write chunks', signal);
    this.#recent.wrote(latest, stamp);
  }

  async get(
    ids: readonly string[],
    { includeVectors, signal }: { includeVectors?: boolean; signal?: AbortSignal } = {},
  ): Promise<StoredChunk[]> {
    this.#requests.begin(signal);
    const wanted = [...new Set(ids)];
    const found = new Map<string, StoredChunk>();
    for (let start = 0; start < wanted.length; start += IDS_PER_REQUEST) {
      const filter = await this.#compile(
        oneOf('$chunkId', wanted.slice(start, start + IDS_PER_REQUEST)),
        signal,
      );
      for await (const page of this.#requests.chunks(filter, { includeVectors, signal }))
        for (const chunk of page) found.set(chunk.id, chunk);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async delete(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#requests.begin(signal);
    assertFilter(filter);
    const shown = await this.#requests.keys(
      await this.#compile(filter, signal),
      'find chunks to delete',
      signal,
    );
    const admitted = this.#recent.admitted(filter, shown.keys());
    // Ids that are named go whatever is shown: another process may have written them a moment ago.
    const keys = [...new Set([...admitted, ...idsNamedBy(filter).map(documentKey)])];
    if (keys.length === 0) return 0;
    const actions = keys.map((id): IndexAction => ({ __actionType: 'delete', document: { id } }));
    await this.#requests.write(actions, 'delete chunks', signal);
    this.#recent.deleted(keys);
    return admitted.size;
  }

  async list({ filter, limit, cursor, signal }: ListQuery): Promise<ListPage> {
    this.#requests.begin(signal);
    assertFilter(filter);
    assertCount('limit', limit, Number.MAX_SAFE_INTEGER);
    const chunks = await this.#first(await this.#compile(filter, signal), limit + 1, {
      after: cursor,
      signal,
    });
    const last = chunks[limit - 1];
    return chunks.length <= limit || last === undefined
      ? { chunks }
      : { chunks: chunks.slice(0, limit), cursor: last.id };
  }

  async count(filter: Filter, signal?: AbortSignal): Promise<number> {
    this.#requests.begin(signal);
    assertFilter(filter);
    const compiled = await this.#compile(filter, signal);
    return compiled === false ? 0 : this.#requests.count(statedOf(compiled), signal);
  }

  async searchVector(query: VectorQuery): Promise<ScoredChunk[]> {
    const { filter, topK, signal, vector } = query;
    this.#requests.begin(signal);
    assertFilter(filter);
    assertCount('topK', topK, this.#options.maxTopK);
    assertQueryVector(this.spec, vector);
    const compiled = await this.#compile(filter, signal);
    if (compiled === false) return [];
    if (isZero(vector)) return this.#zeroScored(compiled, query);
    const hits = await this.#nearest(compiled, query);
    // A chunk without a direction scores 0, which matters from the first score that is not above.
    const lastScore = hits.length < topK ? -1 : (hits.at(-1)?.score ?? -1);
    if (lastScore > 0) return hits;
    const zeros = await this.#zeroScored(bothOf(compiled, HAS_NO_DIRECTION), query);
    return [...hits, ...zeros].sort(byScoreThenId).slice(0, topK);
  }

  /** Returns when what this process wrote can be read, or when the time is over after which that is promised. */
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
    const [chunks, bytes] = await Promise.all([this.count(EVERYTHING), this.#options.bytes()]);
    const vectorIndex = this.#options.exhaustive
      ? 'compared with every vector, exact'
      : 'HNSW (m=4, efConstruction=400, efSearch=500)';
    return { chunks, bytes, vectorIndex, textIndex: 'none' };
  }

  /** Which of the writes that were not seen yet the service shows by now. */
  async #look(signal: AbortSignal | undefined): Promise<void> {
    const unseen = [...this.#recent.unseen()];
    for (let start = 0; start < unseen.length; start += MAX_PAGE) {
      const some = unseen.slice(start, start + MAX_PAGE);
      const filter = `search.in(id, ${literal(some.map(([key]) => key).join('|'))}, '|')`;
      const shown = await this.#requests.keys(filter, 'look whether a write can be read', signal);
      for (const [key] of some) this.#recent.saw(key, shown.get(key));
    }
  }

  #compile(filter: Filter, signal: AbortSignal | undefined): Promise<ODataFilter> {
    const readTexts = (condition: Condition, field: string): Promise<string[]> =>
      this.#texts(toOData(condition), field, signal);
    return compileFilter(filter, readTexts).then(toOData);
  }

  /** The texts that a field has in the chunks of a filter. */
  async #texts(filter: ODataFilter, field: string, signal: AbortSignal | undefined): Promise<string[]> {
    const texts = new Set<string>();
    for await (const page of this.#requests.chunks(filter, { signal }))
      for (const chunk of page) {
        const value = fieldLookup(chunk)(field);
        if (typeof value === 'string') texts.add(value);
      }
    return [...texts];
  }

  /** So many chunks in id order. */
  async #first(
    filter: ODataFilter,
    limit: number,
    options: {
      readonly after?: string | undefined;
      readonly includeVectors?: boolean | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<StoredChunk[]> {
    const chunks: StoredChunk[] = [];
    for await (const page of this.#requests.chunks(filter, { ...options, limit })) {
      chunks.push(...page);
      if (chunks.length >= limit) break;
    }
    return chunks.slice(0, limit);
  }

  /** A zero query is equally far from everything, so the first ids are the best. */
  async #zeroScored(
    filter: ODataFilter,
    { topK, includeVectors, signal }: VectorQuery,
  ): Promise<ScoredChunk[]> {
    const chunks = await this.#first(filter, topK, { includeVectors, signal });
    return chunks.map((chunk) => ({ chunk, score: 0 }));
  }

  /** The best topK with ties by id: the service cuts among equals at will, so the tie at the end is fetched whole first. */
  async #nearest(filter: string | true, query: VectorQuery): Promise<ScoredChunk[]> {
    const { topK, includeVectors, signal } = query;
    const unit = Array.from(unitVector(query.vector));
    for (let limit = topK + TIE_MARGIN; ; limit *= 2) {
      const window = Math.min(limit, MAX_PAGE);
      const found = await this.#requests.nearest(unit, {
        filter: statedOf(filter),
        limit: window,
        isExhaustive: this.#options.exhaustive,
        includeVectors,
        signal,
      });
      const hits = found
        .map(({ document, score }) => ({ chunk: chunkOf(document, includeVectors), score: cosineOf(score) }))
        .sort(byScoreThenId);
      const isTieCut = found.length === window && hits[topK - 1]?.score === hits.at(-1)?.score;
      if (!isTieCut || window === MAX_PAGE)
        return hits.filter(({ chunk }) => !this.#recent.isDeleted(chunk.id)).slice(0, topK);
    }
  }
}

const HAS_NO_DIRECTION = `facts/any(e: e eq ${literal(ZERO_VECTOR)})`;

const statedOf = (filter: string | true): string | undefined => (filter === true ? undefined : filter);

/** The score of a vector search is `1 / (1 + distance)`, the distance being one less the cosine. */
const cosineOf = (score: number): number => Math.max(-1, Math.min(1, 2 - 1 / score));

/** The ids of a filter that is about ids alone. */
function idsNamedBy(filter: Filter): string[] {
  if (!('field' in filter) || filter.field !== '$chunkId') return [];
  const values = filter.op === 'eq' ? [filter.value] : filter.op === 'in' ? filter.values : [];
  return values.filter((value) => typeof value === 'string');
}

const byScoreThenId = (a: ScoredChunk, b: ScoredChunk): number =>
  b.score - a.score || compareText(a.chunk.id, b.chunk.id);
