import type { ResolvedConfig } from '../config/resolved-config.js';
import type { SearchQuery } from '../operations/engine.js';
import { collapse } from '../retrieval/refining/collapse.js';
import { chunksFor, joinAdjacent } from '../retrieval/refining/join-adjacent.js';
import type {
  CollapseMode,
  LaneReport,
  RankedCandidate,
  RetrievalRequest,
  RetrievalResult,
  Retriever,
} from '../retrieval/retriever.js';
import { resultsFor } from './retrieval-request.js';

/**
 * Most passages that are shown: what was asked for, else `rag.retrieval.topK`, of which `rag.retrieval.rerank.topK` are left
 * where a reranker put them in order; more for a question that asks several things, where that is set.
 */
export function passageLimit(
  asked: number | undefined,
  config: ResolvedConfig,
  { text, isReranked }: { readonly text: string; readonly isReranked: boolean },
): number {
  const { topK, rerank } = config.rag.retrieval;
  if (asked !== undefined) return asked;
  return resultsFor(text, isReranked ? Math.min(topK, rerank.topK ?? topK) : topK, config);
}

/** More is asked for by so much where one document fills what was found. */
const WIDENING = 4;

/**
 * What is shown of what is found. Where every document is shown once, one of very many chunks would leave no room for others: then
 * more is looked for, until there are enough documents or nothing is left.
 */
export async function retrieveShown(
  retriever: Retriever,
  { query, request }: { readonly query: SearchQuery; readonly request: RetrievalRequest },
  { config, maxTopK }: { readonly config: ResolvedConfig; readonly maxTopK: number },
): Promise<{ result: RetrievalResult; passages: readonly RankedCandidate[]; limit: number }> {
  const { collapse: mode = 'none', minSimilarity, scoreFall } = request;
  // Small chunks are joined first.
  const inRetriever = cutsSmall(config) ? 'none' : mode;
  const isCutByScore = minSimilarity > 0 || scoreFall !== undefined;
  for (let topK = chunkLimit(request.topK, config, maxTopK); ; ) {
    const result = await retriever.retrieve({ ...request, topK, collapse: inRetriever });
    const limit = passageLimit(query.options?.topK, config, {
      text: query.text,
      isReranked: isReranked(result),
    });
    const passages = shownPassages(result.candidates, { limit, mode }, config);
    const asked = Math.min(Math.max(topK, config.rag.retrieval.fusion.candidates), maxTopK);
    const isAll = asked === maxTopK || !result.lanes.some((lane) => isFull(lane, asked));
    if (mode !== 'document' || isCutByScore || passages.length >= limit || isAll)
      return { result, passages, limit };
    topK = Math.min(asked * WIDENING, maxTopK);
  }
}

const isFull = ({ lane, candidates }: LaneReport, asked: number): boolean =>
  (lane === 'dense' || lane === 'lexical') && candidates >= asked;

const isReranked = ({ lanes }: RetrievalResult): boolean =>
  lanes.some(({ lane, status }) => lane === 'rerank' && status === 'ran');

/** How many chunks to find for so many passages: more where small ones are joined, as far as the store goes. */
const chunkLimit = (passages: number, config: ResolvedConfig, maxTopK: number): number =>
  cutsSmall(config) ? Math.max(passages, Math.min(chunksFor(passages), maxTopK)) : passages;

/**
 * Chunks to the passages that are shown: small chunks that follow each other become one, of them each document is shown once where
 * that is asked for, and the list is cut.
 */
function shownPassages(
  chunks: readonly RankedCandidate[],
  { limit, mode }: { readonly limit: number; readonly mode: CollapseMode },
  config: ResolvedConfig,
): readonly RankedCandidate[] {
  if (!cutsSmall(config)) return chunks.slice(0, limit);
  // More are joined until enough of them stand for different documents.
  for (let wanted = limit; ; wanted *= 2) {
    const joined = joinAdjacent(chunks, wanted);
    const { kept } = collapse(joined, mode);
    if (kept.length >= limit || joined.length < wanted) return kept.slice(0, limit);
  }
}

/** Some source is cut to small chunks that are joined when they are found. */
const cutsSmall = ({ rag }: ResolvedConfig): boolean =>
  [rag.chunking, ...rag.sources.map(({ chunking }) => chunking)].some(
    (chunking) => chunking?.strategy === 'adaptive',
  );
