import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import { RAGError } from '../../core/errors.js';
import type { Embedder } from '../../embedding/embedder.js';
import { openOutStore } from '../../features/maintenance/test-out-store.js';
import { createEngine, startMonitoring, type ToldDegradation } from '../../index.js';
import type { Reranker } from '../../reranking/reranker.js';
import { createHashEmbedder } from '../../testing/hash-embedder.js';
import { degradationOf } from '../cli/render/degradation.js';
import { testService } from './test-service.js';

type Part = 'store' | 'embedder' | 'reranker';

/** How a service is set up, what is out, and what is seen of it then, as `docs/degradation.md` says. */
interface Row {
  readonly level: number;
  readonly out: readonly Part[];
  readonly config?: RAGSettingsInput;
  /** The store keeps its words itself, and there is no copy of them. */
  readonly keepsWords?: boolean;
  /** The question was asked before. */
  readonly isAskedBefore?: boolean;
  /** Passages of the response, in their order. */
  readonly shows: readonly string[];
  /** Level of the health, where it is another one: what was not asked before it cannot know. */
  readonly health?: number;
}

/** Longer than any test: nothing is tried again by itself. */
const NEVER = { failures: 1, retryAfterMs: 3_600_000 };
const STATIC = [{ text: 'Call the desk.' }];
const CACHE = { retrieval: { cache: { enabled: true } } };
const DOCUMENTS = [
  { id: 'a', text: 'The lamp is lit.' },
  { id: 'b', text: 'A lamp beside a lamp: the lamp shop.' },
];
/** The reranker turns the order of the lanes round. */
const BY_LANES = ['b', 'a'];
const RERANKED = ['a', 'b'];

const ROWS: readonly Row[] = [
  { level: 0, out: [], shows: RERANKED },
  { level: 1, out: ['reranker'], shows: BY_LANES },
  { level: 2, out: ['embedder'], config: CACHE, isAskedBefore: true, shows: RERANKED },
  { level: 2, out: ['store'], config: CACHE, isAskedBefore: true, shows: RERANKED },
  { level: 3, out: ['embedder'], config: CACHE, shows: RERANKED, health: 2 },
  { level: 3, out: ['embedder', 'reranker'], shows: BY_LANES },
  { level: 3, out: ['store', 'reranker'], shows: BY_LANES },
  { level: 4, out: ['store'], keepsWords: true, config: { degradation: { static: STATIC } }, shows: [] },
  { level: 5, out: [], config: { enabled: false }, shows: [] },
];

/** A service whose parts fail when the test says so. */
async function serviceWithParts({ config, keepsWords = false }: Pick<Row, 'config' | 'keepsWords'>) {
  const out = new Set<Part>();
  const { store, state } = openOutStore(keepsWords ? 'bm25' : 'none');
  const hash = createHashEmbedder({ dimensions: 64 });
  const embedder: Embedder = {
    ...hash,
    doEmbed: async (...given) => {
      if (out.has('embedder')) throw new RAGError('EMBEDDING_FAILED', 'Nobody is there.');
      return hash.doEmbed(...given);
    },
  };
  const reranker: Reranker = {
    name: 'test',
    maxCandidates: 10,
    doRerank: async (_, candidates) => {
      if (out.has('reranker')) throw new RAGError('RERANKER_UNAVAILABLE', 'Nobody is there.');
      return candidates.map(({ content }, index) => ({ index, score: content.includes('lit') ? 0.9 : 0.2 }));
    },
    close: async () => undefined,
  };
  const engine = await createEngine({
    cwd: temporaryFolder(),
    store,
    embedder,
    reranker,
    config: { ...config, degradation: { ...NEVER, ...config?.degradation } },
  });
  const monitoring = await startMonitoring(engine);
  onTestFinished(() => monitoring.stop());
  const { call } = await testService({
    engine,
    monitoring: { metrics: monitoring.metrics, lastHealth: () => undefined },
    authenticate: async () => ({
      name: 'k',
      scope: { tenant: 'acme' },
      permissions: ['read', 'write', 'monitor'],
    }),
  });
  return {
    engine,
    call,
    takeOut: (parts: readonly Part[]) => {
      for (const part of parts) out.add(part);
      state.isOut = out.has('store');
    },
  };
}

const search = (call: Awaited<ReturnType<typeof serviceWithParts>>['call'], query: string) =>
  call('k', 'POST', '/api/ai/rag/search', { query, tenantId: 'acme', minScore: 0 });

describe.each(ROWS)('level $level, out: $out', (row) => {
  test('is seen in the response, on the screen, in metrics and in the health, as the table says', async () => {
    const { level, out, shows, isAskedBefore = false } = row;
    const { engine, call, takeOut } = await serviceWithParts(row);
    await engine.push(DOCUMENTS, { tenant: 'acme' });
    if (isAskedBefore) await search(call, 'lamp');
    takeOut(out);
    // What was kept is given at level 0 while nothing is known to be out.
    if (isAskedBefore) await search(call, 'wombat');

    const { status, json } = await search(call, 'lamp');
    expect(status).toBe(200);
    const said = json() as unknown as ToldDegradation & { readonly results: readonly { source: string }[] };
    expect(said.degradationLevel).toBe(level);
    expect(said.results.map(({ source }) => source)).toEqual(shows);
    expect(said.staticResponses).toEqual(
      level === 4 ? [{ kind: 'static', text: 'Call the desk.' }] : undefined,
    );
    if (level === 0) expect(said.degradation).toBeUndefined();
    else {
      expect(said.degradation?.parts.toSorted()).toEqual(out.toSorted());
      const { loss = -1, full = -1 } = said.degradation?.expectedLoss ?? {};
      expect(loss).toBe(level < 3 ? 0 : level > 3 ? full : loss);
      expect(loss).toBeLessThanOrEqual(full);
    }

    const line = degradationOf(said).join(' ');
    expect(line.startsWith(level === 0 ? '' : `degradation level ${level} (`)).toBe(true);
    for (const part of out) expect(line).toContain(part);

    const { text } = await call('k', 'GET', '/metrics');
    const metrics = text
      .split('\n')
      .filter((metric) => /^rag_(system_degradation_level|search_level_total)/.test(metric));
    expect(metrics).toContain(`rag_system_degradation_level ${level}`);
    expect(metrics).toContain(`rag_search_level_total{level="${level}"} 1`);

    const health = await call('k', 'GET', '/health/rag');
    expect(health.status).toBe(200);
    expect(health.json()).toMatchObject({
      status: out.length === 0 ? 'healthy' : 'degraded',
      ready: true,
      degradationLevel: row.health ?? level,
      checks: Object.fromEntries(out.map((part) => [part, 'failed'])),
    });
  });
});

test('level 4 without static texts is the error, which names what is out, and the health says that nobody is answered', async () => {
  const { engine, call, takeOut } = await serviceWithParts({ keepsWords: true });
  await engine.push(DOCUMENTS, { tenant: 'acme' });
  takeOut(['store']);
  const { status, json } = await search(call, 'lamp');
  expect(status).toBe(503);
  expect(json()).toMatchObject({ reason: 'STORE_UNAVAILABLE', degradationLevel: 4, parts: ['store'] });
  const health = await call('k', 'GET', '/health/rag');
  expect(health.status).toBe(503);
  expect(health.json()).toMatchObject({ status: 'unhealthy', ready: false, checks: { store: 'failed' } });
});
