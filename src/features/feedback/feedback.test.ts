import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { createEngine, type RAGConfigInput } from '../../index.js';

async function engineWith(feedback: object = { enabled: true }) {
  const cwd = temporaryFolder();
  const config = { provider: 'memory', feedback } as RAGConfigInput;
  const engine = await createEngine({ config, cwd });
  onTestFinished(() => engine.close());
  const acme = engine.as({ tenant: 'acme' });
  const hr = engine.as({ tenant: 'acme', groups: ['hr'] });
  const globex = engine.as({ tenant: 'globex' });
  await acme.push([
    { id: 'valves', text: 'The safety valve opens at nine bar.' },
    { id: 'pumps', text: 'The pump of the safety circuit runs at night.' },
    { id: 'pay', text: 'The safety officer is paid in May.', access: { groups: ['hr'] } },
  ]);
  await globex.push([{ id: 'plan', text: 'The safety plan of Globex.' }]);
  const shownBy = async (view: typeof acme) => {
    const { results } = await view.search({ text: 'safety', options: { minSimilarity: 0 } });
    return results.map(({ id }) => id);
  };
  return { engine, acme, hr, globex, shownBy, dataDir: join(cwd, '.ragstone') };
}

test('what people open and say becomes graded passages, as questions that evaluations read', async () => {
  const { acme, shownBy } = await engineWith();
  const shown = await shownBy(acme);
  expect(shown).toHaveLength(2);
  for (let times = 0; times < 3; times++) await acme.feedback({ query: 'safety', shown, clicked: [2] });
  await acme.feedback({ query: 'Safety ', shown, clicked: [], notRelevant: [1], comment: 'No.' });
  const { questions, counts, examination, notices } = await acme.feedbackJudgments();
  expect(questions).toMatchObject([
    { question: 'Safety ', type: 'feedback', gold: [{ grade: 3 }], alternates: [] },
  ]);
  const { results } = await acme.search({ text: 'safety', options: { minSimilarity: 0 } });
  expect(questions[0]?.gold[0]).toMatchObject({
    path: results[1]?.metadata.source,
    quote: results[1]?.content,
  });
  expect(counts).toMatchObject({ events: 4, clicks: 3, verdicts: 1, questions: 1, tooFew: 0, gone: 0 });
  expect(examination).toMatchObject({ from: 'prior', tellingClicks: 0 });
  expect(notices.join()).toMatch(/taken as 1 \/ rank/);
});

test.each([{ caller: 'ann' }, {}])(
  'what %j says of one request again and again counts once, as it was said last',
  async (who) => {
    const { acme, shownBy } = await engineWith();
    const shown = await shownBy(acme);
    const say = (said: object) => acme.feedback({ query: 'safety', shown, requestId: 'r1', ...who, ...said });
    for (let times = 0; times < 5; times++) {
      await say({ clicked: [2] });
      await say({ relevant: [1], answer: 'bad' });
    }
    await say({ helpful: false, rank: 1 });
    const own = { clicks: 1, verdicts: 1, onTheWhole: 1 };
    expect((await acme.feedbackJudgments()).counts).toMatchObject({ events: 11, repeats: 10, ...own });
    // One is against it and two are for it.
    for (const requestId of ['r2', 'r3']) await say({ requestId, relevant: [1] });
    const { questions, counts } = await acme.feedbackJudgments();
    expect(counts).toMatchObject({ repeats: 10, ...own, verdicts: 3 });
    expect(questions[0]?.gold).toHaveLength(1);
  },
);

test('another caller, and another question under the same name of a request, count for themselves', async () => {
  const { acme, shownBy } = await engineWith();
  const said = { shown: await shownBy(acme), requestId: 'r1', clicked: [1] };
  for (const caller of ['ann', 'bob']) await acme.feedback({ query: 'safety', caller, ...said });
  await acme.feedback({ query: 'valves', caller: 'ann', ...said });
  expect((await acme.feedbackJudgments()).counts).toMatchObject({ events: 3, repeats: 0, clicks: 3 });
});

test('one tenant sees nothing of another, and its feedback makes no judgment there', async () => {
  const { acme, globex, shownBy } = await engineWith();
  const shown = await shownBy(acme);
  await acme.feedback({ query: 'safety', shown, relevant: [1] });
  expect(await globex.listFeedback()).toEqual({ feedback: [], unreadable: 0, withheld: 0 });
  expect((await globex.feedbackJudgments()).questions).toEqual([]);
  // Ids of another tenant's passages are as unknown as none.
  await expect(globex.feedback({ query: 'safety', shown, relevant: [1] })).rejects.toMatchObject({
    reason: 'FEEDBACK_UNKNOWN',
  });
  await globex.feedback({ query: 'safety', shown: [...shown, ...(await shownBy(globex))], relevant: [3] });
  const { feedback } = await globex.listFeedback();
  expect(feedback.map(({ places }) => places.map(({ source, rank }) => [source, rank]))).toEqual([
    [['plan', 3]],
  ]);
});

test('passages that a scope may not read are in no feedback and no judgment of it', async () => {
  const { acme, hr, shownBy } = await engineWith();
  const shown = await shownBy(hr);
  expect(shown).toHaveLength(3);
  await hr.feedback({ query: 'safety', shown, relevant: [1, 2, 3] });
  expect(await acme.listFeedback()).toEqual({ feedback: [], unreadable: 0, withheld: 1 });
  expect((await acme.feedbackJudgments()).questions).toEqual([]);
  expect((await hr.feedbackJudgments()).questions[0]?.gold.map(({ path }) => path).sort()).toEqual([
    'pay',
    'pumps',
    'valves',
  ]);
  const { notices } = await acme.feedback({ query: 'safety', shown, clicked: [] });
  expect(notices).toEqual(['1 of 3 places are no longer in the index and are stored without them.']);
});

test('a passage that is for fewer people now is in no judgment of the others', async () => {
  const { acme, hr, shownBy } = await engineWith();
  await acme.feedback({ query: 'safety', shown: await shownBy(acme), relevant: [1, 2] });
  await acme.push([
    { id: 'pumps', text: 'The pump of the safety circuit runs at night.', access: { groups: ['hr'] } },
  ]);
  const pathsFor = async (view: typeof acme) =>
    (await view.feedbackJudgments()).questions.flatMap(({ gold }) => gold.map(({ path }) => path)).sort();
  expect(await pathsFor(hr)).toEqual(['pumps', 'valves']);
  expect(await pathsFor(acme)).toEqual(['valves']);
});

test('what is forgotten is in no feedback any more', async () => {
  const { acme, shownBy, dataDir } = await engineWith();
  const shown = await shownBy(acme);
  await acme.feedback({ query: 'Who is Quaggadromous?', shown, relevant: [1] });
  const feedback = join(dataDir, 'feedback');
  expect(existsSync(feedback)).toBe(true);
  await acme.forget({ documents: ['valves'] });
  expect((await acme.listFeedback()).feedback).toEqual([]);
});

test('a passage that changed since is in no judgment, and that is said', async () => {
  const { acme, shownBy } = await engineWith();
  await acme.feedback({ query: 'safety', shown: await shownBy(acme), relevant: [1, 2] });
  await acme.push([{ id: 'valves', text: 'It is about something else now.' }]);
  const { questions, counts, notices } = await acme.feedbackJudgments();
  expect(questions[0]?.gold.map(({ path }) => path)).toEqual(['pumps']);
  expect(counts.gone).toBe(1);
  expect(notices.join()).toMatch(/1 passages that people called relevant are not in what is judged/);
});

test('it is off unless it is switched on, and nothing is written then', async () => {
  const { acme, shownBy, dataDir } = await engineWith({});
  const shown = await shownBy(acme);
  const off = { reason: 'FEEDBACK_OFF', message: expect.stringContaining('rag.feedback.enabled') };
  await expect(acme.feedback({ query: 'safety', shown, clicked: [1] })).rejects.toMatchObject(off);
  await expect(acme.listFeedback()).rejects.toMatchObject(off);
  await expect(acme.feedbackJudgments()).rejects.toMatchObject(off);
  expect(existsSync(join(dataDir, 'feedback'))).toBe(false);
});

test.each([
  [{ shown: [] }, /wrong "shown"/],
  [{ clicked: [3] }, /no place 3: 2 were shown/],
  [{ clicked: undefined }, /says at least one of/],
  [{ rank: 1 }, /rank belongs to helpful/],
  [{ relevant: [1], notRelevant: [1] }, /cannot be relevant and not relevant/],
  [{ query: ' ' }, /wrong "query"/],
  [{ clickd: [1] }, /has no "clickd". Did you mean clicked/],
])('%j is refused', async (wrong, message) => {
  const { acme, shownBy } = await engineWith();
  const request = { query: 'safety', shown: await shownBy(acme), clicked: [1], ...wrong };
  await expect(acme.feedback(request as never)).rejects.toMatchObject({
    reason: 'USAGE',
    message: expect.stringMatching(message),
  });
  expect((await acme.listFeedback()).feedback).toEqual([]);
});

test('the file is for the owner of the data folder alone', async () => {
  const { acme, shownBy, dataDir } = await engineWith();
  await acme.feedback({ query: 'safety', shown: await shownBy(acme), clicked: [1] });
  const { readdirSync, statSync } = await import('node:fs');
  const [file = ''] = readdirSync(join(dataDir, 'feedback'));
  expect(file).toMatch(/^[0-9a-f]{32}\.jsonl$/);
  expect(readFileSync(join(dataDir, 'feedback', file), 'utf8')).toContain('safety');
  if (process.platform !== 'win32') expect(statSync(join(dataDir, 'feedback', file)).mode & 0o077).toBe(0);
});
