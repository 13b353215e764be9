import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { loadConfig } from '../config/load-config.js';
import { withRuntime } from '../core/runtime.js';
import { TestClock } from '../fleet/sync/test-clock.js';
import type { ConfiguredSource } from '../indexing/source-task.js';
import { CachedSources } from './cached-sources.js';

const kept = async (): Promise<CachedSources> => {
  const sources = ['notes', 'pages'].map((name) => ({ name, type: 'files' as const, root: '.' }));
  return new CachedSources(await loadConfig({ config: { sources }, cwd: temporaryFolder() }));
};

const same = async (configured: ConfiguredSource): Promise<ConfiguredSource> => configured;

test('keeps a source for the next, by its name', async () => {
  const sources = await kept();
  const first = await sources.use('notes', same);
  expect(first?.source.name).toBe('notes');
  expect(await sources.use('notes', same)).toBe(first);
  expect((await sources.use('pages', same))?.source.name).toBe('pages');
  expect(await sources.use('notes', same)).toBe(first);
  expect(await sources.use('letters', same)).toBeUndefined();
});

test('lends each to one at a time', async () => {
  const sources = await kept();
  const [outer, inner] =
    (await sources.use('notes', async (one) => [one, await sources.use('notes', same)])) ?? [];
  expect(inner).not.toBe(outer);
  const again = await sources.use('notes', async (one) => [one, await sources.use('notes', same)]);
  expect(new Set(again)).toEqual(new Set([outer, inner]));
});

test('uses none again that failed, nor any after it was closed', async () => {
  const sources = await kept();
  const seen: ConfiguredSource[] = [];
  const failing = sources.use('notes', async (one) => {
    seen.push(one);
    throw new Error('The service does not know the key any more.');
  });
  await expect(failing).rejects.toThrow('does not know the key');
  const next = await sources.use('notes', same);
  expect(seen).not.toContain(next);
  sources.close();
  const after = await sources.use('notes', same);
  expect(after).not.toBe(next);
  expect(await sources.use('notes', same)).not.toBe(after);
});

test('opens one anew when it is five minutes old, however much it is used', async () => {
  const clock = new TestClock('2026-01-01T00:00:00Z');
  await withRuntime(clock.runtime, async () => {
    const sources = await kept();
    const first = await sources.use('notes', same);
    await clock.advance(4 * 60_000, async () => undefined);
    expect(await sources.use('notes', same)).toBe(first);
    await clock.advance(60_000, async () => undefined);
    expect(await sources.use('notes', same)).not.toBe(first);
  });
});
