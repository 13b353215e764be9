import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SYSTEM_RUNTIME } from '../core/runtime.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

let folder: string;
let engine: Engine | undefined;
let now = Date.parse('2026-06-01T00:00:00Z');
const runtime = { ...SYSTEM_RUNTIME, now: () => now };

async function open(retention: object | undefined): Promise<Engine> {
  await engine?.close();
  const source = {
    type: 'files',
    name: 'docs',
    root: 'docs',
    ...(retention === undefined ? {} : { retention }),
  };
  engine = await createEngine({
    config: { provider: 'libsql', sources: [source as never] },
    dataDir: join(folder, 'data'),
    cwd: folder,
    runtime,
  });
  return engine;
}

const write = (name: string, date: string | undefined, text = 'The gate.'): void =>
  writeFileSync(
    join(folder, 'docs', `${name}.md`),
    `---\n${date === undefined ? 'other: x' : `decided: ${date}`}\n---\n# ${name}\n\n${text}\n`,
  );

const names = async (): Promise<string[]> =>
  ((await engine?.list({ limit: 100 }))?.documents ?? []).map(({ externalId }) => externalId).sort();

beforeEach(() => {
  now = Date.parse('2026-06-01T00:00:00Z');
  folder = mkdtempSync(join(tmpdir(), 'retention-'));
  mkdirSync(join(folder, 'docs'));
  write('old', '"2025-01-01"');
  write('aging', '"2026-01-01"');
  write('young', '"2026-05-30"');
  write('undated', undefined);
  write('unreadable', 'last spring');
});
afterEach(async () => {
  await engine?.close();
  engine = undefined;
  rmSync(folder, { recursive: true });
});

const YEAR = { maxAge: '1y', dateField: 'decided' };

test('documents past their age are not indexed, and deleted as they come of age; nothing is read again for it', async () => {
  const year = await open(YEAR);
  const first = await year.index();
  expect(first.stats.retention).toEqual({
    docs: { removed: 0, leftOut: 1, undated: 2, versions: 0 },
  });
  expect(first.notices.join()).toContain('2 documents of "docs" have no date that its retention can read');
  const kept = ['aging.md', 'undated.md', 'unreadable.md', 'young.md'];
  expect(await names()).toEqual(kept);
  now = Date.parse('2027-02-01T00:00:00Z');
  const dry = await year.index({ options: { dryRun: true } });
  expect(dry.stats).toMatchObject({ documentsDeleted: 1, retention: { docs: { removed: 1, undated: 2 } } });
  expect(await names()).toEqual(kept);
  const run = await year.index();
  expect(run.stats).toMatchObject({
    documentsDeleted: 1,
    documentsProcessed: 0,
    retention: { docs: { removed: 1, leftOut: 0, undated: 2 } },
  });
  expect(await names()).toEqual(kept.slice(1));
  expect((await year.index()).stats).toMatchObject({ documentsDeleted: 0, documentsProcessed: 0 });
  expect(await year.verify()).toMatchObject({ ok: true });
});

test('a longer age brings back what the source still holds; without any, all of it', async () => {
  await (await open(YEAR)).index();
  await (await open({ ...YEAR, maxAge: '5y' })).index();
  expect(await names()).toContain('old.md');
  await (await open({ ...YEAR, maxAge: '30d' })).index();
  expect(await names()).toEqual(['undated.md', 'unreadable.md', 'young.md']);
  await (await open(undefined)).index();
  expect(await names()).toHaveLength(5);
});

test('so many texts of a document are kept as are stated', async () => {
  const three = await open(undefined);
  for (const text of ['One.', 'Two.', 'Three.', 'Four.']) {
    write('young', '"2026-05-30"', text);
    await three.index();
  }
  const one = await open({ versions: 1 });
  expect((await one.index({ options: { dryRun: true } })).stats.retention?.docs?.versions).toBe(2);
  expect((await one.index()).stats.retention?.docs?.versions).toBe(2);
  expect((await one.index()).stats.retention?.docs?.versions).toBe(0);
  const { documents } = await one.list({ limit: 100 });
  const young = documents.find(({ externalId }) => externalId === 'young.md');
  expect((await one.get(young?.id ?? ''))?.text).toContain('Four.');
});

test('an age that is none is refused', async () => {
  await expect(open({ maxAge: 'soon' })).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
});
