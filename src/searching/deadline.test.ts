import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DATA_FILES } from '../core/data-folder.js';
import { createEngine } from '../engine/create-engine.js';
import { profileSearches } from '../experiments/profile.js';
import type { Engine } from '../operations/engine.js';
import type { SearchProfile } from '../retrieval/planning/search-profile.js';

let folder: string;
let engine: Engine;
const TEXTS = ['The gate is shut at dusk.', 'The pond freezes in winter.', 'The oak stands by the wall.'];
const settings = () => ({
  config: { provider: 'libsql' as const },
  cwd: folder,
  dataDir: join(folder, 'data'),
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'deadline-'));
  engine = await createEngine(settings());
  await engine.push(TEXTS.map((text, i) => ({ id: `note-${i}`, title: `Note ${i}`, text })));
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const laneOf = async (deadlineMs?: number) => {
  const options = deadlineMs === undefined ? {} : { deadlineMs };
  const { plan, lanes, results } = await engine.search({ text: 'when is the gate shut?', options });
  const status = (lane: string) => lanes.find((report) => report.lane === lane)?.status;
  return { plan, dense: status('dense'), rerank: status('rerank'), first: results[0]?.content };
};

test('a search without a deadline does everything and tells of no plan', async () => {
  expect(await laneOf()).toEqual({ plan: undefined, dense: 'ran', rerank: 'ran', first: TEXTS[0] });
});

test('the plan follows the profile: all where there is time, words alone where there is little', async () => {
  const report = await profileSearches({
    cwd: folder,
    dataDir: join(folder, 'data'),
    overrides: { provider: 'libsql' },
  });
  expect(report.plans[0]).toMatchObject({ name: 'whole', quality: 1 });
  expect(report).toMatchObject({ questions: 3, metric: 'overlap@10 with the whole search' });
  // As it would be on a slow machine, whatever this one is.
  const times = [400, 300, 200, 100, 1];
  const { file: _, ...profile } = report;
  const slow: SearchProfile = {
    ...profile,
    plans: profile.plans.map((plan, i) => ({ ...plan, quality: 1 - i / 10, p95Ms: (times[i] ?? 0) * 1_000 })),
  };
  writeFileSync(join(folder, 'data', DATA_FILES.searchProfile), JSON.stringify(slow));
  // An engine that has timed no search takes the profile as it stands.
  await engine.close();
  engine = await createEngine(settings());
  const short = await laneOf(60_000);
  expect(short).toMatchObject({ dense: 'off', rerank: 'off', first: TEXTS[0] });
  expect(short.plan).toMatchObject({ name: 'words', deadlineMs: 60_000, isMeasured: true, isInTime: true });
  expect(short.plan?.leftOut).toContain('vectors');
  await engine.close();
  engine = await createEngine(settings());
  const long = await laneOf(600_000);
  expect(long).toMatchObject({ dense: 'ran', rerank: 'ran', plan: { name: 'whole', leftOut: [] } });
});

test('a deadline that is none is refused, and so is a profile that is none', async () => {
  for (const deadlineMs of [0, -1, Number.NaN])
    await expect(laneOf(deadlineMs)).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
  writeFileSync(join(folder, 'data', DATA_FILES.searchProfile), '{"version":1,"plans":[]}');
  await expect(laneOf(1_000)).rejects.toMatchObject({
    reason: 'CONFIG_INVALID',
    message: expect.stringContaining('ragstone profile') as string,
  });
});
