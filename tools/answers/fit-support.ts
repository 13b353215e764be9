import {
  type AgreementFeature,
  compareWithSource,
  DEPARTURES,
} from '../../src/answering/agreement-features.js';
import { agreementValue } from '../../src/answering/check-support.js';
import { claimWords } from '../../src/answering/claim-words.js';
import { compareClaim, type EvidenceText, readEvidence } from '../../src/answering/support-features.js';
import { loadTextMeaning } from '../../src/embedding/static/text-meaning.js';
import { type Case, fitLogistic } from './logistic.js';
import { readRatedAnswers } from './mtrag.js';
import { alteredPairs, claimsOf, halvesOf, supportVector, termCount } from './support-cases.js';
import {
  type BlindFile,
  pairsOf,
  readBlindPassages,
  readFittedPassages,
  readSupportPassages,
} from './support-pairs.js';

export const WORD_FEATURES = [
  ...(['coverage', 'windowCoverage', 'sentenceCoverage'] as const),
  ...(['polarity', 'polarityAnywhere', 'polarityCopy', 'polarityAnywhereCopy'] as const),
  ...DEPARTURES,
];
export const MEANING_FEATURES = [...WORD_FEATURES, 'meaning'] as const;

/** Share of the right sentences of the calibration half that are below the border; it is folded into the bias, so that one half is the border. */
const RIGHT_BELOW = 0.29;
const RIDGE = 5e-4;

/** So that the pairs that were written for it and the sentences of the rated answers weigh about the same. */
const PAIR_WEIGHT = 5;
const FITTED_PAIR_WEIGHT = 3;
const RATED_WEIGHT = 0.8;

const BLIND_FILES: readonly BlindFile[] = ['blind-pairs', 'invented-sentences', 'unseen-pairs'];

interface SupportCase {
  readonly sentence: string;
  readonly passages: readonly string[];
  readonly y: number;
  readonly weight: number;
}

/**
 * The models of the support check, on the calibration halves of the pairs that were written for it and of MTRAG, and of
 * what people call faithful, on the latter.
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
  const measured = readSupportPassages('calibration');
  const blind = BLIND_FILES.flatMap((blindFile) => readBlindPassages(blindFile, 'calibration'));
  const written = [...measured, ...readFittedPassages(), ...blind];
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
  const cases = [...said, ...altered, ...own, ...strangers];
  const rights = said.filter(({ y }) => y === 1);
  return {
    support: fitSupportModel(cases, rights, MEANING_FEATURES),
    words: fitSupportModel(cases, rights, WORD_FEATURES),
    // Chosen by five-fold cross-validation inside the calibration half.
    faithfulness: fitLogistic(graded, { isNonNegative: () => true, ridge: 5e-3 }),
  };
}

const meaning = await loadTextMeaning();

function fitSupportModel(
  cases: readonly SupportCase[],
  rights: readonly SupportCase[],
  features: readonly AgreementFeature[],
): number[] {
  const vectorOf = ({ sentence, passages }: SupportCase): number[] => {
    const evidence = evidenceOf(passages);
    const words = claimWords(sentence, evidence.source);
    const evident = compareClaim(sentence, evidence, words);
    const comparison = compareWithSource(words, evidence.source);
    return features.map((name) => agreementValue(name, evident, comparison));
  };
  const [bias = 0, ...weights] = fitLogistic(
    cases.map((each) => ({ x: vectorOf(each), y: each.y, weight: each.weight })),
    // No departure speaks for a sentence; what it shares with its source does not always: wrong in few words it shares most.
    {
      ridge: RIDGE,
      isNonNegative: (feature) => (DEPARTURES as readonly string[]).includes(features[feature] ?? ''),
    },
  );
  const logits = rights
    .map((each) => vectorOf(each).reduce((sum, value, i) => sum + value * (weights[i] ?? 0), bias))
    .sort((a, b) => a - b);
  return [bias - (logits[Math.floor(RIGHT_BELOW * logits.length)] ?? 0), ...weights];
}

const evidences = new Map<string, EvidenceText>();

function evidenceOf(passages: readonly string[]): EvidenceText {
  const key = passages.join('\0');
  const evidence = evidences.get(key) ?? readEvidence(passages, meaning);
  evidences.set(key, evidence);
  return evidence;
}
