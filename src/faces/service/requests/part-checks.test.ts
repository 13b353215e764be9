import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { createEngine, type EngineHealth, SYSTEM_RUNTIME } from '../../../index.js';
import { createMemoryStore } from '../../../stores/memory/memory-store.js';
import type { VectorCollection, VectorStore } from '../../../stores/vector-store.js';
import { testService } from '../test-service.js';
import { PartChecks } from './part-checks.js';

/** A store that answers nothing for a while. */
function storeThatFallsSilent() {
  const inner = createMemoryStore();
  let wait: Promise<void> | undefined;
  let speakAgain = (): void => undefined;
  const fallSilent = (): void => {
    wait = new Promise((resolve) => {
      speakAgain = resolve;
    });
  };
  const speaking = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]): Promise<unknown> => {
          await wait;
          return value.apply(target, given) as unknown;
        };
      },
    });
  const store: VectorStore = {
    name: 'quiet',
    capabilities: { ...inner.capabilities, persistent: true },
    open: async (spec) => speaking<VectorCollection>(await inner.open(spec)),
    describe: (name) => inner.describe(name),
    drop: (name) => inner.drop(name),
    health: () => inner.health(),
    close: async () => undefined,
  };
  return { store, fallSilent, speakAgain: () => speakAgain() };
}

test.each(['no checks at intervals', 'a last check that was well'])(
  'a write that its store keeps waiting names the store when its time is over, with %s',
  async (how) => {
    const { store, fallSilent, speakAgain } = storeThatFallsSilent();
    const config = { retrieval: { laneDeadlineMs: 100 } };
    const engine = await createEngine({ cwd: temporaryFolder(), store, config });
    await engine.push([{ id: 'first', text: 'The first note.' }], { tenant: 'acme' });
    const well = { at: SYSTEM_RUNTIME.elapsed(), health: await engine.health() };
    expect(well.health.ok).toBe(true);
    const { call } = await testService({
      engine,
      ...(how === 'no checks at intervals'
        ? {}
        : { monitoring: { metrics: undefined, lastHealth: () => well } }),
    });
    // What is under way ends before the service does.
    onTestFinished(speakAgain);
    fallSilent();
    const body = { id: 'second', tenantId: 'acme', content: 'The second note.' };
    const waiting = { 'x-timeout-ms': '2000' };
    const { status, json } = await call('acme', 'POST', '/api/ai/rag/index', body, waiting);
    expect(status).toBe(504);
    expect(json()).toMatchObject({ reason: 'REQUEST_TIMEOUT', parts: ['store'] });
  },
);

const healthOf = (ok: boolean): EngineHealth => ({ ok, parts: [{ part: 'store', ok, detail: '' }] });

test('parts are checked once a second, however many ask, and the newer of two checks counts', async () => {
  let asked = 0;
  const health = { now: healthOf(false) };
  const before = SYSTEM_RUNTIME.elapsed();
  const indexes = {
    health: () => {
      asked++;
      return Promise.resolve(health.now);
    },
  };
  let ofInterval = { at: SYSTEM_RUNTIME.elapsed(), health: healthOf(true) };
  const checks = new PartChecks(indexes, () => ofInterval);
  expect(checks.outSince(SYSTEM_RUNTIME.elapsed())).toEqual([]);
  await Promise.all([checks.check(), checks.check()]);
  expect(asked).toBe(1);
  expect(checks.outSince(before)).toEqual(['store']);
  expect(await checks.health()).toBe(ofInterval.health);
  const after = SYSTEM_RUNTIME.elapsed() + 1;
  ofInterval = { at: after, health: healthOf(true) };
  expect(checks.outSince(after)).toEqual([]);
  // A caller that waited meanwhile may be late for it.
  expect(checks.outSince(before)).toEqual(['store']);
  expect(await new PartChecks(indexes).health()).toEqual(healthOf(false));
});
