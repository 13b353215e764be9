import { analyzeText } from '../analysis/lexical-analyzer.js';
import { compareClaim, type EvidenceText, SUPPORT_FEATURES } from './support-features.js';
import { SUPPORT_MODEL } from './support-weights.js';

export interface ClaimSupport {
  /** Estimated probability that the evidence says what the sentence claims, in [0, 1]. */
  readonly score: number;
  /** What speaks against it, in words. */
  readonly problems: readonly string[];
  /** Position in `evidence.sentences` of the sentence it rests on; -1 where there is none. */
  readonly nearest: number;
}

/** A sentence counts as supported from here on. */
export const SUPPORT_THRESHOLD = 0.5;

/** Whether a text says what a sentence claims: shared terms, numbers, names, identifiers and negation; no language model. */
export function checkSupport(claim: string, evidence: EvidenceText): ClaimSupport {
  const { features, missing, nearest } = compareClaim(claim, evidence);
  const logit = SUPPORT_FEATURES.reduce(
    (sum, name) => sum + SUPPORT_MODEL.weights[name] * features[name],
    SUPPORT_MODEL.bias,
  );
  const problems = [
    ...missing.numbers.map((number) => `the number ${number} is not in the source`),
    ...missing.names.map((name) => `the name "${name}" is not in the source`),
    ...missing.identifiers.map((identifier) => `"${identifier}" is not in the source`),
    ...(features.polarity === 0 ? ['the source says it with another negation'] : []),
    ...(features.coverage < LITTLE ? ['most of its words are not in the source'] : []),
  ];
  return { score: 1 / (1 + Math.exp(-logit)), problems, nearest };
}

const LITTLE = 0.5;

const PLEASANTRY =
  /^(?:yes|no|sure|certainly|of course|here (?:is|are)|in summary|based on (?:the|these)|according to the (?:passages|sources|context)|i (?:hope|can|cannot|could not|don't|do not)|let me know|the (?:passages|sources|context|documents?) (?:do|does) not)\b/i;

/** Greetings, headings and remarks about the sources themselves claim nothing that could be checked. */
export function isClaim(sentence: string): boolean {
  const terms = new Set(analyzeText(sentence));
  return terms.size >= 3 && !/:\s*$/.test(sentence) && !(PLEASANTRY.test(sentence) && terms.size < 8);
}
