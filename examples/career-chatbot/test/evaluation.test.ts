import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type AblationStep, stagesOf } from '../src/ablation.js';
import { evaluateAnswers } from '../src/answer-evaluation.js';
import { evaluateRetrieval } from '../src/evaluation.js';
import { type Evaluation, openEvaluation } from '../src/open-evaluation.js';
import { type CareerQuestion, LOOKED_AT, readQuestions } from '../src/questions.js';
import { inReadme, readmeTable } from '../src/readme-tables.js';
import { kindsTable, modesTable, stageRow, stagesTable } from '../src/tables.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const all = readQuestions();
const others = all.slice(LOOKED_AT);
const isWhole = process.env.TEST_CHROMA_PROGRAM !== undefined;
let evaluation: Evaluation;

before(async () => {
  evaluation = await openEvaluation();
});
after(() => evaluation.close());

const question = (id: string, relevance: Readonly<Record<string, number>>): CareerQuestion => ({
  id,
  question: id,
  kind: 'fact',
  relevance,
  relevant_doc_ids: Object.keys(relevance).filter((name) => (relevance[name] ?? 0) >= 5),
  answer: 'x',
  answer_quote: null,
});

test('precision, recall and MRR are those of the document, and relevance is the mean grade', async () => {
  const questions = [question('a', { x: 10, y: 6, z: 2 }), question('b', { v: 8 }), question('c', { v: 4 })];
  const found: Readonly<Record<string, readonly string[]>> = { a: ['z', 'x', 'x'], b: [] };
  const scores = await evaluateRetrieval(questions, async (asked) => found[asked] ?? assert.fail());
  // a: 1 of 3 places, 1 of 2 documents, second place, grades 2, 10, 10. b: nothing. c has no answer.
  assert.deepEqual(scores, {
    precision_at_3: 1 / 6,
    recall_at_3: 0.25,
    mrr: 0.25,
    relevance: 22 / 6,
    retrieved: 1.5,
  });
});

test('answers are graded by the document that they quote, and a reader asks again for what is below 5', async () => {
  const { engine } = evaluation;
  const [known = assert.fail()] = all.filter(({ id }) => id === 'q01');
  const scores = await evaluateAnswers(
    [{ ...known, question: 'Which BSc did she take at the University of Ostervik?' }],
    { engine, mode: 'enhanced' },
  );
  assert.ok(scores.relevance >= 7 && scores.right === 1 && scores.answered === 1 && scores.regenerated === 0);
  const wrong = { ...known, question: 'How often does Heron make a new plan?', relevance: {} };
  const bad = await evaluateAnswers([wrong], { engine, mode: 'enhanced' });
  assert.deepEqual([bad.relevance, bad.right, bad.regenerated], [0, 0, 1]);
  const nothing = { ...wrong, kind: 'unanswerable', answer: null, relevant_doc_ids: [] } as const;
  const claimed = await evaluateAnswers([nothing], { engine, mode: 'enhanced' });
  assert.deepEqual([claimed.withheld, claimed.regenerated], [0, 1]);
});

test('the first and the last stage of the README are what they are measured to be', async () => {
  const { engine, settings } = evaluation;
  const stages = stagesOf(settings);
  for (const stage of [stages[0], stages.at(-1)] as readonly AblationStep[]) {
    const row = await stageRow(engine, others, stage);
    assert.ok(readmeTable(readme, 'stages').includes(`| ${row.join(' | ')} |`), row.join());
  }
});

test('every table of the README is what npm run evaluate prints', {
  skip: !isWhole && 'it takes a minute: the whole test alone has it',
}, async () => {
  const { engine, settings } = evaluation;
  const tables = {
    stages: await stagesTable(engine, others, settings),
    kinds: await kindsTable(engine, all, settings),
    modes: await modesTable(engine, others),
  };
  assert.equal(inReadme(readme, tables), readme);
});
