import { expect, test } from 'vitest';
import { answerQuestion } from './answer-question.js';
import { fixedRetrieve, testDependencies } from './test-answering.js';

const TRACE = `\`\`\`
Traceback (most recent call last):
  File "pool.py", line 10, in take
    raise PoolExhausted(limit)
pool.PoolExhausted: limit of 64 reached
\`\`\`
`;
const LINES = `# Pool\n\n${TRACE}\nCause: a client keeps its connection.\n\nFix: lower the timeout to 30.\n`;
const HEADINGS = `## PoolExhausted\n\n${TRACE}\n### Cause\n\nA client keeps its connection.\n\n### Solution\n\nLower the timeout to 30.\n`;
const LOG = '2024-05-01 ERROR PoolExhausted: limit of 64\n\nWorkaround: lower the timeout to 30.\n';
const OTHER =
  '## PoolExhausted\n\n2024-05-01 ERROR PoolExhausted: limit of 64\n\n## LeaseExpired\n\nFix: renew the lease at night.\n';

const answerTo = (question: string, content: string) => {
  const retrieve = fixedRetrieve([{ content, document: 'errors.md', title: 'Errors', score: 0.9 }]);
  return answerQuestion({ question }, testDependencies(retrieve));
};

test.each([
  ['how do I fix PoolExhausted: limit of 64 reached?', LINES, 'Fix: lower the timeout to 30.'],
  ['what should I do about PoolExhausted?', LINES, 'Fix: lower the timeout to 30.'],
  ['what causes PoolExhausted?', LINES, 'Cause: a client keeps its connection.'],
  ['how do I fix PoolExhausted?', HEADINGS, 'Lower the timeout to 30.'],
  ['how do I solve PoolExhausted?', LOG, 'Workaround: lower the timeout to 30.'],
])('%s is answered by what is labelled so below the error', async (question, content, said) => {
  const { highlight, citations } = await answerTo(question, content);
  expect(highlight).toBe(said);
  expect(citations[0]?.quote).toContain(said);
});

test.each([
  ['how do I solve PoolExhausted: limit of 64?', OTHER],
  ['what is PoolExhausted: limit of 64?', LOG],
])('%s is answered by the error where nothing below it is labelled so', async (question, content) => {
  expect((await answerTo(question, content)).highlight).toContain('ERROR PoolExhausted');
});
