import { expect, test } from 'vitest';
import { answerQuestion } from './answer-question.js';
import type { Similarity } from './quotation-features.js';
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
  // As a model takes what announces an answer for near to the question.
  const similarity: Similarity = async (_, texts) =>
    texts.map((text) => (text.includes('describes') ? 1 : 0));
  return answerQuestion({ question }, { ...testDependencies(retrieve), similarity });
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

const POSTMORTEM =
  '## Impact\n\nFor 47 minutes customers saw old positions, because tracking was stale. No scans were lost.\n';
const MINUTES =
  '- **Hiring**: a second interview.\n- **Incident 2026-10-21**: 47 minutes of stale tracking. Cause: a migration locked `scan_2026_10`. Postmortem in `stale.html`.\n';

test.each([
  ['what caused the stale tracking incident?', MINUTES, 'Cause: a migration locked `scan_2026_10`.'],
  ['what broke tracking in the incident of 2026-10-21?', MINUTES, 'Cause: a migration'],
  ['root cause of stale tracking', '## Root cause\n\nStale tracking came from a lock.\n', 'from a lock.'],
  ['what caused the stale tracking?', '## Root cause\n\nThe depot of Lyon was closed.\n', 'customers saw'],
  ['how long was tracking stale?', MINUTES, 'customers saw'],
])('%s is answered by what another document labels so', async (question, content, said) => {
  const retrieve = fixedRetrieve([
    { content: POSTMORTEM, document: 'stale.html', title: 'Incident: stale tracking', score: 0.9 },
    { content, document: 'weekly.md', title: 'Weekly', score: 0.5 },
  ]);
  expect((await answerQuestion({ question }, testDependencies(retrieve))).highlight).toContain(said);
});

const RUNBOOK =
  '# Runbook: mailer\n\n## Purpose\n\nThis runbook describes how to restart the service mailer after a failure.\n\n## Steps\n\n1. Log in to the jump host.\n2. Run `systemctl restart mailer`.\n';
const SECTIONS =
  '# Mailer\n\n## Restart\n\nThis section describes how to restart the service mailer.\n\n## Upgrade\n\n1. Stop it.\n2. Install the package.\n';

test.each([
  ['how do I restart the mailer?', RUNBOOK, '1. Log in'],
  ['how to restart the mailer', RUNBOOK, 'systemctl restart'],
  ['what does the runbook of the mailer describe?', RUNBOOK, 'This runbook describes'],
  ['how do I restart the mailer?', SECTIONS, 'This section describes'],
])('%s is answered by the steps that a page announces, and no others', async (question, content, said) => {
  expect((await answerTo(question, content)).answer).toContain(said);
});
