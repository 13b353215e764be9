/**
 * Fits the models of answering, each on the calibration half of its data, and writes their weights:
 *
 *   npx tsx tools/questions/fetch.ts && npx tsx tools/questions/fetch.ts written
 *   npx tsx tools/answers/fit.ts --data ../shared/data
 *
 * `src/answering/{sentence,quotation,confidence,support}-weights.ts` are written. Each looks at what the weights before it chose,
 * so run it until nothing changes (three times at most). Sentences: XQuAD. Quotations: the train side of `tools/questions` and written questions of some packages.
 * Confidence: both. Support: MTRAG and the pairs of
 * `support-pairs`. No random numbers. `tools/answers/measure.ts` reports on the other halves.
 */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { meanAndDeviation } from '../../bench/shared/statistics.js';
import type { Findings } from '../../src/answering/compose-answer.js';
import { CONFIDENCE_FEATURES, confidenceFeatures } from '../../src/answering/confidence-features.js';
import { textOfQuotation } from '../../src/answering/quotation.js';
import { QUOTATION_FEATURES } from '../../src/answering/quotation-features.js';
import { candidateSentences, SENTENCE_FEATURES } from '../../src/answering/sentence-features.js';
import { SUPPORT_FEATURES } from '../../src/answering/support-features.js';
import { isRight } from '../../src/evaluation/answers/answer-metrics.js';
import { type AskedQuestion, askXquad } from './data.js';
import {
  askDocumentation,
  type DocumentedQuestion,
  isQuotedRight,
  thresholdTable,
} from './documented-questions.js';
import { fitSupport, MEANING_FEATURES, WORD_FEATURES } from './fit-support.js';
import { type Case, fitConditional, fitLogistic } from './logistic.js';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    /** Only the models of the support check. */
    support: { type: 'boolean', default: false },
  },
});
const MTRAG = 'answers/mtrag/reference_subset_with_human_evaluations.json';

/** Of .003 to .3, all but alike in leave-one-set-out on the train side. */
const QUOTATION_RIDGE = 0.03;

/** A question of XQuAD counts half: with and without its paragraph it is told apart easily. */
const XQUAD_WEIGHT = 0.5;

if (!options.support) await fitAnswers();
const support = await fitSupport(path.join(options.data, MTRAG));
await replaceModel('support-weights.ts', 'SUPPORT_MODEL', MEANING_FEATURES, support.support);
await replaceModel('support-weights.ts', 'WORDS_MODEL', WORD_FEATURES, support.words);
await replaceModel('support-weights.ts', 'FAITHFULNESS_MODEL', SUPPORT_FEATURES, support.faithfulness);

async function fitAnswers(): Promise<void> {
  const asked = (await askXquad(path.join(options.data, 'retrieval/xquad-en'))).filter(
    ({ half }) => half === 'calibration',
  );
  const documented = await askDocumentation();
  await replaceRecord(
    'sentence-weights.ts',
    'SENTENCE_WEIGHTS',
    recordOf(SENTENCE_FEATURES, fitSentences(asked)),
  );
  await replaceRecord(
    'quotation-weights.ts',
    'QUOTATION_WEIGHTS',
    recordOf(QUOTATION_FEATURES, fitQuotations(documented)),
  );
  const confidence = fitConfidence(asked, documented);
  await replaceModel('confidence-weights.ts', 'CONFIDENCE_MODEL', CONFIDENCE_FEATURES, confidence);
  console.log(thresholdTable(documented));
}

function fitSentences(questions: readonly AskedQuestion[]): number[] {
  const choices = questions.map(({ question, found, answers, gold }) => {
    const sentences = candidateSentences(question, found.pack.entries);
    const holds = sentences.map(({ text }) => answers.some((answer) => text.includes(answer)));
    const isGold = sentences.map(({ entry }, i) => entry.source === gold && holds[i] === true);
    return {
      options: sentences.map(({ features }) => SENTENCE_FEATURES.map((name) => features[name])),
      isRight: isGold.includes(true) ? isGold : holds,
    };
  });
  return fitConditional(choices.filter(({ isRight }) => isRight.includes(true)));
}

/** Features are brought to one scale for the fit, so that none is held back for its size. */
function fitQuotations(questions: readonly DocumentedQuestion[]): number[] {
  const choices = questions.map(({ spans, found }) => ({
    options: found.evidence.quotations.map(({ features }) =>
      QUOTATION_FEATURES.map((name) => features[name]),
    ),
    isRight: found.evidence.quotations.map((each) => isRight(textOfQuotation(each), { spans })),
  }));
  const decided = choices.filter(({ isRight: right }) => right.includes(true) && right.includes(false));
  const scales = QUOTATION_FEATURES.map(
    (_, column) =>
      meanAndDeviation(decided.flatMap(({ options: rows }) => rows.map((row) => row[column] ?? 0)))
        .deviation || 1,
  );
  const scaled = decided.map(({ options: rows, isRight: right }) => ({
    options: rows.map((row) => row.map((value, column) => value / (scales[column] ?? 1))),
    isRight: right,
  }));
  return fitConditional(scaled, QUOTATION_RIDGE).map((weight, column) => weight / (scales[column] ?? 1));
}

/** XQuAD's questions with and without the paragraph that answers; those over documentation by whether the best quotation does. */
function fitConfidence(asked: readonly AskedQuestion[], documented: readonly DocumentedQuestion[]): number[] {
  const caseOf = (found: Findings, question: string, y: number, weight: number): Case => {
    const features = confidenceFeatures(question, found.pack.entries, found.evidence);
    return { x: CONFIDENCE_FEATURES.map((name) => features[name]), y, weight };
  };
  return fitLogistic([
    ...asked.flatMap(({ question, found, foundWithout }) => [
      caseOf(found, question, 1, XQUAD_WEIGHT),
      caseOf(foundWithout, question, 0, XQUAD_WEIGHT),
    ]),
    ...documented.map((each) => caseOf(each.found, each.question, Number(isQuotedRight(each)), 1)),
  ]);
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
