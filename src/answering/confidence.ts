import type { ContextEntry } from '../context/context-pack.js';
import { sigmoid } from '../core/logistic.js';
import { askedItems } from './asked-items.js';
import { CONFIDENCE_FEATURES, type ConfidenceEvidence, confidenceFeatures } from './confidence-features.js';
import { CONFIDENCE_MODEL } from './confidence-weights.js';

/** Estimated probability that the best quotation answers, in [0, 1]; 0 where there are none. */
export function confidenceOf(
  question: string,
  entries: readonly ContextEntry[],
  evidence: ConfidenceEvidence,
): number {
  if (evidence.quotations.length === 0) return 0;
  const features = confidenceFeatures(question, entries, evidence);
  const logit = CONFIDENCE_FEATURES.reduce(
    (sum, name) => sum + CONFIDENCE_MODEL.weights[name] * features[name],
    CONFIDENCE_MODEL.bias,
  );
  return Math.max(sigmoid(logit), ofAskedItem(question, evidence));
}

/**
 * A question that names an item and says hardly anything else asks for what the item says, whatever words they share: quoted, as an answer that is
 * to be judged. Chosen by hand.
 */
function ofAskedItem(question: string, { quotations: [best] }: ConfidenceEvidence): number {
  const asked = askedItems(question);
  return best !== undefined && asked.isAskedFor && asked.has(best.entry) ? ASKED_FOR : 0;
}

const ASKED_FOR = 0.3;
