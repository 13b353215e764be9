import './embedded.js';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Engine, IndexResult } from 'ragstone';
import { EnrichItems } from '../src/enrich-items.js';
import { openIndex } from '../src/open-index.js';
import { scoredPbi } from '../src/runs.js';
import type { JsonServer } from '../src/services/json-server.js';
import { startServices } from '../src/services/sample-services.js';
import { serviceVariables } from '../src/settings.js';
import { makeProject } from './project.js';

const { folder, waiting } = makeProject();
let services: JsonServer;
let engine: Engine;
let indexed: IndexResult;

before(async () => {
  services = await startServices();
  Object.assign(process.env, serviceVariables(services.url));
  ({ engine, indexed } = await openIndex({ folder, services: services.url }));
});
after(async () => {
  await engine.close();
  await services.close();
});

const externalIds = async (source: string): Promise<string[]> => {
  const { documents } = await engine.list({ limit: 1000 });
  return documents.filter((document) => document.source === source).map(({ externalId }) => externalId);
};

test('the pages of the two spaces are indexed, with their comments and no others', async () => {
  assert.deepEqual(indexed.stats.errors, []);
  assert.deepEqual((await externalIds('confluence_kb')).sort(), ['101', '102']);
  const { results } = await engine.search({
    text: 'when is a gift card booked',
    filters: { sourceType: ['confluence'] },
    options: { minSimilarity: 0 },
  });
  assert.match(results.map(({ content }) => content).join(' '), /booked when it is redeemed/);
  assert.equal(results[0]?.metadata.category, 'knowledge_base');
});

test('the work items of the four types are indexed, with the fields that are named', async () => {
  assert.deepEqual((await externalIds('azure_devops')).sort(), ['61', '62']);
  const { results } = await engine.search({
    text: 'gift card redeemed twice is refused',
    filters: { sourceType: ['azure_devops'] },
    options: { minSimilarity: 0 },
  });
  assert.equal(results[0]?.metadata.workItemId, 61);
  assert.match(results[0]?.content ?? '', /refused the second time/);
  assert.equal(results[0]?.metadata.category, 'work_items');
});

test('work items count as work, and pages of the wiki as decisions and documents', async () => {
  const step = new EnrichItems({ engine });
  const [, payment, , giftCards] = waiting.map((issue) => scoredPbi(issue).pbi);
  assert.ok(payment !== undefined && giftCards !== undefined);
  const refs = (await step.enrich(payment)).similar_work.map(({ ref }) => ref);
  assert.ok(refs.includes('62') && refs.includes('ORC-22'));
  const { past_decisions, technical_docs } = await step.enrich(giftCards);
  const voucher = past_decisions.find(({ title }) => title.includes('gift cards are vouchers'));
  assert.match(voucher?.decision ?? '', /^We decided that a gift card is a voucher/);
  assert.match(technical_docs[0]?.link ?? '', /^http/);
});

test('each source has its own schedule, and the runs are watched beside', () => {
  const { timings } = engine.syncPlan();
  assert.deepEqual(
    timings.map(({ source, schedules, places, atStart }) => [
      source,
      schedules.length,
      places !== undefined,
      atStart,
    ]),
    [
      ['pipeline_outputs', 1, true, true],
      ['confluence_kb', 1, false, false],
      ['azure_devops', 1, false, false],
    ],
  );
});

test('a service that refuses its token fails by itself, and the others are read', async () => {
  process.env.AZURE_PAT = 'wrong';
  const refused = await openIndex({ folder: makeProject().folder, services: services.url });
  try {
    const { errors, documentsProcessed } = refused.indexed.stats;
    assert.deepEqual(
      errors.map(({ source, reason }) => [source, reason]),
      [['azure_devops', 'SOURCE_DENIED']],
    );
    assert.equal(documentsProcessed, 62);
  } finally {
    await refused.engine.close();
  }
});

test('an enabled service without its token is refused by the name of the variable', async () => {
  delete process.env.CONFLUENCE_TOKEN;
  await assert.rejects(openIndex({ folder: makeProject().folder, services: services.url }), {
    reason: 'SECRET_MISSING',
    message: /CONFLUENCE_TOKEN, which is not set/,
  });
});

// Last, for it closes them.
test('services that are down fail by themselves after a minute, and what was read of them stays', {
  skip: process.env.TEST_CHROMA_PROGRAM === undefined && 'it waits a minute: the whole test alone has it',
}, async () => {
  await services.close();
  const { stats, success } = await engine.index();
  assert.equal(success, false);
  assert.deepEqual(stats.errors.map(({ source }) => source).sort(), ['azure_devops', 'confluence_kb']);
  assert.deepEqual((await externalIds('confluence_kb')).sort(), ['101', '102']);
});
