import type { ResolvedConfig } from '../config/resolved-config.js';
import { isForeignQuestion } from '../core/analysis/foreign-words.js';
import { RAGError, throwIfAborted } from '../core/errors.js';
import { matchBandOf } from '../core/match-band.js';
import { type Notice, noticesOfKind } from '../core/notice.js';
import { retry } from '../core/retry.js';
import { runtime } from '../core/runtime.js';
import type { Scope } from '../core/scope.js';
import { traced } from '../core/telemetry.js';
import { withDeadline } from '../core/with-deadline.js';
import { checkVectors, UnusableVectorsError } from '../embedding/embed-all.js';
import type { Embedder, EmbeddingKind } from '../embedding/embedder.js';
import type { Generation } from '../ledger/ledger.js';
import { callPart, refusalOf } from '../platform/degradation/breakers.js';
import { describeFailure } from '../platform/providers/call-failure.js';
import { splitModelName } from '../platform/providers/provider-table.js';
import type { LoadedEmbedder, ModelHandle } from '../resources/handles/model-handle.js';
import type { EmbedQuery } from '../retrieval/run-lanes.js';
import type { SearchedIndex } from './searched-index.js';

/** The embedding model as a search uses it. */
export interface QueryModel {
  readonly embedQuery: EmbedQuery;
  readonly embedPassage: EmbedQuery;
  /** Whether the model knows the script of a text. */
  readonly reads: (text: string) => boolean;
  /** It was made for English, so a question in another language is near to what shares its words. */
  readonly isEnglish: boolean;
  /** US dollars for the vector of a text; undefined where the price is not known. Absent where the model costs nothing but time. */
  readonly costOf?: ((text: string) => Promise<number | undefined>) | undefined;
  /** What a person must know of how the model was chosen. */
  readonly notices: readonly Notice[];
  /** What went wrong in its cache meanwhile. */
  readonly warnings?: (() => readonly Notice[]) | undefined;
}

interface Resources {
  readonly config: ResolvedConfig;
  readonly models: Pick<ModelHandle, 'embedderOf'> &
    Partial<Pick<ModelHandle, 'adaptationNotice' | 'forgetOpening'>>;
}

/**
 * The model that reads queries over an index. One that cannot be reached now fails where it is asked, as one that was reached
 * before would, so that the words answer alone.
 *
 * @throws RAGError where trying again would not help: another model than that of the index, one that is not there, a wrong setting.
 */
export async function openQueryModel(
  resources: Resources,
  live: Pick<SearchedIndex, 'facts' | 'ledger'>,
  { scope, signal }: { readonly scope: Scope; readonly signal?: AbortSignal | undefined },
): Promise<QueryModel> {
  const { facts, ledger } = live;
  try {
    const { embedder, forQueries, notices, cache } = await openInTime(resources, facts, signal);
    const isElsewhere = isOfAService(resources);
    const forQuery = await forQueries(facts, ledger, scope);
    const { laneDeadlineMs } = resources.config.rag.retrieval;
    const embed = (model: Embedder, kind: EmbeddingKind): EmbedQuery => {
      const ask = embedOne(model, kind, laneDeadlineMs);
      return isElsewhere ? (text, abort) => callPart('embedder', () => ask(text, abort)) : ask;
    };
    return {
      embedQuery: embed(forQuery, 'query'),
      embedPassage: embed(embedder, 'document'),
      reads: (text) => embedder.reads?.(text) ?? true,
      isEnglish: embedder.identity.model === 'builtin',
      costOf: embedder.estimate && (async (text) => (await embedder.estimate?.([text]))?.cost),
      warnings: () => noticesOfKind('cache-unavailable', cache?.warnings?.() ?? []),
      notices: [
        ...noticesOfKind('embedding-model', notices),
        ...noticesOfKind('adaptation-off', (await resources.models.adaptationNotice?.(live)) ?? []),
      ],
    };
  } catch (error) {
    throwIfAborted(signal);
    if (!isOutage(error)) throw error;
    return failing(() => error);
  }
}

function failing(errorOf: () => unknown): QueryModel {
  const fail = async (): Promise<never> => {
    throw errorOf();
  };
  return { embedQuery: fail, embedPassage: fail, reads: () => true, isEnglish: false, notices: [] };
}

/** For words alone nothing is loaded. */
export const NO_MODEL = failing(() => new RAGError('INTERNAL', 'A search for words alone embeds nothing.'));

/** Of a query that is hardly in the language of the model and matches nothing well. @param best score of the first result, where there is one */
export const languageNotice = (
  { isEnglish }: Pick<QueryModel, 'isEnglish'>,
  query: string,
  best = 0,
): readonly Notice[] =>
  isEnglish && isForeignQuestion(query) && matchBandOf(best) === 'weak' ? [FOREIGN_QUERY] : [];

const FOREIGN_QUERY: Notice = {
  kind: 'language-unread',
  text: 'The query seems not to be in English, the only language of the built-in model, so passages are found by the words that they share with it: ask in the language of the documents, or use a model that reads both (docs/better-model.md).',
};

/** A model of this machine is never left alone: nothing else would come of it. */
const isOfAService = ({ config: { rag, own } }: Resources): boolean =>
  splitModelName(rag.embedding.model) !== undefined || own?.embedder !== undefined;

/** Opening a hosted model may be a call of its service; loading one of this machine is work, which has no deadline. */
async function openInTime(
  resources: Resources,
  facts: Generation,
  signal: AbortSignal | undefined,
): Promise<LoadedEmbedder> {
  const { embedding, retrieval } = resources.config.rag;
  if (splitModelName(embedding.model) === undefined) return resources.models.embedderOf(facts);
  const refused = refusalOf('embedder');
  if (refused !== undefined) throw refused;
  const lateError = () =>
    new RAGError(
      'EMBEDDING_FAILED',
      `The embedding model ${embedding.model} could not be opened within ${retrieval.laneDeadlineMs} ms (rag.retrieval.laneDeadlineMs).`,
    );
  try {
    return await withDeadline({ timeoutMs: retrieval.laneDeadlineMs, signal, lateError }, () =>
      resources.models.embedderOf(facts),
    );
  } catch (error) {
    resources.models.forgetOpening?.();
    // Only a failure counts: a model that is open already says nothing of its service.
    return await callPart('embedder', async () => {
      throw error;
    });
  }
}

/** The service fails, or refuses now what it may take again; the configuration itself is sound. */
const isOutage = (error: unknown): error is RAGError =>
  RAGError.isInstance(error) && (error.category === 'provider' || error.reason === 'EMBEDDING_REJECTED');

/** Tries after the first one. A query is short and somebody waits: what does not answer then is down. */
const MAX_RETRIES = 3;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 2_000;

/**
 * Embeds one text, and tries again where the service is busy or fails for a moment: after as long as it asks, else after
 * doubling waits of random length ("full jitter", Brooker 2015, "Exponential Backoff And Jitter", AWS Architecture Blog).
 *
 * @param patienceMs a service that asks for a longer wait is given up at once.
 */
function embedOne(model: Embedder, kind: EmbeddingKind, patienceMs: number): EmbedQuery {
  const isWorthRetrying = (error: unknown): boolean =>
    isTransient(error) && (askedDelayOf(error) ?? 0) < patienceMs;
  return (text, signal) => {
    const askOnce = async (): Promise<Float32Array> => {
      const payload = { kind, model: model.identity.model, texts: 1 };
      const vectors = await traced('embed', payload, () => model.doEmbed([text], kind, signal));
      // Here it is the model that fails; the store would refuse them as well.
      checkVectors(model, vectors.length, vectors);
      const [vector] = vectors;
      if (vector !== undefined) return vector;
      throw new RAGError('EMBEDDING_REJECTED', 'The embedding model gave no vector for a text.');
    };
    return retry(askOnce, { retries: MAX_RETRIES, isWorthRetrying, delayAfter: delayOf, signal });
  };
}

const delayOf = (error: unknown, attempt: number): number =>
  askedDelayOf(error) ?? runtime().random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);

function askedDelayOf(error: unknown): number | undefined {
  const asked = RAGError.isInstance(error) ? error.details.retryAfterMs : describeFailure(error).retryAfterMs;
  return typeof asked === 'number' ? asked : undefined;
}

/** An embedder of the user's own may throw whatever its client throws. */
function isTransient(error: unknown): boolean {
  if (error instanceof UnusableVectorsError) return false;
  if (RAGError.isInstance(error)) return error.retryable;
  const { kind } = describeFailure(error);
  return kind === 'busy' || kind === 'unavailable';
}
