import './embedded.js';
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Engine, startSync } from 'ragstone';
import { openIndex } from '../src/open-index.js';
import { scoredPbi, writeStep } from '../src/runs.js';
import { serviceVariables } from '../src/settings.js';
import { makeProject } from './project.js';
import { runProgram } from './run-chef.js';

const { folder, output } = makeProject();
let engine: Engine;

before(async () => {
  const opened = await openIndex({ folder });
  engine = opened.engine;
  assert.deepEqual(opened.indexed.stats.errors, []);
});
after(() => engine.close());

/** Passages of everything that is indexed, whatever they score. */
const passages = async (text: string, filters = {}) =>
  (
    await engine.search({
      text,
      topK: 100,
      filters,
      options: { minSimilarity: 0, collapse: 'none', rerank: false, nearDuplicates: 'keep' },
    })
  ).results;

test('config check lists only what is not built, and why', async () => {
  const { stdout } = await runProgram(['chef.ts', 'rag', 'config', 'check', '--json'], {
    folder,
    env: { ...serviceVariables('https://orchard.example'), RAG_PROVIDER: 'chroma' },
  });
  const { notActive } = JSON.parse(stdout) as {
    notActive: { setting: string; reason: string }[];
  };
  const groups = notActive.map(({ setting }) => /^rag\.(retrieval\.\w+|storage\.\w+|\w+)/.exec(setting)?.[1]);
  assert.deepEqual([...new Set(groups)].sort(), ['retrieval.maxDistance', 'storage.cloud']);
  assert.ok(notActive.every(({ reason }) => reason !== ''));
  assert.match(
    notActive.find(({ setting }) => setting === 'rag.retrieval.maxDistance')?.reason ?? '',
    /minSimilarity/,
  );
});

test('its paths, exclusions, front matter and metadata decide what is indexed', async () => {
  const { documents } = await engine.list({ limit: 1000 });
  const idsOf = (name: string): string[] =>
    documents.filter(({ source }) => source === name).map(({ externalId }) => externalId);
  assert.equal(documents.length, 60);
  // 18 items in the three files of their run; five pages and the README, without the changelog.
  assert.equal(idsOf('pipeline_outputs').length, 54);
  const pages = idsOf('project_docs');
  assert.equal(pages.length, 6);
  assert.ok(pages.includes('docs/adr/0005-idempotency-keys.md') && !pages.includes('docs/CHANGELOG.md'));
  const [page] = await passages('idempotency key of a payment attempt', { sourceType: ['documentation'] });
  assert.equal(page?.metadata.sourceType, 'documentation');
  assert.deepEqual(page?.metadata.tags, ['decision', 'payments']);
  const [item] = await passages('card payment', { sourceType: ['pbi'] });
  assert.equal(item?.metadata.category, 'historical');
});

test('an item has its id, its score and its criteria, as the configuration of its source says', async () => {
  const found = await passages('card payment', { metadata: { pbi_id: 'ORC-22' } });
  assert.ok(found.length > 0);
  const final = found.filter(({ metadata }) => metadata.source.includes('final-output'));
  assert.equal(final[0]?.metadata.quality_score, 80);
  assert.ok(final.some(({ content }) => content.includes('Retry a card payment')));
});

test('chunks have at most 500 characters', async () => {
  const found = await passages('delivery slots, payments and sign-in');
  assert.ok(found.length > 20);
  assert.ok(found.every(({ content }) => content.length <= 500));
});

test('a search gives at most 3 results after reranking, of a similarity of 0.7 or more', async () => {
  const { results, notices } = await engine.search({
    text: 'A payment that was interrupted must not be charged twice',
    options: { explainScore: true },
  });
  assert.ok(results.length > 0 && results.length <= 3);
  for (const { score, explanation } of results) {
    assert.ok(score >= 0.7);
    assert.notEqual(explanation?.rerankScore, undefined);
  }
  const nothing = await engine.search('zebra crossing paint');
  assert.deepEqual(nothing.results, []);
  assert.match([...notices, ...nothing.notices].join(' '), /left out, below the threshold of 0\.7/);
});

test('a model that is not on this machine is replaced by the built-in one, and every answer says so', async () => {
  const { notices } = await engine.search('sign in');
  assert.match(notices.join(' '), /all-MiniLM-L6-v2" is not on this machine/);
  assert.equal((await engine.status()).embedder.includes('builtin'), true);
});

test('a run that is finished while its source is followed is found without being asked for', async () => {
  const sync = startSync(engine, { sources: ['pipeline_outputs'] });
  try {
    const issue = {
      key: 'ORC-90',
      title: 'Drones carry parcels to islands',
      description: 'A drone flies over water.',
    };
    const run = join(output, 'run-090');
    mkdirSync(run, { recursive: true });
    writeFileSync(join(run, 'ignored.txt'), 'no output');
    writeStep(run, 'final-output.json', { pbis: [scoredPbi(issue).pbi] });
    const end = Date.now() + 20_000;
    let found: readonly unknown[] = [];
    while (found.length === 0 && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      found = await passages('drones', { metadata: { pbi_id: 'ORC-90' } });
    }
    assert.ok(found.length > 0);
    assert.equal(sync.states()[0]?.source, 'pipeline_outputs');
  } finally {
    await sync.stop();
  }
});

test('only what changed is read again', async () => {
  const { stats } = await engine.index();
  assert.equal(stats.documentsProcessed, 0);
  assert.ok(stats.documentsUnchanged >= 60);
});

test('where each document stands is told: its source, its chunks, when, and how often it failed', async () => {
  const { states } = await engine.indexingStates({ limit: 1000 });
  const state = states.find(({ source_path }) => source_path === 'docs/payments.md');
  assert.equal(state?.source_type, 'documentation');
  assert.equal(state?.status, 'indexed');
  assert.equal(state?.vector_ids.length, state?.chunk_count);
  assert.equal(state?.retry_count, 0);
  assert.ok(state?.last_indexed instanceof Date && state.content_hash !== undefined);
});
