import type { Reading, Similarity } from '../answering/quotation-features.js';
import { dotProduct } from '../core/dot-product.js';
import { RAGError } from '../core/errors.js';
import type { Scope } from '../core/scope.js';
import { sharedLoad } from '../core/shared-load.js';
import type { Embedder } from '../embedding/embedder.js';
import { createStaticEmbedder } from '../embedding/static/static-embedder.js';
import type { TextReader } from '../embedding/text-reader.js';
import { isOutage } from '../platform/degradation/outage.js';
import type { EngineResources } from '../resources/engine-resources.js';

const BUILTIN = 'builtin';

/**
 * Cosines of a question and texts by the built-in model, which reads a hundred texts in some milliseconds; weights of answers were
 * fitted on its cosines. What is in a script that it does not read is near to nothing. Over an index that it made, it reads questions as it learnt to, as long as the ledger answers.
 */
export function similarityFor(scope: Scope, resources: EngineResources): Similarity {
  return async (question, texts, signal) =>
    cosines(await modelsFor(scope, resources), question, texts, signal);
}

/** The same over passages of no index. */
export const builtinSimilarity: Similarity = async (question, texts, signal) => {
  const builtin = await loadBuiltin();
  return cosines({ queries: builtin, passages: builtin }, question, texts, signal);
};

async function cosines(
  { queries, passages }: Models,
  ...[question, texts, signal]: Parameters<Similarity>
): Promise<number[]> {
  const isRead = (text: string): boolean => passages.reads?.(text) ?? true;
  if (!isRead(question)) return texts.map(() => 0);
  const [query] = await queries.doEmbed([question], 'query', signal);
  const vectors = await passages.doEmbed(texts, 'document', signal);
  return vectors.map((vector, i) =>
    query === undefined || !isRead(texts[i] ?? '') ? 0 : dotProduct(query, vector),
  );
}

interface Models {
  readonly queries: Embedder;
  readonly passages: Embedder;
}

async function modelsFor(scope: Scope, resources: EngineResources): Promise<Models> {
  const live = await resources.ledger.live().catch((error: unknown) => {
    if (isOutage(error)) return undefined;
    throw error;
  });
  if (live?.facts.embedder !== BUILTIN) {
    const builtin = await loadBuiltin();
    return { queries: builtin, passages: builtin };
  }
  const { facts, ledger } = live;
  const { embedder, forQueries } = await resources.models.embedderOf(facts);
  return { queries: await forQueries(facts, ledger, scope), passages: embedder };
}

const readers = new Map<string, Promise<TextReader>>();
const loadReader = (): Promise<TextReader> =>
  sharedLoad(readers, BUILTIN, async () => {
    const { ReaderThreads } = await import('../embedding/static/reader/reader-threads.js');
    return new ReaderThreads();
  });

/** All texts, however long it takes. */
const WHOLE = { characters: Number.POSITIVE_INFINITY, longestMs: Number.POSITIVE_INFINITY };

/** Cosines of a question and texts by the reader, which keeps what it read in memory alone. */
export const readerSimilarity: Reading = async (question, texts, signal) => {
  const reader = await loadReader();
  const asked = { query: question, passages: texts, ...WHOLE };
  const { query, passages } = await reader.read(asked, signal).catch((error: unknown) => {
    if (!RAGError.isInstance(error) || error.reason === 'ABORTED') throw error;
    // The reranker tells that the reader fails.
    return { query: undefined, passages: texts.map(() => undefined) };
  });
  const isRead = (vector: Float32Array | undefined): vector is Float32Array =>
    vector !== undefined && vector.length > 0;
  return passages.map((passage) =>
    isRead(query) && isRead(passage) ? dotProduct(query, passage) : undefined,
  );
};

const builtins = new Map<string, Promise<Embedder>>();
const loadBuiltin = (): Promise<Embedder> => sharedLoad(builtins, BUILTIN, createStaticEmbedder);
