import { profileOf, type WordRarity } from '../../core/analysis/query-profile.js';
import { throwIfAborted } from '../../core/errors.js';
import { sigmoid } from '../../core/logistic.js';
import type { RerankCandidate, RerankedCandidate, Reranker } from '../reranker.js';
import { extractFeatures, FEATURES } from './features.js';
import { type RerankerModel, readRerankerModel, TreeEnsemble } from './reranker-model.js';

export interface BuiltinRerankerOptions {
  /** How rare words are in general. */
  readonly rarityOf: WordRarity;
  /** File of parameters. @default those that ship with the package */
  readonly file?: string;
}

const MAX_CANDIDATES = 200;

/**
 * The reranker that needs no download: boosted trees over some thirty features of a query and a passage (words, pairs,
 * nearness, titles, the lanes' scores), about 10 ms for 100 passages. Made by `tools/rerank`.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export async function createBuiltinReranker({ rarityOf, file }: BuiltinRerankerOptions): Promise<Reranker> {
  const model = await readRerankerModel(file);
  const ensemble = new TreeEnsemble(model);
  return {
    name: 'builtin',
    maxCandidates: MAX_CANDIDATES,
    concurrency: 'inline',
    // With other trees nothing was fitted.
    scoring: file === undefined ? 'fitted' : 'probability',
    async doRerank(query, candidates, signal) {
      throwIfAborted(signal);
      return score(profileOf(query, rarityOf), candidates, { model, ensemble });
    },
    close: async () => {},
  };
}

const FUSED = FEATURES.indexOf('fused');

function score(
  profile: ReturnType<typeof profileOf>,
  candidates: readonly RerankCandidate[],
  { model, ensemble }: { readonly model: RerankerModel; readonly ensemble: TreeEnsemble },
): RerankedCandidate[] {
  const { values, width } = extractFeatures(profile, candidates);
  const { scale, offset } = model.calibration;
  return candidates.map((_, index) => {
    const start = index * width;
    const raw = ensemble.predict(values, start) + model.fusedWeight * (values[start + FUSED] ?? 0);
    return { index, score: sigmoid(scale * raw + offset) };
  });
}
