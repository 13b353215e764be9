/**
 * How good search and answers without a language model are on questions over other projects' documentation
 * (`tools/questions`), by set and by kind of question:
 *
 *   npx tsx tools/questions/fetch.ts && npx tsx tools/answers/measure-documentation.ts [--side train] [--each FILE]
 *
 * `--each` writes a line of JSON a question: what was found at which place and what was answered. A hit covers half of a gold
 * quote; an answer is right that holds at least half of a quote's distinct content words.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { answerValues } from '../../src/evaluation/answers/answer-metrics.js';
import { mean } from '../../src/evaluation/metrics.js';
import type { Question } from '../../src/evaluation/question-set.js';
import { type QuestionScore, scoreQuestion } from '../../src/evaluation/score-questions.js';
import type { Answer, Engine } from '../../src/index.js';
import { documentationSets, FETCHED } from './documentation.js';

const { values: options } = parseArgs({
  options: {
    side: { type: 'string', default: 'test' },
    fetched: { type: 'string', default: FETCHED },
    each: { type: 'string' },
  },
});
if (options.side !== 'test' && options.side !== 'train') throw new Error('--side is "train" or "test".');

const CUTOFFS = [1, 5, 10, 20];

interface Asked {
  readonly set: string;
  readonly question: Question;
  readonly score: QuestionScore;
  readonly answer: Answer;
}

const rows: Asked[] = [];
console.log(
  '| | answerable | hit@1 | hit@5 | hit@10 | hit@20 | right | right of answered | withheld | rightly withheld |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|');
for await (const { name, questions, engine } of documentationSets(options.side, options.fetched)) {
  for (const question of questions) rows.push(await ask(name, question, engine));
  print(name, ({ set }) => set === name);
}
for (const kind of [...new Set(rows.map(({ question }) => question.type))].sort())
  print(kind, ({ question }) => question.type === kind);
print(`all of ${options.side}`, () => true);
if (options.each !== undefined)
  await writeFile(options.each, rows.map((row) => `${JSON.stringify(summary(row))}\n`).join(''));

async function ask(set: string, question: Question, engine: Engine): Promise<Asked> {
  // The reader has read all that is found then.
  const answer = await engine.ask({ question: question.question, answerer: 'extractive' });
  const { results } = await engine.search({ text: question.question, topK: Math.max(...CUTOFFS) });
  const passages = results.map(({ content, metadata }) => ({ path: metadata.source, content }));
  return {
    set,
    question,
    score: scoreQuestion(question, passages, CUTOFFS),
    answer,
  };
}

function print(label: string, belongs: (asked: Asked) => boolean): void {
  const asked = rows.filter(belongs);
  const answerable = asked.filter(({ question }) => question.gold.length > 0);
  const unanswerable = asked.filter(({ question }) => question.gold.length === 0);
  const answered = asked.filter(({ answer }) => answer.outcome === 'answer').length;
  const right = answerable.filter(isRight).length;
  const shares = [
    ...CUTOFFS.map((k) =>
      answerable.length === 0 ? Number.NaN : mean(answerable.map(({ score }) => score.hit[k] ?? 0)),
    ),
    right / answerable.length,
    right / answered,
    withheld(answerable),
    withheld(unanswerable),
  ];
  console.log(`| ${[label, answerable.length, ...shares.map(shown)].join(' | ')} |`);
}

function withheld(asked: readonly Asked[]): number {
  return asked.filter(({ answer }) => answer.abstained).length / asked.length;
}

/** Nothing to take a share of has no figure. */
function shown(share: number): string {
  return Number.isNaN(share) ? '' : share.toFixed(3);
}

function isRight({ question, answer }: Asked): boolean {
  const spans = [...question.gold, ...question.alternates].map(({ quote }) => quote);
  return !answer.abstained && answerValues(answer, { spans }).answer_right === 1;
}

function summary(asked: Asked): Record<string, unknown> {
  const { set, question, score, answer } = asked;
  return {
    set,
    question: question.question,
    ...score,
    outcome: answer.outcome,
    confidence: answer.confidence,
    right: isRight(asked),
    answer: answer.answer,
  };
}
