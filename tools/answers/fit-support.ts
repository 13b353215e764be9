import {
  type AgreementFeature,
  compareWithSource,
  DEPARTURES,
} from '../../src/answering/agreement-features.js';
import { agreementValue } from '../../src/answering/check-support.js';
import { compareClaim, type EvidenceText, readEvidence } from '../../src/answering/support-features.js';
import { type Case, fitLogistic } from './logistic.js';
import { readRatedAnswers } from './mtrag.js';
import { alteredPairs, claimsOf, halvesOf, supportVector, termCount } from './support-cases.js';
import { pairsOf, readBlindPassages, readFittedPassages, readSupportPassages } from './support-pairs.js';

export const TOPIC_FEATURES = [
  'coverage',
  'windowCoverage',
  'sentenceCoverage',
  'novel',
  'reordered',
] as const;
/** Words that are shared tell the topic; of those who say it otherwise too. */
export const AGREEMENT_FEATURES = [
  ...(['names', 'polarityCopy', 'polarityAnywhereCopy'] as const),
  ...DEPARTURES.filter((name) => name !== 'novel' && name !== 'reordered'),
];

/** Where right and wrong part on the calibration half; folded into the biases, so that one half is the border of both. */
const TOPIC_BORDER = 0.4;
const AGREEMENT_BORDER = 0.58;

/** So that the pairs that were written for it and the sentences of the rated answers weigh about the same. */
const PAIR_WEIGHT = 5;
const FITTED_PAIR_WEIGHT = 3;
const RATED_WEIGHT = 0.8;

interface SupportCase {
  readonly sentence: string;
  readonly passages: readonly string[];
  readonly y: number;
  readonly weight: number;
}

/**
 * The models of the support check: topic and agreement on the calibration halves of the pairs that were written for it and of MTRAG, and
 * what people call faithful on the latter.
 *
 * @param file the human evaluations of MTRAG.
 */
export async function fitSupport(file: string) {
  const answers = await readRatedAnswers(file);
  const halfOf = halvesOf(answers);
  const rated = answers.filter(({ task }) => halfOf(task) === 'calibration');
  // Each answer weighs the same, its sentences by their length; a rating from 1 to 4 is a share from 0 to 1.
  const graded = rated.flatMap(({ answer, contexts, faithfulness }): Case[] => {
    const evidence = readEvidence(contexts);
    const claims = claimsOf(answer);
    const total = claims.reduce((sum, claim) => sum + termCount(claim), 0);
    return claims.map((claim) => ({
      x: supportVector(claim, evidence),
      y: (faithfulness - 1) / 3,
      weight: termCount(claim) / total,
    }));
  });
  const pairs = alteredPairs(answers).filter(({ task }) => halfOf(task) === 'calibration');
  const measured = await readSupportPassages('calibration');
  const written = [...measured, ...(await readFittedPassages()), ...(await readBlindPassages('calibration'))];
  const own = written.flatMap(({ passage }) =>
    claimsOf(passage).map((sentence) => ({ sentence, passages: [passage], y: 1, weight: 0.5 })),
  );
  const said = [
    ...measured.flatMap((each) => pairsOf(each).map((pair) => ({ ...pair, weight: PAIR_WEIGHT }))),
    ...written
      .slice(measured.length)
      .flatMap((each) => pairsOf(each).map((pair) => ({ ...pair, weight: FITTED_PAIR_WEIGHT }))),
  ].map(({ passage, sentence, isRight, weight }) => ({
    sentence,
    passages: [passage],
    y: Number(isRight),
    weight,
  }));
  const altered = pairs.flatMap(({ original, altered: changed, passages }) => [
    { sentence: original, passages, y: 1, weight: RATED_WEIGHT },
    { sentence: changed, passages, y: 0, weight: RATED_WEIGHT },
  ]);
  // The same sentences against other passages: about the same kind of thing, and saying nothing of it.
  const strangers = [
    ...pairs.map(({ original, task }, i) => {
      const others = pairs.filter((pair) => pair.task !== task);
      const passages = others[(i * 31) % others.length]?.passages ?? [];
      return { sentence: original, passages, y: 0, weight: 0.3 };
    }),
    ...measured.flatMap(({ right }, i) =>
      right.map((sentence) => ({
        sentence,
        passages: [measured[(i + 2) % measured.length]?.passage ?? ''],
        y: 0,
        weight: 2,
      })),
    ),
  ];
  const topical = [
    ...said.filter(({ y }) => y === 1).map((each) => ({ ...each, weight: 2 })),
    ...altered.filter(({ y }) => y === 1).map((each) => ({ ...each, weight: 0.3 })),
    ...own,
    ...strangers,
  ];
  return {
    topic: atBorder(fitSupportModel(topical, TOPIC_FEATURES, 5e-4), TOPIC_BORDER),
    agreement: atBorder(
      fitSupportModel([...said, ...altered, ...own], AGREEMENT_FEATURES, 1e-3),
      AGREEMENT_BORDER,
    ),
    // Chosen by five-fold cross-validation inside the calibration half.
    faithfulness: fitLogistic(graded, { nonNegative: true, ridge: 5e-3 }),
  };
}

const fitSupportModel = (
  cases: readonly SupportCase[],
  features: readonly AgreementFeature[],
  ridge: number,
): number[] =>
  fitLogistic(
    cases.map(({ sentence, passages, y, weight }) => {
      const evidence = evidenceOf(passages);
      const read = {
        features: compareClaim(sentence, evidence).features,
        ...compareWithSource(sentence, evidence.source),
      };
      return { x: features.map((name) => agreementValue(name, read)), y, weight };
    }),
    { nonNegative: true, ridge },
  );

const evidences = new Map<string, EvidenceText>();

function evidenceOf(passages: readonly string[]): EvidenceText {
  const key = passages.join('\0');
  const evidence = evidences.get(key) ?? readEvidence(passages);
  evidences.set(key, evidence);
  return evidence;
}

const atBorder = ([bias = 0, ...weights]: readonly number[], border: number): number[] => [
  bias - Math.log(border / (1 - border)),
  ...weights,
];
