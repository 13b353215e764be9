import { LRUCache } from 'lru-cache';
import { DegradationLevel } from '../../core/degradation.js';
import type { NoticeKind } from '../../core/notice.js';
import { runtime } from '../../core/runtime.js';
import type { Scope } from '../../core/scope.js';
import { SharedWork } from '../../core/shared-load.js';
import { type TelemetryPayloads, traced } from '../../core/telemetry.js';
import type { SearchQuery } from '../../operations/engine.js';
import type { RedisShelf } from '../../platform/redis/redis-shelf.js';
import type { FoundPassages } from '../found-passages.js';
import { cacheKeyOf, digestOf, groupKeyOf } from './cache-key.js';
import type { CachedResults } from './cached-results.js';
import type { NearQuestion, SemanticIndex, SemanticQuestion } from './semantic-index.js';

/** What a search found, without how long it took. */
export type CachedPassages = Omit<FoundPassages, 'stages' | 'tookMs'>;

export interface QueryCacheOptions {
  /** Life of what is kept, in seconds. */
  readonly ttl: number;
  /** Searches kept in memory. */
  readonly maxEntries: number;
  /** See `settingsDigest`. */
  readonly settings: string;
  /** What outlives the process. @default nothing does */
  readonly kept?: CachedResults | undefined;
  /** Whether searches now find less than they should, so that what was kept is worth more than its age. @default never */
  readonly isDegraded?: (() => boolean) | undefined;
  /** Where processes share what they found. @default memory alone */
  readonly shared?: RedisShelf | undefined;
  /** Finds earlier questions that mean nearly the same. @default a question finds itself alone */
  readonly semantic?: SemanticIndex | undefined;
}

export interface CachedSearch {
  readonly revision: string;
  readonly scope: Scope;
  readonly query: SearchQuery;
}

/** What is done where a search was not made before. */
export interface SearchSteps {
  /** Searches. */
  readonly search: (signal: AbortSignal) => Promise<CachedPassages>;
  /** The vector by which the question is compared with earlier ones; undefined where there is none now. @default none */
  readonly embed?: ((signal: AbortSignal) => Promise<Float32Array | undefined>) | undefined;
}

/** `semantic`: what an earlier question found that means nearly the same. */
export interface CacheOutcome {
  readonly found: CachedPassages;
  readonly cache: 'hit' | 'miss' | 'semantic';
}

/**
 * Results of searches, by all that decides them: the revision of the index, the settings, the scope and the request. A write changes the
 * revision, so whatever was found before is not found again. Searches that are alike and under way at once are made once.
 */
export class QueryCache {
  readonly #options: QueryCacheOptions;
  readonly #memory: LRUCache<string, string>;
  readonly #underWay = new SharedWork<CacheOutcome>();

  constructor(options: QueryCacheOptions) {
    this.#options = options;
    this.#memory = new LRUCache({
      max: options.maxEntries,
      ttl: options.ttl * 1_000,
      perf: { now: () => runtime().elapsed() },
    });
  }

  /** What was found before, or what `search` finds. */
  async find({ revision, scope, query }: CachedSearch, steps: SearchSteps): Promise<CacheOutcome> {
    const asked = { revision, scope, query, settings: this.#options.settings };
    const key = cacheKeyOf(asked);
    // From memory at once: nobody waits for it, so there is nothing to share.
    const known = this.#memory.get(key);
    if (known !== undefined) return this.#look('query', async () => passagesOf(known));
    let isOwn = false;
    const outcome = await this.#underWay.run(key, query.signal, async (signal) => {
      isOwn = true;
      const kept = await this.#look('query', () => this.#fromElsewhere(key, revision));
      if (kept.found !== undefined) return { ...kept, found: kept.found };
      const question = await this.#questionOf(asked, steps, signal);
      const near = question === undefined ? undefined : await this.#ofNearQuestion(question, revision);
      if (near !== undefined) return { found: near, cache: 'semantic' };
      const found = await steps.search(signal);
      if (isWorthKeeping(found)) await this.#keep(key, revision, found);
      if (question !== undefined && isOfItsMeaning(found)) this.#options.semantic?.add(key, question);
      return { found, cache: 'miss' };
    });
    // Who was given what another search found made none.
    return isOwn || outcome.cache === 'semantic' ? outcome : { ...outcome, cache: 'hit' };
  }

  async #questionOf(
    asked: Parameters<typeof groupKeyOf>[0],
    { embed }: SearchSteps,
    signal: AbortSignal,
  ): Promise<SemanticQuestion | undefined> {
    if (this.#options.semantic === undefined) return undefined;
    const vector = await embed?.(signal);
    return vector === undefined ? undefined : { group: groupKeyOf(asked), text: asked.query.text, vector };
  }

  /** What the nearest earlier question found, where that is still kept. */
  async #ofNearQuestion(question: SemanticQuestion, revision: string): Promise<CachedPassages | undefined> {
    const { semantic } = this.#options;
    const { found } = await this.#look('semantic', async () => {
      const near = semantic?.nearest(question);
      if (near === undefined) return undefined;
      const known = this.#memory.get(near.key);
      const kept = known === undefined ? await this.#fromElsewhere(near.key, revision) : passagesOf(known);
      if (kept === undefined) semantic?.remove(near.key);
      return kept === undefined ? undefined : asOfNearQuestion(kept, near);
    });
    return found;
  }

  async #fromElsewhere(key: string, revision: string): Promise<CachedPassages | undefined> {
    return this.#fromFile(key) ?? (await this.#fromShared(key, revision));
  }

  /** What was found before, however long ago, of the index as it is: for when a search finds less than that. */
  evenOld({ revision, scope, query }: CachedSearch): CachedPassages | undefined {
    const key = cacheKeyOf({ revision, scope, query, settings: this.#options.settings });
    const text = this.#options.kept?.get(key);
    return text === undefined ? undefined : passagesFrom(text);
  }

  /** Forgets everything that was found in an index, but for what is on the server; says how much it was. */
  clear(): number {
    const count = Math.max(this.#memory.size, this.#options.kept?.clear() ?? 0);
    this.#memory.clear();
    this.#options.semantic?.clear();
    return count;
  }

  /** Leaves nothing on disk of what was found before the index changed. */
  dropOld(revision: string | undefined): void {
    this.#options.kept?.dropOthers(revision);
  }

  warnings(): string[] {
    return this.#options.shared?.warnings() ?? [];
  }

  close(): void {
    this.#memory.clear();
    this.#options.semantic?.clear();
    this.#options.kept?.close();
    this.#options.shared?.close();
  }

  async #look<Found extends CachedPassages | undefined>(
    cache: 'query' | 'semantic',
    look: () => Promise<Found>,
  ): Promise<{ readonly found: Found; readonly cache: 'hit' | 'miss' }> {
    const payload: TelemetryPayloads['cache'] = { cache, keys: 1 };
    return traced('cache', payload, async () => {
      const found = await look();
      payload.hits = found === undefined ? 0 : 1;
      if (cache === 'query') payload.entries = this.#memory.size;
      return { found, cache: found === undefined ? 'miss' : 'hit' };
    });
  }

  #fromFile(key: string): CachedPassages | undefined {
    const { kept, ttl, isDegraded = () => false } = this.#options;
    const text = kept?.get(key, isDegraded() ? undefined : ttl * 1_000);
    const found = text === undefined ? undefined : passagesFrom(text);
    // In memory it would live on as if it had just been found.
    if (text !== undefined && found !== undefined && isDegraded()) return found;
    if (text !== undefined && found !== undefined) this.#memory.set(key, text);
    return found;
  }

  async #fromShared(key: string, revision: string): Promise<CachedPassages | undefined> {
    const [bytes] = (await this.#options.shared?.get([prefixOf(revision) + key])) ?? [];
    if (bytes === undefined) return undefined;
    const text = bytes.toString('utf8');
    const found = passagesFrom(text);
    if (found !== undefined) this.#memory.set(key, text);
    return found;
  }

  // What a stand-in ranked stays in this process: another one may have the model by then.
  async #keep(key: string, revision: string, found: CachedPassages): Promise<void> {
    const { stages: _, tookMs: __, ...rest }: CachedPassages & Partial<FoundPassages> = found;
    const text = JSON.stringify({ ...rest, passages: found.passages.map(withoutVector) });
    this.#memory.set(key, text);
    if (found.notices.some(({ kind }) => kind === 'reranking-model')) return;
    this.#options.kept?.set(key, revision, text);
    await this.#options.shared?.set([[prefixOf(revision) + key, Buffer.from(text)]], this.#options.ttl);
  }
}

/** Keys of one index on a server. Its revision begins with what is its own for life. */
export const prefixOf = (revision: string): string =>
  `ragstone:query:${digestOf(revision.split('.')[0] ?? '').slice(0, 32)}:`;

/** What went wrong may be well again with the next search. */
const PASSING: ReadonlySet<NoticeKind> = new Set([
  'search-degraded',
  'cache-unavailable',
  'store-failover',
  'words-unchecked',
  'of-a-part',
]);

const isWorthKeeping = ({ degradationLevel, outages = [], lanes, notices, plan }: CachedPassages): boolean =>
  // At another moment there may be time for more.
  (plan === undefined || plan.leftOut.length === 0) &&
  degradationLevel === DegradationLevel.FULL_RAG &&
  outages.length === 0 &&
  lanes.every(({ status, unfinished }) => status !== 'failed' && unfinished !== true) &&
  notices.every(({ kind }) => !PASSING.has(kind));

/** What these say is of the words of one question. */
const OF_ITS_WORDS: ReadonlySet<NoticeKind> = new Set([
  'query-cut',
  'query-wordless',
  'query-operators',
  'filters-empty',
]);

/** Whether others who mean the same may have it: something was found, and by what the question says. */
const isOfItsMeaning = (found: CachedPassages): boolean =>
  isWorthKeeping(found) &&
  found.passages.length > 0 &&
  found.correction === undefined &&
  found.notices.every(({ kind }) => !OF_ITS_WORDS.has(kind));

/** Without the words of who asked before, and with how near both questions are. */
function asOfNearQuestion(found: CachedPassages, { similarity }: NearQuestion): CachedPassages {
  const { understanding: _, ...rest } = found;
  const near = Math.floor(similarity * 1_000) / 1_000;
  const text = `These are the results of an earlier question that means nearly the same (similarity ${near} of 1).`;
  return {
    ...rest,
    semanticCache: { similarity: near },
    notices: [...found.notices, { kind: 'semantic-cache', text }],
  };
}

const withoutVector = (passage: CachedPassages['passages'][number]): CachedPassages['passages'][number] => {
  const { vector: _, ...chunk } = passage.chunk;
  return { ...passage, chunk };
};

const passagesOf = (text: string): CachedPassages => JSON.parse(text) as CachedPassages;

/** Undefined for what is none: anybody who reaches the server may have written it. */
function passagesFrom(text: string): CachedPassages | undefined {
  try {
    const found = JSON.parse(text) as Partial<CachedPassages> | null;
    const lists = [found?.passages, found?.lanes, found?.removed, found?.notices];
    return lists.every(Array.isArray) && typeof found?.limit === 'number'
      ? (found as CachedPassages)
      : undefined;
  } catch {
    return undefined;
  }
}
