import type { ContextEstimate } from '../chunking/contextual/chunk-contextualiser.js';
import { throwIfAborted } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import type { EmbeddingEstimate } from '../embedding/embedder.js';
import type { IndexError, IndexProgress, IndexResult } from '../engine/engine.js';
import type { RedactionCounts } from './document-protection.js';

const PROGRESS_INTERVAL_MS = 100;
/** Below this share of the bytes, the time that is left would be a guess from a few small files. */
const MIN_SHARE_FOR_ETA = 0.02;

/** Counters, stage times and progress of one `index` run. */
export class IndexRun {
  documentsProcessed = 0;
  documentsUnchanged = 0;
  documentsFailed = 0;
  documentsDeleted = 0;
  chunksCreated = 0;
  chunksUnchanged = 0;
  vectorsIndexed = 0;
  embeddingsComputed = 0;
  readonly errors: IndexError[] = [];
  readonly #notices = new Map<string, number>();
  readonly #stages = new Map<string, number>();
  readonly #startedAt = runtime().elapsed();
  #indexingSince: number | undefined;
  #lastReport = 0;
  #stage: IndexProgress['stage'] = 'listing';
  #source: string | undefined;
  #items = { total: 0, done: 0 };
  #bytes = { total: 0, done: 0 };
  readonly #truncated = { chunks: 0, maxInputTokens: 0 };

  readonly #redactions = new Map<string, Map<string, number>>();
  readonly #skipped = new Map<string, Readonly<Record<string, number>>>();
  #contexts: ContextEstimate | undefined;
  #embedding: EmbeddingEstimate | undefined;

  constructor(
    private readonly onProgress: ((progress: IndexProgress) => void) | undefined,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Times synchronous work under a stage's name. */
  readonly timed = <T>(stage: string, work: () => T): T => {
    const start = runtime().elapsed();
    try {
      return work();
    } finally {
      this.#addTime(stage, runtime().elapsed() - start);
    }
  };

  /** Times asynchronous work under a stage's name. */
  async timedAsync<T>(stage: string, work: () => Promise<T>): Promise<T> {
    const start = runtime().elapsed();
    try {
      return await work();
    } finally {
      this.#addTime(stage, runtime().elapsed() - start);
    }
  }

  /** Adds what other threads spent, by stage: together more than the time that went by. */
  addTimes(times: Readonly<Record<string, number>>): void {
    for (const [stage, ms] of Object.entries(times)) this.#addTime(stage, ms);
  }

  #addTime(stage: string, ms: number): void {
    this.#stages.set(stage, (this.#stages.get(stage) ?? 0) + ms);
  }

  checkAborted(): void {
    throwIfAborted(this.signal);
  }

  fail(error: IndexError): void {
    this.documentsFailed++;
    this.errors.push(error);
  }

  /** Repeated notices are counted, not repeated. */
  notice(text: string): void {
    this.#notices.set(text, (this.#notices.get(text) ?? 0) + 1);
  }

  /** Chunks that the model could not read to their end; said once for the run. */
  countTruncated(chunks: number, maxInputTokens: number): void {
    this.#truncated.chunks += chunks;
    this.#truncated.maxInputTokens = maxInputTokens;
  }

  /** What was taken out of a document, by type. */
  countRedactions(source: string, counts: RedactionCounts): void {
    for (const [type, count] of Object.entries(counts)) {
      const ofSource = this.#redactions.get(source) ?? new Map<string, number>();
      this.#redactions.set(source, ofSource.set(type, (ofSource.get(type) ?? 0) + count));
    }
  }

  /** What a listing left out by rule, by kind. */
  countSkipped(source: string, counts: Readonly<Record<string, number>>): void {
    if (Object.keys(counts).length > 0) this.#skipped.set(source, counts);
  }

  /** A dry run: what writing contexts will cost. */
  addContexts(estimate: ContextEstimate): void {
    const { chunks = 0, inputTokens = 0, outputTokens = 0 } = this.#contexts ?? {};
    this.#contexts = {
      chunks: chunks + estimate.chunks,
      inputTokens: inputTokens + estimate.inputTokens,
      outputTokens: outputTokens + estimate.outputTokens,
      ...sumOfCosts(this.#contexts, estimate),
    };
  }

  /** A dry run: what embedding will cost. */
  addEmbedding(estimate: EmbeddingEstimate): void {
    const { texts = 0, tokens = 0, isExact = true } = this.#embedding ?? {};
    this.#embedding = {
      texts: texts + estimate.texts,
      tokens: tokens + estimate.tokens,
      isExact: isExact && estimate.isExact,
      ...sumOfCosts(this.#embedding, estimate),
    };
  }

  #estimate(): Pick<IndexResult, 'estimate'> {
    const contexts = this.#contexts;
    const embedding = this.#embedding;
    if (contexts === undefined && embedding === undefined) return {};
    return {
      estimate: {
        ...(contexts === undefined ? {} : { contexts }),
        ...(embedding === undefined ? {} : { embedding }),
      },
    };
  }

  enter(stage: IndexProgress['stage'], source?: string): void {
    this.#stage = stage;
    this.#source = source;
    if (stage === 'indexing') this.#indexingSince ??= runtime().elapsed();
    this.#report(true);
  }

  expect(items: number, bytes: number): void {
    this.#items.total += items;
    this.#bytes.total += bytes;
    this.#report(false);
  }

  itemDone(bytes: number): void {
    this.#items.done++;
    this.#bytes.done += bytes;
    this.#report(false);
  }

  #report(always: boolean): void {
    if (this.onProgress === undefined) return;
    const now = runtime().elapsed();
    if (!always && now - this.#lastReport < PROGRESS_INTERVAL_MS) return;
    this.#lastReport = now;
    const elapsed = this.#indexingSince === undefined ? 0 : now - this.#indexingSince;
    const share = this.#bytes.total === 0 ? 0 : this.#bytes.done / this.#bytes.total;
    this.onProgress({
      stage: this.#stage,
      ...(this.#source === undefined ? {} : { source: this.#source }),
      itemsTotal: this.#items.total,
      itemsDone: this.#items.done,
      chunksWritten: this.vectorsIndexed,
      chunksPerSecond: elapsed === 0 ? 0 : (this.vectorsIndexed * 1000) / elapsed,
      ...(share >= MIN_SHARE_FOR_ETA && share < 1 && elapsed > 500
        ? { etaMs: (elapsed * (1 - share)) / share }
        : {}),
    });
  }

  stats(): IndexResult['stats'] {
    return {
      documentsProcessed: this.documentsProcessed,
      documentsUnchanged: this.documentsUnchanged,
      documentsFailed: this.documentsFailed,
      documentsDeleted: this.documentsDeleted,
      chunksCreated: this.chunksCreated,
      chunksUnchanged: this.chunksUnchanged,
      vectorsIndexed: this.vectorsIndexed,
      embeddingsComputed: this.embeddingsComputed,
      timeElapsed: round(runtime().elapsed() - this.#startedAt),
      stages: Object.fromEntries([...this.#stages].map(([stage, ms]) => [stage, round(ms)])),
      ...(this.#redactions.size === 0
        ? {}
        : {
            redactions: Object.fromEntries(
              [...this.#redactions].map(([source, counts]) => [source, Object.fromEntries(counts)]),
            ),
          }),
      ...(this.#skipped.size === 0 ? {} : { skipped: Object.fromEntries(this.#skipped) }),
      errors: this.errors,
    };
  }

  result(dryRun: boolean): IndexResult {
    const notices = [...this.#notices].map(([text, count]) =>
      count === 1 ? text : `${text} (${count} times)`,
    );
    const { chunks, maxInputTokens } = this.#truncated;
    if (chunks > 0) {
      notices.push(
        `${chunks} chunks are longer than the ${maxInputTokens} tokens that the embedding model reads; their vectors see only the beginning. Every word is still found by the lexical lane. A lower chunking.maxSize avoids this.`,
      );
    }
    return {
      success: this.errors.length === 0,
      stats: this.stats(),
      notices,
      dryRun,
      ...this.#estimate(),
    };
  }
}

/** Unknown where one of the parts is. */
function sumOfCosts(
  before: { readonly cost?: number } | undefined,
  added: { readonly cost?: number },
): { readonly cost?: number } {
  if (added.cost === undefined || (before !== undefined && before.cost === undefined)) return {};
  return { cost: (before?.cost ?? 0) + added.cost };
}

const round = (ms: number): number => Math.round(ms * 10) / 10;
