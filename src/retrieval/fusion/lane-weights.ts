import { modelNameOf } from '../model-name.js';
import type { LaneWeights } from '../retriever.js';

interface MeasuredWeights extends LaneWeights {
  /** Where the figure comes from. */
  readonly provenance: string;
}

/** Weights by embedding model (`modelNameOf`): a weak dense lane must not count as much as a strong one. */
export const MEASURED_LANE_WEIGHTS: Readonly<Record<string, MeasuredWeights>> = {
  builtin: {
    dense: 0.25,
    lexical: 0.75,
    provenance:
      'SciFact train, nDCG@10: .711 at .2, .708 at .3, .699 at .4; BM25 alone .706, dense alone .479 (2026-11-22)',
  },
  'all-minilm-l6-v2': {
    dense: 0.4,
    lexical: 0.6,
    provenance:
      'SciFact train, nDCG@10: .731 at .3, .736 at .4, .728 at .5; BM25 alone .706, dense alone .661 (2026-11-22)',
  },
};

/** Where nothing was measured, neither lane is trusted more. */
const UNMEASURED: LaneWeights = { dense: 0.5, lexical: 0.5 };

export const laneWeightsFor = (modelKey: string): LaneWeights =>
  MEASURED_LANE_WEIGHTS[modelNameOf(modelKey)] ?? UNMEASURED;
