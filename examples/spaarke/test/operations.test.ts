import './fresh-data.js';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Redis } from 'ioredis';
import type { RagstoneClient } from 'ragstone/client';
import { clientOf, operatorOf } from '../src/client.js';
import { customerOwned } from '../src/deployments.js';
import { tokenFor } from '../src/issuer.js';
import { type RunningSpaarke, startSpaarke } from '../src/start-spaarke.js';
import { type EmbeddingService, startEmbeddingService } from './embedding-service.js';
import { type Relay, startRelay } from './relay.js';
import { testDatabase, WITHOUT_DATABASE } from './test-database.js';

const REDIS = process.env.TEST_REDIS_URL;
const WITHOUT_REDIS = REDIS === undefined ? 'TEST_REDIS_URL names no Redis' : false;
const WEEK_SECONDS = 7 * 24 * 3_600;
const folder = process.env.SPAARKE_DATA ?? '';

let spaarke: RunningSpaarke;
let models: EmbeddingService;
let relay: Relay | undefined;
let harborline: RagstoneClient;

before(async () => {
  models = await startEmbeddingService();
  relay = REDIS === undefined ? undefined : await startRelay(REDIS);
  spaarke = await startSpaarke({
    env: {
      SPAARKE_EMBEDDING_MODEL: 'openai-compatible:text-embedding-3-small',
      SPAARKE_EMBEDDING_URL: models.url,
      SPAARKE_HEALTH_SECONDS: '1',
      SPAARKE_SLOW_QUERY_MS: '1',
      LOG_LEVEL: 'debug',
      REDIS_URL: relay?.url ?? '',
    },
  });
  harborline = clientOf('harborline', { url: spaarke.url });
  await harborline.indexDocument({ id: 'terms', content: 'Invoices are paid within thirty days.' });
});
after(async () => {
  await spaarke.stop();
  await relay?.cut();
  await models.stop();
});

async function metrics(): Promise<string> {
  const token = await tokenFor({ tenantId: 'operator', permissions: ['monitor'] });
  const answer = await fetch(`${spaarke.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200);
  return answer.text();
}

/** The value of a metric; 0 where nothing was counted. */
async function metricOf(line: string): Promise<number> {
  const found = (await metrics()).split('\n').find((text) => text.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1) ?? 0);
}

const hits = (cacheType: string) => metricOf(`cache_hits_total{cacheType="${cacheType}"}`);

async function keysOf(client: Redis, prefix: string): Promise<Buffer[]> {
  return client.keysBuffer(`${prefix}*`);
}

test('a question that was asked is answered from the cache until a document is indexed', async () => {
  const ask = () => harborline.search({ query: 'When are invoices paid?', minScore: 0 });
  const first = await ask();
  const before = await hits('query');
  const again = await ask();
  assert.ok(first.results.length > 0);
  assert.deepEqual(again.results, first.results);
  assert.equal(await hits('query'), before + 1);
  await harborline.indexDocument({ id: 'late', content: 'Invoices that are late are paid with interest.' });
  assert.ok((await ask()).results.some(({ id }) => id === 'late'));
  await harborline.deleteKnowledgeDocument('late');
});

test('the vector of a question is computed once, and found in the cache from then on', async () => {
  // Not in a Redis that another run has filled.
  const query = `How long may customer ${Date.now()} take to pay?`;
  await harborline.search({ query, minScore: 0 });
  const [sent, before] = [models.texts.length, await hits('embedding')];
  assert.ok(models.texts.includes(query));
  // Another number of results is another search of the same question.
  for (const topK of [3, 4]) await harborline.search({ query, topK, minScore: 0 });
  assert.equal(models.texts.length, sent);
  assert.ok((await hits('embedding')) >= before + 2);
  const text = await metrics();
  for (const name of ['cache_hits_total', 'cache_misses_total', 'cache_hit_rate'])
    assert.match(text, new RegExp(`^${name}\\{cacheType="embedding"\\} `, 'm'));
});

test('vectors lie in Redis for 7 days, as binary float32 under the key of the document', {
  skip: WITHOUT_REDIS,
}, async () => {
  const client = new Redis(REDIS ?? '');
  try {
    const keys = await keysOf(client, 'sdap:embedding:');
    assert.ok(keys.length > 0);
    const lives: number[] = [];
    for (const key of keys) {
      const hash = Buffer.from(key.toString().slice('sdap:embedding:'.length), 'base64');
      assert.equal(hash.length, createHash('sha256').digest().length);
      const life = await client.ttl(key);
      lives.push(life);
      assert.ok(life > 0 && life <= WEEK_SECONDS, String(life));
      const bytes = await client.getBuffer(key);
      const vector = new Float32Array(Uint8Array.from(bytes ?? Buffer.alloc(0)).buffer);
      assert.equal(vector.length, 1_536);
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-3);
    }
    // Those of this run.
    assert.ok(Math.max(...lives) > WEEK_SECONDS - 600);
    assert.ok((await keysOf(client, 'ragstone:query:')).length > 0);
  } finally {
    client.disconnect();
  }
});

test('a Redis that is gone is a miss with a warning, and no wrong answer', {
  skip: WITHOUT_REDIS,
}, async () => {
  const query = 'Is interest owed on invoices?';
  const first = await harborline.search({ query, topK: 2, minScore: 0 });
  await relay?.cut();
  try {
    const later = await harborline.search({ query, topK: 3, minScore: 0 });
    assert.deepEqual(later.results.slice(0, first.results.length), first.results);
    assert.ok(later.noticeKinds.includes('search-degraded'), later.noticeKinds.join());
  } finally {
    await relay?.mend();
  }
});

test('the service is watched: health, metrics by the names of the document, log and alerts', async () => {
  const health = await fetch(`${spaarke.url}/health/rag`);
  assert.equal(health.status, 200);
  assert.equal(((await health.json()) as { ready: boolean }).ready, true);
  assert.ok((await metricOf('rag_search_query_count_total{mode="hybrid"}')) > 0);
  assert.equal(await metricOf('rag_system_part_up{part="store"}'), 1);
  const events = readFileSync(join(folder, 'logs/rag.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event?: string; query?: string });
  assert.ok(events.some(({ event }) => event === 'indexing_complete'));
  const searches = events.filter(({ event }) => event === 'search_performed');
  assert.ok(searches.length > 0 && searches.every(({ query = '' }) => query.length <= 100));
  // Every search here takes longer than the millisecond that the test allows.
  const alerts = readFileSync(join(folder, 'logs/alerts.log'), 'utf8');
  const [alert] = alerts
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([alert?.alert, alert?.severity, alert?.threshold], ['slow_query', 'warning', 1]);
});

test('where nothing can be searched, the service says what was written for that', {
  skip: WITHOUT_DATABASE,
}, async () => {
  const database = testDatabase('static');
  assert.ok(database !== undefined);
  const line = await startRelay(database.url);
  const [operator, bank] = [operatorOf(spaarke.url), clientOf('alpenrhein.bank', { url: spaarke.url })];
  try {
    await operator.saveDeployment('alpenrhein.bank', customerOwned({ ...database, url: line.url }));
    await bank.indexDocument({ id: 'vault', content: 'The vault opens at nine.' });
    await line.cut();
    const answer = await bank.search({ query: 'When does the vault open?', minScore: 0 });
    assert.equal(answer.degradationLevel, 4);
    assert.deepEqual(answer.results, []);
    assert.match(answer.staticResponses?.[0]?.text ?? '', /service desk, 4242/);
    assert.equal((await harborline.search({ query: 'invoices', minScore: 0 })).degradationLevel, 0);
  } finally {
    await line.cut();
  }
});
