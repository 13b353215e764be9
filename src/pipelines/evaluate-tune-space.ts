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

/** Ways to find in one index: fusion, weights, reranking, candidates. The user's own come first, so that ties keep them. */
export function retrievalSpace(
  { rag }: ResolvedConfig,
  { withCandidates }: RetrievalSpaceOptions,
): TunedSettings[] {
  const { candidates } = rag.retrieval.fusion;
  const counts = withCandidates ? [candidates, Math.ceil(candidates / 2), candidates * 2] : [candidates];
  const { enabled, model } = rag.retrieval.rerank;
  const variants = counts.flatMap((count) =>
    [enabled, !enabled].flatMap((isReranked) =>
      fusions().map(({ name, fusion, share }): TunedSettings => {
        const weights = { semantic: share, keyword: Math.round((1 - share) * 10) / 10 };
        const rerankName = isReranked ? `rerank ${model}` : 'no rerank';
        return {
          name: `${name}, ${rerankName}, ${count} candidates`,
          settings: {
            retrieval: {
              fusion: { method: fusion, candidates: count },
              hybrid: { weights },
              rerank: { enabled: isReranked },
            },
          },
        };
      }),
    ),
  );
  return [{ name: 'current', settings: {} }, ...variants];
}

const fusions = () => [
  ...CONVEX_SHARES.map((share) => ({ name: nameOf('convex', share), fusion: 'convex' as const, share })),
  ...RANK_SHARES.map((share) => ({ name: nameOf('rrf', share), fusion: 'rrf' as const, share })),
];

const nameOf = (method: string, share: number): string =>
  `${method} dense ${share.toFixed(1)} lexical ${(1 - share).toFixed(1)}`;

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
