/**
 * The support check on HaluEval's question answering with length controlled: right and invented answers of the same number of
 * words, for length alone tells most of the original pairs apart.
 *
 *   npx tsx tools/answers/measure-halueval.ts --data ../shared/data
 */

import path from 'node:path';
import { parseArgs } from 'node:util';
import { readJsonLines } from '../../bench/shared/data-files.js';
import { checkSupport } from '../../src/answering/check-support.js';
import { readEvidence } from '../../src/answering/support-features.js';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import { areaUnderRoc } from './rank-statistics.js';

interface Row {
  readonly knowledge: string;
  readonly right_answer: string;
  readonly hallucinated_answer: string;
}

interface Scored {
  readonly isRight: boolean;
  readonly words: number;
  readonly ours: number;
  readonly overlap: number;
}

const { values: options } = parseArgs({
  options: { data: { type: 'string', default: '../shared/data' } },
});

const file = path.join(options.data, 'answers/halueval/qa_one-turn_data.json');
const rows = readJsonLines<Row>(file);

function score({ knowledge }: Row, answer: string, isRight: boolean): Scored {
  const evidence = readEvidence([knowledge]);
  const terms = [...new Set(analyzeText(answer))];
  const held = terms.filter((term) => evidence.terms.has(term)).length;
  return {
    isRight,
    words: answer.trim().split(/\s+/).length,
    ours: checkSupport(answer, evidence).score,
    overlap: terms.length === 0 ? 1 : held / terms.length,
  };
}

/** As many right as invented answers of each number of words, in the order of the file. */
function ofEqualLength(scored: readonly Scored[]): Scored[] {
  const lengths = [...new Set(scored.map(({ words }) => words))];
  return lengths.flatMap((length) => {
    const right = scored.filter(({ words, isRight }) => words === length && isRight);
    const invented = scored.filter(({ words, isRight }) => words === length && !isRight);
    const count = Math.min(right.length, invented.length);
    return [...right.slice(0, count), ...invented.slice(0, count)];
  });
}

function auroc(scored: readonly Scored[], of: (each: Scored) => number): number {
  const values = (isRight: boolean): number[] => scored.filter((each) => each.isRight === isRight).map(of);
  return Number(areaUnderRoc(values(true), values(false)).toFixed(3));
}

const all = rows.flatMap((row) => [
  score(row, row.right_answer, true),
  score(row, row.hallucinated_answer, false),
]);
for (const [name, scored] of [
  ['all', all],
  ['of equal length', ofEqualLength(all)],
] as const)
  console.log(
    JSON.stringify({
      name,
      answers: scored.length,
      shortness: auroc(scored, ({ words }) => -words),
      overlap: auroc(scored, ({ overlap }) => overlap),
      ours: auroc(scored, ({ ours }) => ours),
    }),
  );
