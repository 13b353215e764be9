import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import { RAGError } from '../../core/errors.js';
import type { Embedder } from '../../embedding/embedder.js';
import { createEngine } from '../../engine/create-engine.js';
import { createHashEmbedder } from '../../testing/hash-embedder.js';
import { openOutStore } from './test-out-store.js';

/** Longer than any test: nothing is tried again by itself. */
const NEVER = { failures: 2, retryAfterMs: 3_600_000 };

test('a check finds that a part is well again, though nobody searches', async () => {
  const embedder = createHashEmbedder({ dimensions: 8 });
  const state = { isOut: false };
  const faulty: Embedder = {
    ...embedder,
    doEmbed: (...asked) =>
      state.isOut
        ? Promise.reject(new RAGError('EMBEDDING_FAILED', 'Nobody is there.'))
        : embedder.doEmbed(...asked),
  };
  const engine = await createEngine({
    cwd: temporaryFolder(),
    embedder: faulty,
    config: { provider: 'libsql', degradation: NEVER },
  });
  onTestFinished(() => engine.close());
  await engine.push([{ id: 'lamp', text: 'The lamp is lit.' }]);
  state.isOut = true;
  for (let turn = 0; turn < 3; turn++)
    expect(await engine.search(`lamp ${turn}`)).toMatchObject({ degradationLevel: 3 });
  expect(await engine.health()).toMatchObject({ ok: false, degradationLevel: 3 });
  state.isOut = false;
  expect(await engine.search('lamp again')).toMatchObject({ degradationLevel: 3 });
  expect(await engine.health()).toMatchObject({ ok: true, degradationLevel: 0 });
  expect(await engine.search('lamp at last')).toMatchObject({ degradationLevel: 0 });
});

test.each([
  ['none' as const, {}, 3],
  ['none' as const, { retrieval: { cache: { enabled: true } } }, 2],
  ['bm25' as const, {}, undefined],
  ['bm25' as const, { degradation: { static: [{ text: 'Call the desk.' }] } }, 4],
  ['bm25' as const, { enabled: false }, 5],
])(
  'of a store with text index %s that is down, with %j, searches have level %s',
  async (lexical, settings, level) => {
    const { store, state } = openOutStore(lexical);
    const config: RAGSettingsInput = {
      ...settings,
      degradation: { ...NEVER, ...(settings as RAGSettingsInput).degradation },
    };
    const engine = await createEngine({
      cwd: temporaryFolder(),
      store,
      config,
      embedder: createHashEmbedder({ dimensions: 8 }),
    });
    onTestFinished(() => engine.close());
    await engine.push([{ id: 'lamp', text: 'The lamp is lit.' }]);
    expect(await engine.health()).toMatchObject({ ok: true });
    state.isOut = true;
    const health = await engine.health();
    expect(health.ok).toBe(false);
    expect(health.degradationLevel).toBe(level);
  },
);

test('a model that nobody has asked yet is asked, and a store of an empty index too', async () => {
  const embedder = createHashEmbedder({ dimensions: 8 });
  const asked: string[] = [];
  const state = { isOut: true };
  const faulty: Embedder = {
    ...embedder,
    doEmbed: (...texts) => {
      asked.push(...texts[0]);
      return state.isOut
        ? Promise.reject(new RAGError('EMBEDDING_FAILED', 'Nobody is there.'))
        : embedder.doEmbed(...texts);
    },
  };
  const { store, state: storeState } = openOutStore('none');
  const engine = await createEngine({
    cwd: temporaryFolder(),
    store,
    embedder: faulty,
    config: { degradation: NEVER },
  });
  onTestFinished(() => engine.close());
  storeState.isOut = true;
  const partsOf = async () =>
    Object.fromEntries((await engine.health()).parts.map(({ part, ok }) => [part, ok]));
  expect(await partsOf()).toEqual({ ledger: true, store: false, embedder: false });
  [state.isOut, storeState.isOut] = [false, false];
  expect(await partsOf()).toEqual({ ledger: true, store: true, embedder: true });
  const calls = asked.length;
  // It answered just now.
  expect(await partsOf()).toEqual({ ledger: true, store: true, embedder: true });
  expect(asked).toHaveLength(calls);
});
