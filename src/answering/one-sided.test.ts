import { expect, it } from 'vitest';
import { answerQuestion } from './answer-question.js';
import { fixedRetrieve, ScriptedChatModel, testDependencies } from './test-answering.js';

const chunk = (document: string, content: string) => ({ content, document, title: document, score: 0.9 });
const CANARY = chunk('canary.md', 'A canary deployment sends one request in ten to the new version first.');
const BLUE = chunk(
  'blue.md',
  'A blue-green deployment keeps two environments and switches all activeQueries at once.',
);
const QUESTION = 'What is the difference between a canary deployment and a shadow deployment?';

const noticesOf = async (question: string, chunks: (typeof CANARY)[], text?: string) => {
  const model = text === undefined ? undefined : new ScriptedChatModel(text);
  const { notices, noticeKinds } = await answerQuestion(
    { question },
    testDependencies(fixedRetrieve(chunks), model),
  );
  return notices.filter((_, at) => noticeKinds[at] === 'answer-one-sided');
};

it('an answer about one side says which one is missing, and that nothing was found of it', async () => {
  expect(await noticesOf(QUESTION, [CANARY])).toEqual([
    'The answer tells of "a canary deployment" and not of "a shadow deployment", with which the question compares it: no passage that was found mentions it.',
  ]);
});

it('names the passage that tells of the other side', async () => {
  const shadow = chunk('shadow.md', 'Shadow deployments copy requests, and nobody sees what they answer.');
  const [notice] = await noticesOf(QUESTION, [CANARY, shadow]);
  expect(notice).toMatch(/: \[\d\] among the sources mentions it\.$/);
});

it('says nothing where both are told of, where neither is, and of other questions', async () => {
  const both = chunk(
    'both.md',
    'A canary deployment sends one request in ten to the new version, a blue-green deployment switches all at once.',
  );
  expect(await noticesOf('Compare canary with blue-green deployments', [both])).toEqual([]);
  expect(await noticesOf('What is the difference between cats and dogs?', [CANARY])).toEqual([]);
  expect(await noticesOf('What is a canary deployment?', [CANARY, BLUE])).toEqual([]);
});

it('holds an answer of a language model against the question too', async () => {
  const text = 'A canary deployment sends one request in ten to the new version first. [1]';
  expect(await noticesOf(QUESTION, [CANARY], text)).toHaveLength(1);
  const question = 'What is the difference between canary and blue-green deployments?';
  const whole = `${text} A blue-green deployment keeps two environments and switches all activeQueries at once. [2]`;
  expect(await noticesOf(question, [CANARY, BLUE], whole)).toEqual([]);
});
