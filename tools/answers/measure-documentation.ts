/**
 * How good answers without a language model are on questions over other projects' documentation (`tools/questions`):
 *
 *   npx tsx tools/questions/fetch.ts && npx tsx tools/answers/measure-documentation.ts [--side train]
 *
 * An answer is right that holds at least half of the distinct content words of a gold quote.
 */
import { parseArgs } from 'node:util';
import { answerValues } from '../../src/evaluation/answers/answer-metrics.js';
import type { Answer } from '../../src/index.js';
import { type DocumentationQuestion, documentationSets, FETCHED } from './documentation.js';

const { values: options } = parseArgs({
  options: { side: { type: 'string', default: 'test' }, fetched: { type: 'string', default: FETCHED } },
});
if (options.side !== 'test' && options.side !== 'train') throw new Error('--side is "train" or "test".');

interface Asked {
  readonly question: DocumentationQuestion;
  readonly answer: Answer;
}

const rows: Asked[] = [];
for await (const { name, questions, engine } of documentationSets(options.side, options.fetched)) {
  const asked: Asked[] = [];
  for (const question of questions)
    asked.push({
      question,
      answer: await engine.ask({ question: question.question, answerer: 'extractive' }),
    });
  console.log(`| ${name} | ${figures(asked)} |`);
  rows.push(...asked);
}
console.log(`| all of ${options.side} | ${figures(rows)} |`);

/** Right of the answerable, right of what is answered, withheld of both kinds. */
function figures(asked: readonly Asked[]): string {
  const answerable = asked.filter(({ question }) => question.quotes.length > 0);
  const unanswerable = asked.filter(({ question }) => question.quotes.length === 0);
  const right = answerable.filter(isRight).length;
  const answered = asked.filter(({ answer }) => answer.outcome === 'answer').length;
  const withheld = (some: readonly Asked[]) =>
    some.filter(({ answer }) => answer.abstained).length / some.length;
  return [
    answerable.length,
    right / answerable.length,
    right / answered,
    withheld(answerable),
    withheld(unanswerable),
  ]
    .map((value) => (Number.isInteger(value) && value > 1 ? `${value}` : value.toFixed(3)))
    .join(' | ');
}

function isRight({ question, answer }: Asked): boolean {
  return !answer.abstained && answerValues(answer, { spans: question.quotes }).answer_right === 1;
}
