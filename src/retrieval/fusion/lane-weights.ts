import { modelNameOf } from '../model-name.js';
import type { LaneWeights } from '../retriever.js';

interface MeasuredWeights extends LaneWeights {
  /** Where the figure comes from. */
  readonly provenance: string;
}

/** Weights by embedding model (`modelNameOf`): a weak dense lane must not count as much as a strong one. */
export const MEASURED_LANE_WEIGHTS: Readonly<Record<string, MeasuredWeights>> = {
  builtin: { dense: 0.3, lexical: 0.7, provenance: 'static model: SciFact dense .51 beside BM25 .68' },
  'all-minilm-l6-v2': { dense: 0.6, lexical: 0.4, provenance: 'MiniLM int8: SciFact .735 at .6' },
};

/** Where nothing was measured, neither lane is trusted more. */
const UNMEASURED: LaneWeights = { dense: 0.5, lexical: 0.5 };

export const laneWeightsFor = (modelKey: string): LaneWeights =>
  MEASURED_LANE_WEIGHTS[modelNameOf(modelKey)] ?? UNMEASURED;
