import * as z from 'zod';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { sigmoid } from '../../core/logistic.js';
import { retry } from '../../core/retry.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { type CallFailure, describeFailure } from '../../platform/providers/call-failure.js';
import { estimateTokens } from '../../platform/providers/estimate-tokens.js';
import { postJson } from '../../platform/providers/post-json.js';
import type { ProviderConnection } from '../../platform/providers/provider-connection.js';
import { factsOf, isOwnServer } from '../../platform/providers/provider-table.js';
import { remedyFor } from '../../platform/providers/remedy.js';
import { passageTextOf, type RerankCandidate, type RerankedCandidate, type Reranker } from '../reranker.js';

export interface HostedRerankerOptions {
  readonly connection: ProviderConnection;
  /** As the provider names it: `rerank-v3.5`, `rerank-2.5`, `jina-reranker-v2-base-multilingual`. */
  readonly model: string;
  /** Most candidates of one call. @default 100, what providers bill as one search or take at once */
  readonly maxCandidates?: number;
  /** How often a call is repeated that found no capacity or connection; the caller's deadline holds. @default 2 */
  readonly retries?: number;
  /** @default 0 for a server of one's own, else unknown */
  readonly price?: RerankPrice | undefined;
}

const DEFAULT_MAX_CANDIDATES = 100;
const DEFAULT_RETRIES = 2;

/**
 * A reranker behind `POST {address}/rerank`, which Cohere began and Voyage, Jina, vLLM and others follow:
 * https://docs.cohere.com/v2/reference/rerank, https://docs.voyageai.com/reference/reranker-api, https://jina.ai/reranker/,
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html (re-rank API). Passages leave this machine.
 */
export function createHostedReranker(options: HostedRerankerOptions): Reranker {
  return new HostedReranker(options);
}

const ranked = z.array(z.object({ index: z.number().int(), relevance_score: z.number() }));
// Voyage says `data` where all others say `results`.
const answerSchema = z.union([
  z.object({ results: ranked }).transform(({ results }) => results),
  z.object({ data: ranked }).transform(({ data }) => data),
]);

class HostedReranker implements Reranker {
  readonly name: string;
  readonly maxCandidates: number;
  readonly #options: HostedRerankerOptions;
  readonly #closed = new AbortController();

  constructor(options: HostedRerankerOptions) {
    this.name = `${options.connection.provider}:${options.model}`;
    this.maxCandidates = options.maxCandidates ?? DEFAULT_MAX_CANDIDATES;
    this.#options = options;
  }

  costOf(query: string, candidates: readonly RerankCandidate[]): number | undefined {
    const { price, connection } = this.#options;
    if (price === undefined) return isOwnServer(connection.provider) ? 0 : undefined;
    const passages = candidates.map((candidate) => estimateTokens(passageTextOf(candidate)));
    return rerankCost(price, { query: estimateTokens(query), passages });
  }

  async doRerank(
    query: string,
    candidates: readonly RerankCandidate[],
    signal?: AbortSignal,
  ): Promise<RerankedCandidate[]> {
    if (candidates.length === 0) return [];
    const { connection, model, retries = DEFAULT_RETRIES } = this.#options;
    const { baseUrl = '', apiKey, headers } = connection;
    const body = { model, query, documents: candidates.map(passageTextOf) };
    const either =
      signal === undefined ? this.#closed.signal : AbortSignal.any([signal, this.#closed.signal]);
    const failures = new WeakMap<RAGError, CallFailure>();
    const results = await retry(
      async () => {
        try {
          const answer = await postJson(`${baseUrl}/rerank`, body, { apiKey, headers, signal: either });
          return answerSchema.parse(answer);
        } catch (error) {
          throwIfAborted(either);
          const failure = describeFailure(error, apiKey === undefined ? [] : [apiKey]);
          const problem = this.#problem(failure);
          failures.set(problem, failure);
          throw problem;
        }
      },
      {
        retries,
        signal: either,
        isWorthRetrying: (error) => {
          const kind = error instanceof RAGError ? failures.get(error)?.kind : undefined;
          return kind === 'busy' || kind === 'unavailable';
        },
      },
    );
    const isProbability = results.every(({ relevance_score: score }) => score >= 0 && score <= 1);
    return results.map(({ index, relevance_score: score }) => ({
      index,
      // Some servers give the classifier's raw output.
      score: isProbability ? score : sigmoid(score),
    }));
  }

  async close(): Promise<void> {
    this.#closed.abort(new RAGError('ABORTED', 'The reranker was closed.'));
  }

  #problem(failure: CallFailure): RAGError {
    const { connection } = this.#options;
    const { status, detail, retryAfterMs } = failure;
    const said = status === undefined ? detail : `${status}: ${detail}`;
    return new RAGError(
      'RERANKER_UNAVAILABLE',
      `${factsOf(connection.provider).label} did not rerank (${this.name}; ${said}).${remedyFor(failure, connection)}`,
      {
        details: {
          model: this.name,
          ...withoutUndefined({ status, retryAfterMs }),
        },
      },
    );
  }
}

/** US dollars, as vendors count: by tokens (Voyage, Jina) or by searches (Cohere). */
export interface RerankPrice {
  readonly perMillionTokens?: number | undefined;
  readonly perThousandSearches?: number | undefined;
}

/** Lengths in tokens. */
interface Reranked {
  readonly query: number;
  readonly passages: readonly number[];
}

const MILLION = 1_000_000;
const THOUSAND = 1_000;
/** A search is a query with so many documents; one that is longer than so many tokens, the query included, counts as several. */
const SEARCH_DOCUMENTS = 100;
const DOCUMENT_TOKENS = 500;

/** What a call costs. By tokens the query counts once with each passage, as it is read with each. */
export function rerankCost(
  { perMillionTokens = 0, perThousandSearches = 0 }: RerankPrice,
  { query, passages }: Reranked,
): number {
  const tokens = passages.reduce((sum, passage) => sum + query + passage, 0);
  const documents = passages.reduce(
    (sum, passage) => sum + Math.ceil((query + passage) / DOCUMENT_TOKENS),
    0,
  );
  const searches = Math.ceil(documents / SEARCH_DOCUMENTS);
  return (tokens * perMillionTokens) / MILLION + (searches * perThousandSearches) / THOUSAND;
}
