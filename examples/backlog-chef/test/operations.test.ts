import './embedded.js';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Engine, startMonitoring } from 'ragstone';
import { openIndex } from '../src/open-index.js';
import { makeProject } from './project.js';

const { folder } = makeProject();
let engine: Engine;

before(async () => {
  ({ engine } = await openIndex({ folder }));
});
after(() => engine.close());

const QUESTION = 'How do we keep a payment from being charged twice?';

test('a question that was asked is answered from the cache until something is indexed', async () => {
  const ask = () => engine.search({ text: QUESTION, options: { minSimilarity: 0 } });
  const first = await ask();
  const again = await ask();
  assert.ok(first.results.length > 0);
  assert.deepEqual(again.results, first.results);
  assert.equal('lexical' in first.stages, true);
  assert.deepEqual(Object.keys(again.stages), ['cache']);
  writeFileSync(
    join(folder, 'docs', 'twice.md'),
    `# Charged twice\n\n${QUESTION} By an idempotency key that only this page calls a marmot key.\n`,
  );
  await engine.index();
  const later = await ask();
  assert.equal('lexical' in later.stages, true);
  assert.ok(later.results.some(({ content }) => content.includes('marmot')));
});

test('what the pipeline does is counted in metrics/rag, and logged in logs/rag.log', async () => {
  const monitoring = await startMonitoring(engine, { name: 'chef' });
  await engine.search({ text: QUESTION, options: { minSimilarity: 0 } });
  await engine.search({ text: 'a question that nobody asked before', options: { minSimilarity: 0 } });
  writeFileSync(join(folder, 'docs', 'refunds.md'), '# Refunds\n\nA refund takes two days.\n');
  await engine.index();
  await monitoring.stop();
  const metrics = readFileSync(join(folder, 'metrics', 'rag', 'chef.prom'), 'utf8');
  assert.match(metrics, /^rag_search_query_count_total\S* 2$/m);
  assert.match(metrics, /^cache_hits_total\{[^}]*cacheType="query"[^}]*\} 1$/m);
  assert.match(metrics, /^rag_indexing_documents_processed_total 1$/m);
  const lines = readFileSync(join(folder, 'logs', 'rag.log'), 'utf8')
    .trim()
    .split('\n');
  const events = lines.map((line) => (JSON.parse(line) as { event?: string }).event);
  assert.deepEqual(events, ['indexing_complete']);
  assert.ok(!lines.join().includes(QUESTION), 'a log keeps no text of questions');
  assert.equal((await engine.health()).ok, true);
});
