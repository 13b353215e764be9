import type { ResolvedConfig } from '../config/resolved-config.js';
import type { RAGSettingsInput } from '../config/schema/index.js';

/** Settings to try, over those of the user, with a name for people. */
export interface TunedSettings {
  readonly name: string;
  readonly settings: RAGSettingsInput;
}

/** Shares of the dense lane that are tried; the lexical lane has the rest. */
const CONVEX_SHARES = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const RANK_SHARES = [0.1, 0.3, 0.5, 0.7, 0.9];

/** Shares of the reranker in the order of what it saw. */
const RERANK_SHARES = [0.25, 0.5, 0.75, 1];

/** Expansions that need no language model. */
const LOCAL_EXPANSIONS = ['abbreviations', 'feedback-words', 'feedback-vectors'] as const;

/** Tried beside the user's own, as tokens: they bracket what published comparisons of chunkers find best. */
const CHUNKINGS = [
  { strategy: 'semantic', maxSize: 200 },
  { strategy: 'semantic', maxSize: 320 },
  { strategy: 'semantic', maxSize: 480 },
  { strategy: 'recursive', maxSize: 200 },
  { strategy: 'recursive', maxSize: 400 },
] as const;

export interface RetrievalSpaceOptions {
  /** Try other numbers of candidates too. */
  readonly withCandidates: boolean;
}

/** Ways to find in one index: fusion, weights, expansion, reranking, candidates. The user's own come first, so that ties keep them. */
export function retrievalSpace(
  { rag }: ResolvedConfig,
  { withCandidates }: RetrievalSpaceOptions,
): TunedSettings[] {
  const { candidates } = rag.retrieval.fusion;
  const counts = withCandidates ? [candidates, Math.ceil(candidates / 2), candidates * 2] : [candidates];
  const { enabled, model } = rag.retrieval.rerank;
  const fusions = [...weightedFusions(), ...unweightedFusions(rag.retrieval.hybrid.weights !== undefined)];
  const variants = counts.flatMap((count) =>
    [enabled, !enabled].flatMap((isReranked) =>
      fusions.map(
        ({ name, retrieval: { fusion, ...rest } }): TunedSettings => ({
          name: `${name}, ${isReranked ? `rerank ${model}` : 'no rerank'}, ${count} candidates`,
          settings: {
            retrieval: {
              ...rest,
              fusion: { ...fusion, candidates: count },
              rerank: { enabled: isReranked },
            },
          },
        }),
      ),
    ),
  );
  return [
    { name: 'current', settings: {} },
    ...(enabled ? blends(rag.retrieval.rerank.weight) : []),
    ...variants,
  ];
}

/** The present order with other shares of the reranker: what it knows in general against what the lanes say here. */
const blends = (present: number): TunedSettings[] =>
  RERANK_SHARES.filter((weight) => weight !== present).map((weight) => ({
    name: `reranker with a share of ${weight}`,
    settings: { retrieval: { rerank: { weight } } },
  }));

interface NamedFusion {
  readonly name: string;
  readonly retrieval: NonNullable<RAGSettingsInput['retrieval']>;
}

/** One share of the lanes for all queries. */
function weightedFusions(): NamedFusion[] {
  const named = (method: 'convex' | 'rrf') => (semantic: number) => {
    const keyword = Math.round((1 - semantic) * 10) / 10;
    return {
      name: `${method} dense ${semantic} lexical ${keyword}`,
      retrieval: { fusion: { method }, hybrid: { weights: { semantic, keyword } } },
    };
  };
  return [...CONVEX_SHARES.map(named('convex')), ...RANK_SHARES.map(named('rrf'))];
}

/** Weights found for each query, alone and with what can be added to a query without a model; not over stated weights. */
function unweightedFusions(areWeightsStated: boolean): NamedFusion[] {
  if (areWeightsStated) return [];
  const fusion = { method: 'adaptive' } as const;
  return [
    { name: 'adaptive', retrieval: { fusion } },
    ...LOCAL_EXPANSIONS.map((kind) => ({
      name: `adaptive with ${kind}`,
      retrieval: { fusion, expansion: { kinds: [kind] } },
    })),
  ];
}

/** The user's own settings, and the same with synonyms of a file. */
export const synonymSpace = (file: string): TunedSettings[] => [
  { name: 'current', settings: {} },
  { name: 'with the synonyms', settings: { retrieval: { synonyms: { file } } } },
];

/** Ways to cut documents beside the user's own; each needs an index of its own. */
export function otherChunkings({ rag }: ResolvedConfig): TunedSettings[] {
  const { strategy, maxSize, unit } = rag.chunking;
  return CHUNKINGS.filter(
    (chunking) => unit !== 'tokens' || chunking.strategy !== strategy || chunking.maxSize !== maxSize,
  ).map((chunking) => ({
    name: `${chunking.strategy} chunks of ${chunking.maxSize} tokens`,
    settings: { chunking: { ...chunking, unit: 'tokens' } },
  }));
}
