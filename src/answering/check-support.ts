import { analyzeText } from '../analysis/lexical-analyzer.js';
import {
  compareClaim,
  type EvidenceText,
  SUPPORT_FEATURES,
  type SupportFeature,
} from './support-features.js';
import { FAITHFULNESS_MODEL, SUPPORT_MODEL, type SupportModel } from './support-weights.js';

export interface ClaimSupport {
  /** Estimated probability that the evidence says the sentence as it stands, in [0, 1]. */
  readonly score: number;
  /** How faithful people would call it, in [0, 1]: a measure of answers, forgiving of wording. */
  readonly faithfulness: number;
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
  const problems = [
    ...missing.numbers.map((number) => `the number ${number} is not in the source`),
    ...missing.names.map((name) => `the name "${name}" is not in the source`),
    ...missing.identifiers.map((identifier) => `"${identifier}" is not in the source`),
    ...(features.polarity < 1 ? ['the source says it with another negation'] : []),
    ...(features.coverage < LITTLE ? ['most of its words are not in the source'] : []),
  ];
  const score = probability(features, SUPPORT_MODEL);
  return {
    score: missing.numbers.length === 0 ? score : score * WITH_A_NUMBER_MISSING,
    faithfulness: probability(features, FAITHFULNESS_MODEL),
    problems,
    nearest,
  };
}

function probability(
  features: Readonly<Record<SupportFeature, number>>,
  { bias, weights }: SupportModel,
): number {
  const logit = SUPPORT_FEATURES.reduce((sum, name) => sum + weights[name] * features[name], bias);
  return 1 / (1 + Math.exp(-logit));
}

const LITTLE = 0.5;
/** A number that the source does not have makes a sentence unsupported, however well its words fit. */
const WITH_A_NUMBER_MISSING = 0.4;

const PLEASANTRY =
  /^(?:yes|no|sure|certainly|of course|here (?:is|are)|in summary|based on (?:the|these)|according to the (?:passages|sources|context)|i (?:hope|can|cannot|could not|don't|do not)|let me know|the (?:passages|sources|context|documents?) (?:do|does) not)\b/i;

/** Greetings, headings and remarks about the sources themselves claim nothing that could be checked. */
export function isClaim(sentence: string): boolean {
  const terms = new Set(analyzeText(sentence));
  return terms.size >= 3 && !/:\s*$/.test(sentence) && !(PLEASANTRY.test(sentence) && terms.size < 8);
}
