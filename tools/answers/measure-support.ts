import { checkSupport, SUPPORT_THRESHOLD } from '../../src/answering/check-support.js';
import { readEvidence } from '../../src/answering/support-features.js';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import { seededRandom } from '../../src/evaluation/random.js';
import { type RatedAnswer, readRatedAnswers } from './mtrag.js';
import { areaUnderRoc, spearman } from './rank-statistics.js';
import { alteredPairs, claimsOf, halvesOf, termCount } from './support-cases.js';

const FAITHFUL = 3;
const RESAMPLES = 2_000;
const ALTERATIONS = 500;

type Score = (answer: RatedAnswer) => number;

/** Mean over the claims of an answer, by their length; an answer without claims says nothing false. */
const ours: Score = ({ answer, contexts }) => {
  const evidence = readEvidence(contexts);
  const claims = claimsOf(answer);
  const total = claims.reduce((sum, claim) => sum + termCount(claim), 0);
  if (total === 0) return 1;
  return (
    claims.reduce((sum, claim) => sum + checkSupport(claim, evidence).faithfulness * termCount(claim), 0) /
    total
  );
};

/** The baseline: share of the answer's terms that are in the passages. */
const overlap: Score = ({ answer, contexts }) => {
  const held = new Set(analyzeText(contexts.join('\n')));
  const terms = [...new Set(analyzeText(answer))];
  return terms.length === 0 ? 1 : terms.filter((term) => held.has(term)).length / terms.length;
};

interface Agreement {
  readonly spearman: number;
  readonly auroc: number;
}

function agreementOf(scores: readonly number[], ratings: readonly number[]): Agreement {
  const of = (isFaithful: boolean) => scores.filter((_, i) => (ratings[i] ?? 0) >= FAITHFUL === isFaithful);
  return { spearman: spearman(scores, ratings), auroc: areaUnderRoc(of(true), of(false)) };
}

/** Against human faithfulness, on the reporting tasks and on all; and sentences with one thing altered. */
export async function measureSupport(file: string) {
  const all = await readRatedAnswers(file);
  const halfOf = halvesOf(all);
  const reporting = all.filter(({ task }) => halfOf(task) === 'reporting');
  const pairs = alteredPairs(all);
  return {
    reporting: compare(reporting),
    all: compare(all),
    altered: measureAltered(pairs.filter(({ task }) => halfOf(task) === 'reporting')),
    alteredAll: measureAltered(evenly(pairs, ALTERATIONS)),
  };
}

function compare(answers: readonly RatedAnswer[]) {
  const ratings = answers.map(({ faithfulness }) => faithfulness);
  const [a, b] = [answers.map(overlap), answers.map(ours)];
  return {
    answers: answers.length,
    overlap: agreementOf(a, ratings),
    ours: agreementOf(b, ratings),
    /** 95 % of paired bootstrap differences, resampled by answer. */
    gain: bootstrap(a, b, ratings),
  };
}

function bootstrap(a: readonly number[], b: readonly number[], ratings: readonly number[]) {
  const random = seededRandom(1);
  const gains = Array.from({ length: RESAMPLES }, () => {
    const drawn = ratings.map(() => Math.floor(random() * ratings.length));
    const pick = (values: readonly number[]) => drawn.map((i) => values[i] ?? 0);
    const [before, after] = [agreementOf(pick(a), pick(ratings)), agreementOf(pick(b), pick(ratings))];
    return { spearman: after.spearman - before.spearman, auroc: after.auroc - before.auroc };
  });
  const interval = (values: readonly number[]) => {
    const sorted = [...values].sort((x, y) => x - y);
    return {
      low: sorted[Math.floor(0.025 * sorted.length)] ?? 0,
      high: sorted[Math.floor(0.975 * sorted.length)] ?? 0,
    };
  };
  return {
    spearman: interval(gains.map((gain) => gain.spearman)),
    auroc: interval(gains.map((gain) => gain.auroc)),
  };
}

/** So many of a list, spread over it. */
function evenly<T>(values: readonly T[], count: number): T[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: count }, (_, i) => values[Math.floor((i * values.length) / count)]).flatMap(
    (value) => (value === undefined ? [] : [value]),
  );
}

function measureAltered(pairs: ReturnType<typeof alteredPairs>) {
  const scored = pairs.map(({ kind, original, altered, evidence }) => ({
    kind,
    original: checkSupport(original, evidence).score,
    altered: checkSupport(altered, evidence).score,
  }));
  const auroc = (of: typeof scored) =>
    areaUnderRoc(
      of.map((pair) => pair.original),
      of.map((pair) => pair.altered),
    );
  const kinds = ['number', 'name', 'negation'] as const;
  return {
    sentences: scored.length,
    auroc: auroc(scored),
    byKind: Object.fromEntries(
      kinds.map((kind) => [kind, auroc(scored.filter((pair) => pair.kind === kind))]),
    ),
    originalsSupported: scored.filter(({ original }) => original >= SUPPORT_THRESHOLD).length / scored.length,
    alteredSupported: scored.filter(({ altered }) => altered >= SUPPORT_THRESHOLD).length / scored.length,
  };
}
