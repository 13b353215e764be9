import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import { sigmoid } from '../core/logistic.js';
import { type AgreementFeature, type ClaimComparison, compareWithSource } from './agreement-features.js';
import type { ClaimDifference } from './claim-differences.js';
import { claimWords } from './claim-words.js';
import { exchangedParty } from './exchanged-parties.js';
import { boundsIn, turnedBounds } from './stated-bounds.js';
import { turnedSteps } from './stated-order.js';
import { withOtherRates, withRatesOf } from './stated-rates.js';
import { type ClaimEvidence, compareClaim, type EvidenceText, withPlainForms } from './support-features.js';
import { FAITHFULNESS_MODEL, SUPPORT_MODEL, type SupportModel, WORDS_MODEL } from './support-weights.js';

export interface ClaimSupport {
  /** Estimated probability that the evidence says the sentence as it stands, in [0, 1]. */
  readonly score: number;
  /** How faithful people would call it, in [0, 1]: a measure of answers, forgiving of wording. */
  readonly faithfulness: number;
  /** What speaks against it, in words. */
  readonly problems: readonly string[];
  /** What the evidence says otherwise, in words; absent where it is not known to. */
  readonly contradiction?: string;
  /** Position in `evidence.sentences` of the sentence it rests on; -1 where there is none. */
  readonly nearest: number;
}

/**
 * A sentence counts as supported from here on, where nothing contradicts it. Of right sentences that nothing was fitted on .15 are marked here,
 * of those written for the check .80 of the wrong ones are found (docs/research/support.md).
 */
export const SUPPORT_THRESHOLD = 0.43;
/** Below it an opposite, another number or another name contradicts the sentence. */
const CONTRADICTED_BELOW = 0.5;

/**
 * Whether a text says what a sentence claims, in whatever words: shared terms, and what stands otherwise between them (numbers, names,
 * opposites, negation, order), and how near its meaning is to a sentence of the text where that was read with a model; no language model.
 */
export function checkSupport(asWritten: string, evidence: EvidenceText): ClaimSupport {
  const claim = withRatesOf(withPlainForms(asWritten), evidence.rates);
  const support = supportOf(claim, evidence);
  // A sentence that its source would say with another rate says another rate.
  const otherRate = withOtherRates(claim, evidence.rates).find(({ text }) => {
    const { score, copied } = supportOf(text, evidence);
    return score >= CONTRADICTED_BELOW && copied >= LEAST_COPIED;
  });
  const { copied: _, ...found } = support;
  if (otherRate === undefined) return found;
  const contradiction = `the source says another rate: "${otherRate.other.text}", not "${otherRate.own.text}"`;
  return {
    ...found,
    score: Math.min(support.score, WITH_ONE_MISSING),
    contradiction,
    problems: [contradiction, ...support.problems],
  };
}

/** @param claim in plain forms. */
function supportOf(claim: string, evidence: EvidenceText): ClaimSupport & Pick<ClaimComparison, 'copied'> {
  const words = claimWords(claim, evidence.source);
  const evident = compareClaim(claim, evidence, words);
  const { features, missing, nearest } = evident;
  const comparison = compareWithSource(words, evidence.source);
  const turned = turnedBounds(boundsIn(claim), evidence.bounds);
  const swapped = turnedSteps(words, evidence.orders);
  const party = exchangedParty(words, evidence.source);
  const limit = droppedLimit(claim, evidence);
  const span = otherSpan(claim, evidence);
  const isOtherwise = turned.length > 0 || [swapped, party, limit, span].some((found) => found !== undefined);
  const score = scoreOf(evident, comparison) * (isOtherwise ? WITH_ONE_MISSING : 1);
  const contradiction = score < CONTRADICTED_BELOW ? contradictionIn(claim, comparison) : undefined;
  const problems = [
    ...(contradiction === undefined ? [] : [contradiction]),
    ...comparison.missingAmounts.map(({ text }) => `the number ${text} is not in the source`),
    ...comparison.amountsOfOthers.map(({ text }) => `the source says ${text} of something else`),
    ...turned.map((amount) => `the source states the other side of ${amount}`),
    ...(swapped === undefined ? [] : [`the source has "${swapped[1]}" before "${swapped[0]}"`]),
    ...(party === undefined ? [] : [`the source says it of "${party.source}", not of "${party.claim}"`]),
    ...(limit === undefined ? [] : [`the source limits it: "${limit}"`]),
    ...(span === undefined ? [] : [`the source says "${span}"`]),
    ...missing.names.map((name) => `the name "${name}" is not in the source`),
    ...missing.identifiers.map((identifier) => `"${identifier}" is not in the source`),
    ...(features.polarity < 1 ? ['its negations are others than those of the source'] : []),
    ...(features.coverage < LITTLE ? ['most of its words are not in the source'] : []),
  ];
  return {
    score,
    faithfulness: probability(FAITHFULNESS_MODEL, (name) => features[name]),
    problems,
    ...(contradiction === undefined ? {} : { contradiction }),
    nearest,
    copied: comparison.copied,
  };
}

/** What a statement is limited to, before it or behind it. */
const LIMIT = /^unless\b[^,]*,|[ ,]+\b(?:only (?:if|when|for|after|with|in|to|by|on)|unless|except)\b.*$/i;
const LIMITING =
  /\b(?:only|if|unless|except|when|while|once|after|before|until|without|may|can|could|sometimes|some)\b/i;
/** Share of a statement that a sentence repeats, and of the sentence that is of it. */
const REPEATED = 0.75;

const UNLESS = /\bunless ([^,.;]+)/i;
const IF = /(?<!\b(?:only|even|as) )\b(?:if|when) ([^,.;]+)/i;
const NEGATION = /\b(?:not|no|never|cannot|none|nor)\b|n['’]t\b/i;

/** What limits the statement that a sentence repeats without a limit of its own, or with "if" in the place of "unless". */
function droppedLimit(claim: string, { sentences }: EvidenceText): string | undefined {
  const turned = sentences.find(({ text }) =>
    [
      [UNLESS, IF],
      [IF, UNLESS],
    ].some(([one = UNLESS, other = IF]) => {
      const [ofClaim, ofSource] = [other.exec(claim)?.[1], one.exec(text)?.[1]];
      const isSame =
        ofClaim !== undefined && ofSource !== undefined && termsOf(ofClaim) === termsOf(ofSource);
      return isSame && NEGATION.test(claim) === NEGATION.test(text);
    }),
  );
  if (turned !== undefined) return turned.text;
  if (LIMITING.test(claim)) return undefined;
  const own = new Set(analyzeText(claim));
  const share = (terms: ReadonlySet<string>, others: ReadonlySet<string>): number =>
    terms.size === 0 ? 0 : [...terms].filter((term) => others.has(term)).length / terms.size;
  for (const { text } of sentences) {
    const limit = LIMIT.exec(text);
    if (limit === null) continue;
    const said = new Set(analyzeText(text.replace(limit[0], ' ')));
    const limited = new Set(analyzeText(limit[0]).filter((term) => !said.has(term)));
    const isSaid = share(said, own) >= REPEATED && share(own, new Set([...said, ...limited])) >= REPEATED;
    if (isSaid && said.size >= 2 && ![...limited].some((term) => own.has(term)) && limited.size > 0)
      return limit[0].replace(/^[ ,]+/, '');
  }
  return undefined;
}

const UNBOUNDED = /\b(?:for ?ever|indefinitely|permanently|endlessly)\b/i;
const BOUNDED =
  /\b(?:for|up to|within) (?:a|an|one|\d+|(?:a )?few|some|several) ?(?:ms|seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b/i;

/** How long the statement most like a sentence says that something lasts, where one of both says forever and the other a time. */
function otherSpan(claim: string, { sentences }: EvidenceText): string | undefined {
  const others = UNBOUNDED.test(claim) ? BOUNDED : BOUNDED.test(claim) ? UNBOUNDED : undefined;
  if (others === undefined || (UNBOUNDED.test(claim) && BOUNDED.test(claim))) return undefined;
  const withoutSpan = (text: string): string => text.replace(UNBOUNDED, ' ').replace(BOUNDED, ' ');
  const own = new Set(analyzeText(withoutSpan(claim)));
  const shared = (text: string): number =>
    [...new Set(analyzeText(withoutSpan(text)))].filter((term) => own.has(term)).length;
  const alike = sentences.filter(({ text }) => shared(text) >= own.size * REPEATED);
  const isSaid = alike.some(({ text }) => (others === BOUNDED ? UNBOUNDED : BOUNDED).test(text));
  return isSaid
    ? undefined
    : alike.map(({ text }) => others.exec(text)?.[0]).find((found) => found !== undefined);
}

const termsOf = (text: string): string => analyzeText(text).sort().join(' ');

/** Words around a difference that have to be the same: below it may be said of something else. */
const LEAST_FRAME = 5;
/** Share of a sentence that has to stand in its source, where a difference has no place among the same words. */
const LEAST_COPIED = 0.6;

const SAID: Readonly<Partial<Record<ClaimDifference['kind'], string>>> = {
  number: 'another number',
  name: 'another name',
  opposite: 'the opposite',
  negation: 'the contrary',
  order: 'it the other way round',
  cause: 'another cause',
};

/** What is not so is said beside what is: "not on 443 but on 8443", "and never for 90 days", "not by one alone". */
const SETS_APART =
  /\b(?:not|never|no|cannot|\w+n['’]t)\b.*\b(?:but|because|alone|rather|instead)\b|[,;]\s*(?:and\s+)?(?:not|never)\b|\b(?:rather than|instead of)\b/i;
/** What of it may be that which is denied. */
const DENIED: ReadonlySet<ClaimDifference['kind']> = new Set(['number', 'name', 'negation', 'cause']);

/**
 * What a source says otherwise, in words: a number, a name, an opposite, a negation, an order or a cause, in a sentence that otherwise says the
 * same. Where other words differ too, nothing is said to contradict: it may be another way of saying it.
 */
function contradictionIn(claim: string, { differences, copied }: ClaimComparison): string | undefined {
  const isSettingApart = SETS_APART.test(claim);
  const found = differences.find(
    ({ kind, frame, isTight, isUnsure }) =>
      SAID[kind] !== undefined &&
      isUnsure !== true &&
      !(isSettingApart && DENIED.has(kind)) &&
      ((isTight && frame >= LEAST_FRAME) || (frame === 0 && copied >= LEAST_COPIED)),
  );
  return found === undefined
    ? undefined
    : `the source says ${SAID[found.kind]}: "${found.source}", not "${found.claim}"`;
}

function scoreOf(evident: ClaimEvidence, comparison: ClaimComparison): number {
  const model = evident.meaning === undefined ? WORDS_MODEL : SUPPORT_MODEL;
  const score = probability(model, (name) => agreementValue(name, evident, comparison));
  const isMissing =
    comparison.departures.amountMissing > 0 ||
    comparison.amountsOfOthers.length > 0 ||
    comparison.isDeniedLess ||
    (comparison.departures.opposedBeside > 0 && comparison.copied >= LEAST_COPIED) ||
    evident.features.identifiers < 1;
  return isMissing ? score * WITH_ONE_MISSING : score;
}

/** A feature as the models weigh it: the more, the more speaks for the sentence. */
export function agreementValue(
  name: AgreementFeature,
  { features, meaning = 0 }: Pick<ClaimEvidence, 'features' | 'meaning'>,
  { departures }: Pick<ClaimComparison, 'departures'>,
): number {
  if (name === 'meaning') return meaning;
  const copied = 1 - departures.reordered;
  if (name === 'polarityCopy') return 1 - (1 - features.polarity) * copied;
  if (name === 'polarityAnywhereCopy') return 1 - (1 - features.polarityAnywhere) * copied;
  if (name in features) return features[name as keyof typeof features];
  return 1 - departures[name as keyof typeof departures];
}

function probability<Feature extends string>(
  { bias, weights }: SupportModel<Feature>,
  read: (name: Feature) => number,
): number {
  const named = Object.entries(weights) as [Feature, number][];
  const logit = named.reduce((sum, [name, weight]) => sum + weight * read(name), bias);
  return sigmoid(logit);
}

const LITTLE = 0.5;
/** A number or an identifier that the source does not have makes a sentence unsupported, however well its words fit. */
const WITH_ONE_MISSING = 0.4;

const PLEASANTRY =
  /^(?:yes|no|sure|certainly|of course|here (?:is|are)|in summary|based on (?:the|these)|according to the (?:passages|sources|context)|i (?:hope|can|cannot|could not|don't|do not)|let me know|the (?:passages|sources|context|documents?) (?:do|does) not)\b/i;

const LEAST_TERMS = 3;

/** Greetings, what leads in and remarks about the sources themselves claim nothing that could be checked, unless they state a number. */
export function isClaim(sentence: string): boolean {
  const terms = new Set(analyzeText(sentence));
  const isLeadIn = /:\s*$/.test(sentence);
  if (/\d/.test(sentence)) return terms.size >= (isLeadIn ? LEAST_TERMS : 2);
  return terms.size >= LEAST_TERMS && !isLeadIn && !(PLEASANTRY.test(sentence) && terms.size < 8);
}
