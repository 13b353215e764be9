import { expect, test } from 'vitest';
import { answerQuestion } from './answer-question.js';
import { fixedRetrieve, testDependencies } from './test-answering.js';

const QUESTION = 'How long are audit logs kept?';

const answerFrom = async (content: string, question = QUESTION): Promise<string> => {
  const chunk = { content, document: 'guide.md', title: 'Audit logs', score: 0.9 };
  const other = { content: 'Logs of the audit are kept for 30 days.', document: 'audit.md', score: 0.4 };
  return (await answerQuestion({ question }, testDependencies(fixedRetrieve([chunk, other])))).answer;
};

test.each([
  ['a line of code', `Try it:\n\n\`\`\`sh\nnpx ask "how long are audit logs kept?"   # a question\n\`\`\`\n`],
  ['a list of questions', `- ${QUESTION}\n- Where are they stored?\n`],
])('%s that holds the question is no answer to it', async (_, content) => {
  for (const question of [QUESTION, 'how long  are audit logs kept'])
    expect(await answerFrom(content, question)).toMatch(/^Logs of the audit are kept for 30 days\. \[2\]/);
});

test.each([
  ['opening hours of the kiln', 'Opening hours of the kiln'],
  ['when does the kiln open, what are its hours', 'KILN HOURS'],
  ['maintainer of lab tools', 'Lab tools\n========='],
])('%s is not answered by a title that says no more: %s', async (question, title) => {
  const chunks = [
    { content: `${title}\n`, document: 'title.txt', title: 'Guide', score: 0.9 },
    { content: 'Lab tools and the kiln: ask Ida on Mondays.', document: 'ida.txt', score: 0.3 },
  ];
  const { answer } = await answerQuestion({ question }, testDependencies(fixedRetrieve(chunks)));
  expect(answer).toContain('Ida');
});

test.each([
  ['what is the default of audit?', 'The default of audit is off.'],
  ['is the audit kept?', 'The audit is kept.'],
])('%s is answered by %s', async (question, content) => {
  const other = { content: 'The audit of Bergen is a book.', document: 'b.md', score: 0.3 };
  const chunk = { content, document: 'a.md', title: 'Guide', score: 0.9 };
  const { answer } = await answerQuestion({ question }, testDependencies(fixedRetrieve([chunk, other])));
  expect(answer).toContain(content);
});

test('what follows the question in one row answers it', async () => {
  const content = `| Question | Answer |\n| --- | --- |\n| ${QUESTION} | They are kept for 90 days. |\n`;
  expect(await answerFrom(content)).toContain('90 days');
});

test('what follows the question in data on one line answers it', async () => {
  const content = `[{"text":"${QUESTION}"},{"text":"Mirela keeps them for 90 days, until the quarter ends."}]`;
  const chunk = { content, document: 'a.json', score: 0.9, metadata: { symbols: [] } };
  const { answer } = await answerQuestion(
    { question: QUESTION },
    testDependencies(fixedRetrieve([chunk, { content: 'The lamp is red.', document: 'b.md', score: 0.2 }])),
  );
  expect(answer).toContain('Mirela keeps them');
});

test('prose comes before a line of code of the same words', async () => {
  const content = `\`\`\`ts\nconst kept = audit.logs(kept, 90);\n\`\`\`\n\nAudit logs are kept in a bucket.\n`;
  expect(await answerFrom(content)).toMatch(/^(?!`)/);
});
