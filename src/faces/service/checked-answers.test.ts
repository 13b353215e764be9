import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { ScriptedChatModel } from '../../answering/test-answering.js';
import { createEngine } from '../../index.js';
import { type Reply, type TestService, testService } from './test-service.js';

const TEXT =
  'Since 09:20 every third upload to file-vault failed with status 413. The limit of the new ingress is 2 GB. Downloads were not affected.';
const QUESTION = 'Why did uploads to file-vault fail?';
const OTHERWISE = 'People who sent something heavy were turned away at the door';
const CONTRADICTED = 'The limit of the new ingress is 5 GB';

async function serviceSaying(text: string, unsupported: 'mark' | 'remove' = 'mark'): Promise<TestService> {
  const engine = await createEngine({
    config: { provider: 'memory', answering: { unsupported } },
    chatModel: new ScriptedChatModel(text),
    cwd: temporaryFolder(),
  });
  const service = await testService({ engine });
  const documents = [{ id: 'outage', documentType: 'outage', content: TEXT }];
  await service.call('acme', 'POST', '/api/ai/rag/index/batch', { tenantId: 'acme', documents });
  return service;
}

const answerEvent = ({ text }: Reply): Record<string, unknown> =>
  JSON.parse(/event: answer\ndata: (.*)/.exec(text)?.[1] ?? '{}') as Record<string, unknown>;

const STREAM = { accept: 'text/event-stream' };

const FACES: readonly (readonly [string, (service: TestService) => Promise<Record<string, unknown>>])[] = [
  [
    '/answer',
    async ({ call }) => (await call('acme', 'POST', '/api/ai/rag/answer', { question: QUESTION })).json(),
  ],
  [
    '/answer as events',
    async ({ call }) =>
      answerEvent(await call('acme', 'POST', '/api/ai/rag/answer', { question: QUESTION }, STREAM)),
  ],
  ['/chat', async ({ call }) => (await call('acme', 'POST', '/chat', { message: QUESTION })).json()],
  [
    '/chat as events',
    async ({ call }) => answerEvent(await call('acme', 'POST', '/chat', { message: QUESTION }, STREAM)),
  ],
];

describe.each(FACES)('a language model behind %s', (_, ask) => {
  test('keeps an answer in its own words, marked, with a notice', async () => {
    const { answer, notices } = await ask(await serviceSaying(`${OTHERWISE} [1].`));
    expect(answer).toBe(`${OTHERWISE}. [1] (unchecked)`);
    expect(notices).toEqual([expect.stringMatching(/^1 of 1 sentence unchecked/)]);
  });

  test('keeps code that a user copies, its mark behind it', async () => {
    const { answer } = await ask(await serviceSaying(`\`\`\`sh\n${OTHERWISE}\n\`\`\``));
    expect(answer).toBe(`\`\`\`sh\n${OTHERWISE}\n\`\`\`\n(unchecked)`);
  });

  test('loses a sentence that its source contradicts, and that is said', async () => {
    const { answer, notices } = await ask(
      await serviceSaying(`Downloads were not affected [1]. ${CONTRADICTED} [1].`),
    );
    expect(answer).toBe('Downloads were not affected. [1]');
    expect(notices).toEqual([expect.stringMatching(/^1 of 2 sentences removed/)]);
  });

  test('is said to have answered where nothing of it is left', async () => {
    const { answer, notices } = await ask(await serviceSaying(`${CONTRADICTED} [1].`));
    expect(answer).toContain('file-vault');
    expect(JSON.stringify(notices)).toContain("The language model's answer was removed");
    expect(JSON.stringify(notices)).not.toContain('without the language model');
  });
});

test('the verdict of each sentence is in the answer', async () => {
  const service = await serviceSaying(
    `Downloads were not affected [1]. ${CONTRADICTED} [1]. ${OTHERWISE} [1].`,
  );
  const { support, fallback } = (
    await service.call('acme', 'POST', '/api/ai/rag/answer', { question: QUESTION })
  ).json();
  expect(support).toMatchObject([
    { verdict: 'supported' },
    { verdict: 'contradicted' },
    { verdict: 'unsupported' },
  ]);
  expect(fallback).toBeUndefined();
});

const ROUTE = '/api/ai/rag/answer';

test.each([
  [
    'as a document',
    async ({ call }: TestService) => (await call('acme', 'POST', ROUTE, { question: QUESTION })).json(),
  ],
  [
    'as events',
    async ({ call }: TestService) =>
      answerEvent(await call('acme', 'POST', ROUTE, { question: QUESTION }, STREAM)),
  ],
])(
  'every sentence, its verdict and whether it was removed are told %s, where nothing is left too',
  async (_, ask) => {
    const alone = await ask(await serviceSaying(`${CONTRADICTED} [1]. ${OTHERWISE} [1].`, 'remove'));
    expect(alone).toMatchObject({
      answerer: 'extractive',
      support: [
        { verdict: 'supported', isRemoved: false },
        { sentence: `${CONTRADICTED}.`, verdict: 'contradicted', isRemoved: true },
        { sentence: `${OTHERWISE}.`, verdict: 'unsupported', isRemoved: true },
      ],
    });
  },
);

test('a chat whose sentences stand has no notices', async () => {
  const service = await serviceSaying('Downloads were not affected [1].');
  const { json } = await service.call('acme', 'POST', '/chat', { message: QUESTION });
  expect(Object.keys(json()).sort()).toEqual(['answer', 'sources']);
});
