/**
 * Fits the models of answering, each on the calibration half of its data, and writes their weights:
 *
 *   npx tsx tools/answers/fit.ts --data ../shared/data
 *
 * `src/answering/{sentence,confidence,support}-weights.ts` are written (run it twice: confidence looks at sentences ranked by
 * the weights of the run before); `bench/answers` reports on the other halves.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { CONFIDENCE_FEATURES, confidenceFeatures } from '../../src/answering/confidence-features.js';
import { rankSentences } from '../../src/answering/rank-sentences.js';
import { candidateSentences, SENTENCE_FEATURES } from '../../src/answering/sentence-features.js';
import { readEvidence, SUPPORT_FEATURES } from '../../src/answering/support-features.js';
import { type AskedQuestion, askXquad } from './data.js';
import { type Case, fitConditional, fitLogistic } from './logistic.js';
import { readRatedAnswers } from './mtrag.js';
import { alteredPairs, claimsOf, halvesOf, supportVector, termCount } from './support-cases.js';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    /** Only the models of the support check. */
    support: { type: 'boolean', default: false },
  },
});
const MTRAG = 'answers/mtrag/reference_subset_with_human_evaluations.json';

if (!options.support) await fitOnXquad();
const support = await fitSupport(path.join(options.data, MTRAG));
await replaceModel('support-weights.ts', 'SUPPORT_MODEL', SUPPORT_FEATURES, support.verdict);
await replaceModel('support-weights.ts', 'FAITHFULNESS_MODEL', SUPPORT_FEATURES, support.faithfulness);

async function fitOnXquad(): Promise<void> {
  const asked = (await askXquad(path.join(options.data, 'retrieval/xquad-en'))).filter(
    ({ half }) => half === 'calibration',
  );
  const sentenceWeights = fitSentences(asked);
  await replaceRecord(
    'sentence-weights.ts',
    'SENTENCE_WEIGHTS',
    recordOf(SENTENCE_FEATURES, sentenceWeights),
  );
  const confidence = fitConfidence(asked);
  await replaceModel('confidence-weights.ts', 'CONFIDENCE_MODEL', CONFIDENCE_FEATURES, confidence);
}

function fitSentences(questions: readonly AskedQuestion[]): number[] {
  const choices = questions.map(({ question, found, answers, gold }) => {
    const sentences = candidateSentences(question, found.entries);
    const holds = sentences.map(({ text }) => answers.some((answer) => text.includes(answer)));
    const isGold = sentences.map(({ entry }, i) => entry.source === gold && holds[i] === true);
    return {
      options: sentences.map(({ features }) => SENTENCE_FEATURES.map((name) => features[name])),
      isRight: isGold.includes(true) ? isGold : holds,
    };
  });
  return fitConditional(choices.filter(({ isRight }) => isRight.includes(true)));
}

/** Each question with and without the paragraph that answers it. */
function fitConfidence(questions: readonly AskedQuestion[]): number[] {
  const cases = questions.flatMap(({ question, found, foundWithout }) =>
    [found, foundWithout].map(({ entries, signals }, i): Case => {
      const features = confidenceFeatures(question, entries, {
        sentences: rankSentences(question, entries),
        signals,
      });
      return { x: CONFIDENCE_FEATURES.map((name) => features[name]), y: i === 0 ? 1 : 0, weight: 1 };
    }),
  );
  return fitLogistic(cases);
}

async function fitSupport(file: string): Promise<{ verdict: number[]; faithfulness: number[] }> {
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
  const altered = pairs.flatMap(({ original, altered: changed, evidence }): Case[] => [
    { x: supportVector(original, evidence), y: 1, weight: 0.5 },
    { x: supportVector(changed, evidence), y: 0, weight: 0.5 },
  ]);
  // The same sentences against the passages of another task: about the same kind of thing, and saying nothing of it.
  const strangers = pairs.map(({ original, task }, i): Case => {
    const others = pairs.filter((pair) => pair.task !== task);
    const evidence = others[(i * 31) % others.length]?.evidence ?? readEvidence([]);
    return { x: supportVector(original, evidence), y: 0, weight: 0.5 };
  });
  return {
    verdict: fitLogistic([...graded, ...altered, ...strangers], { nonNegative: true }),
    // Chosen by five-fold cross-validation inside the calibration half.
    faithfulness: fitLogistic(graded, { nonNegative: true, ridge: 5e-3 }),
  };
}

function round(value: number | undefined): number {
  return Number((value ?? 0).toFixed(3));
}

function recordOf(names: readonly string[], weights: readonly number[]): string {
  return names.map((name, i) => `  ${name}: ${round(weights[i])},`).join('\n');
}

async function replaceModel(
  file: string,
  constant: string,
  names: readonly string[],
  [bias, ...weights]: readonly number[],
): Promise<void> {
  const body = `  bias: ${round(bias)},\n  weights: {\n${recordOf(names, weights).replace(/^/gm, '  ')}\n  },`;
  await replaceRecord(file, constant, body);
}

async function replaceRecord(file: string, constant: string, body: string): Promise<void> {
  const place = path.join('src/answering', file);
  const text = await readFile(place, 'utf8');
  const pattern = new RegExp(`(export const ${constant}[^=]*= )(?:\\{[\\s\\S]*?\\n\\}|\\w+);`);
  if (!pattern.test(text)) throw new Error(`${place} has no ${constant}`);
  await writeFile(
    place,
    text.replace(pattern, (_, head: string) => `${head}{\n${body}\n};`),
  );
}
