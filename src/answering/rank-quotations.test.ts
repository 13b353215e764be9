import { expect, test } from 'vitest';
import { answerQuestion } from './answer-question.js';
import type { Similarity } from './quotation-features.js';
import { fixedRetrieve, testDependencies } from './test-answering.js';

const REMOVED = 'The methods MOVE, COPY and LOCK were removed, and who needs them can still add them alone.';
const RELEASED = 'The verbs of the manual were revised, and who reads them will find them said more shortly.';

const answerTo = async (question: string, content: string, similarity?: Similarity): Promise<string> => {
  const retrieve = fixedRetrieve([{ content, document: 'guide.md', title: 'Guide', score: 0.9 }]);
  const dependencies = testDependencies(retrieve);
  const { answer } = await answerQuestion(
    { question },
    similarity === undefined ? dependencies : { ...dependencies, similarity },
  );
  return answer;
};

const HEADED = `## One\n\n${RELEASED}\n\n## Two\n\n${REMOVED}\n`;

test('of quotations that share as much with the question the nearer one in meaning is the answer', async () => {
  const nearTo =
    (words: string): Similarity =>
    async (_, texts) =>
      texts.map((text) => (text.includes(words) ? 0.8 : 0));
  expect(await answerTo('Which verbs are gone?', HEADED, nearTo('removed'))).toContain(REMOVED);
  expect(await answerTo('Which verbs are gone?', HEADED, nearTo('revised'))).toContain(RELEASED);
});

test('without anything that tells meanings apart the words decide', async () => {
  expect(await answerTo('Which verbs are gone?', HEADED)).toContain(RELEASED);
});

test('who asks how many is given the passage with a number', async () => {
  const content =
    '## One\n\nThe workers of a pool are started by the gateway itself.\n\n## Two\n\nThe workers of a pool are 16, started by the gateway.\n';
  expect(await answerTo('How many workers of a pool are started?', content)).toContain('16');
});
