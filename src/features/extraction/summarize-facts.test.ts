import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import type { Engine, PushedDocument } from '../../index.js';
import { createEngine } from '../../index.js';
import { FactModel, isSummary, readsServices } from './test-fact-model.js';

let engine: Engine;
let model: FactModel;
beforeEach(async () => {
  const folder = temporaryFolder();
  model = new FactModel();
  engine = await createEngine({
    config: { provider: 'libsql' },
    dataDir: folder,
    cwd: folder,
    chatModel: model,
  });
});
afterEach(() => engine.close());

const PAY: PushedDocument = {
  id: 'pay',
  text: 'The Pay Service uses the Ledger Database. The Audit Team owns the Ledger Database.',
};
const MAIL: PushedDocument = {
  id: 'mail',
  text: 'The Pay Service calls the Mail Service. The Mail Service uses the Ledger Database.',
};
const BOARD: PushedDocument = {
  id: 'board',
  text: 'The Pay Service calls the Secret Service. The Secret Service uses the Ledger Database.',
  access: { groups: ['board'] },
};
const asked = (): number => model.asked.filter((messages) => isSummary({ messages })).length;
const given = (): string => JSON.stringify(model.asked.filter((messages) => isSummary({ messages })));

it('summarises what hangs together, sentence by sentence with its documents, once for the same facts', async () => {
  await engine.push([PAY, MAIL]);
  await engine.graph.extract();
  const plan = await engine.graph.summarize({ dryRun: true });
  expect(plan).toMatchObject({ communities: 1, written: 0, left: 1, estimate: { calls: 1 } });
  expect(asked()).toBe(0);
  expect((await engine.graph.estimate()).summaries.calls).toBe(1);
  const result = await engine.graph.summarize();
  expect(result).toMatchObject({ communities: 1, written: 1, failed: 0, left: 0, audiences: 1 });
  expect(await engine.graph.summarize()).toMatchObject({ written: 0, unchanged: 1, left: 0 });
  expect(asked()).toBe(1);
  const { summaries } = await engine.graph.summaries();
  expect(summaries).toHaveLength(1);
  // The sentence that names no source is left out.
  expect(summaries[0]?.sentences).toMatchObject([{ text: 'They use each other.' }]);
  expect(summaries[0]?.sentences[0]?.documents).toHaveLength(1);
  expect(new Set(summaries[0]?.entities)).toEqual(
    new Set(['Pay Service', 'Ledger Database', 'Audit Team', 'Mail Service']),
  );
  expect(summaries[0]?.documents.map(({ externalId }) => externalId).sort()).toEqual(['mail', 'pay']);
  expect((await engine.graph.summaries({ entity: 'auditteam' })).summaries).toHaveLength(1);
  expect((await engine.graph.summaries({ entity: 'Nobody' })).summaries).toEqual([]);
});

it('is never made of documents with other readers, and shown to who may read all of them', async () => {
  await engine.push([PAY, MAIL, BOARD]);
  await engine.graph.extract();
  // Alone, the document of the board has a group of its own.
  expect(await engine.graph.summarize()).toMatchObject({ communities: 2, written: 2, audiences: 2 });
  const prompts = model.asked.filter((messages) => isSummary({ messages })).map((one) => JSON.stringify(one));
  expect(prompts.filter((prompt) => prompt.includes('Secret Service'))).toHaveLength(1);
  expect(prompts.find((prompt) => prompt.includes('Secret Service'))).not.toContain('Mail Service');
  const board = { tenant: 'default', groups: ['board'] };
  expect((await engine.graph.summaries()).summaries).toHaveLength(1);
  expect((await engine.graph.summaries({}, board)).summaries).toHaveLength(2);
  expect((await engine.graph.summaries({}, { tenant: 'acme', groups: ['board'] })).summaries).toEqual([]);
  expect((await engine.graph.summaries({ entity: 'Secret Service' })).summaries).toEqual([]);
  // A document that is restricted afterwards takes the summary out of sight at once, though its facts are as they were.
  await engine.push([{ ...MAIL, access: { groups: ['board'] } }]);
  expect((await engine.graph.summaries()).summaries).toEqual([]);
  expect((await engine.graph.summaries({}, board)).summaries).toHaveLength(2);
  expect(await engine.graph.summarize()).toMatchObject({ removed: 2, written: 2 });
  const { summaries } = await engine.graph.summaries();
  expect(summaries.flatMap(({ documents }) => documents.map(({ externalId }) => externalId))).toEqual([
    'pay',
  ]);
  expect(JSON.stringify(summaries)).not.toContain('Mail Service');
});

it('is gone with a document that it was made of, and written anew of the others', async () => {
  await engine.push([PAY, MAIL]);
  await engine.graph.extract();
  await engine.graph.summarize();
  await engine.delete(['mail']);
  expect((await engine.graph.summaries()).summaries).toEqual([]);
  expect(await engine.graph.status()).toMatchObject({ summaries: 0 });
  expect(await engine.graph.summarize()).toMatchObject({ written: 1 });
  expect((await engine.graph.summaries()).summaries[0]?.documents).toMatchObject([{ externalId: 'pay' }]);
  await engine.forget({ documents: ['pay'] });
  expect((await engine.graph.summaries()).summaries).toEqual([]);
});

it('keeps to limits, and an answer of no use is counted and asked for again', async () => {
  await engine.push([PAY, BOARD]);
  await engine.graph.extract();
  expect(await engine.graph.summarize({ maxTokens: 50 })).toMatchObject({
    written: 0,
    left: 2,
    stopped: 'maxTokens',
  });
  model.script = () =>
    JSON.stringify({ title: 'x', sentences: [{ text: 'Unfounded.', sources: [99] }, 'no'] });
  expect(await engine.graph.summarize()).toMatchObject({ written: 0, failed: 2, left: 0 });
  model.script = readsServices;
  expect(await engine.graph.summarize()).toMatchObject({ written: 2, failed: 0 });
});

it('pages show each summary once', async () => {
  await engine.push(
    ['a', 'b', 'c', 'd', 'e'].map((group) => ({ ...PAY, id: group, access: { groups: [group] } })),
  );
  await engine.graph.extract();
  await engine.graph.summarize();
  const scope = { tenant: 'default', groups: ['a', 'b', 'c', 'd'] };
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await engine.graph.summaries({ limit: 3, cursor }, scope);
    ids.push(...page.summaries.map(({ id }) => id));
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  expect(new Set(ids).size).toBe(4);
  expect(ids).toHaveLength(4);
  expect(given()).toContain('Ledger Database');
});
