import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eq } from '../../core/filter.js';
import { createEngine } from '../../engine/create-engine.js';
import { SqliteValues } from '../../faces/service/retained/sqlite-values.js';
import type { Engine } from '../../operations/engine.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { filesWith } from '../../testing/files-with.js';
import { Receipts } from './receipts.js';

const NAMED = eq('reporter', 'Quaggadromous');

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unfinished-'));
  mkdirSync(join(folder, 'docs'));
  for (let i = 0; i < 12; i++)
    writeFileSync(
      join(folder, 'docs', `note-${i}.md`),
      `---\nreporter: ${i === 3 ? 'Quaggadromous' : 'Somebody'}\n---\n# Note ${i}\n\nThe gate of house ${i}.\n`,
    );
  engine = await createEngine({
    config: { provider: 'libsql' },
    dataDir: join(folder, 'data'),
    cwd: folder,
  });
  await engine.index({ paths: ['docs'] });
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const remains = (): Promise<string[]> => filesWith(join(folder, 'data'), 'quaggadromous');

test('a reader that keeps the log is told of, and the next run finishes what was begun', async () => {
  const reader = SqliteDatabase.open(join(folder, 'data', 'ledger.db'), {
    readOnly: true,
    toError: (_, cause) => new Error(String(cause)),
  });
  reader.exec('BEGIN');
  reader.rows('SELECT count(*) FROM document');
  await expect(engine.forget({ filter: NAMED })).rejects.toMatchObject({ reason: 'INDEX_LOCKED' });
  const [id = ''] = new Receipts(join(folder, 'data')).unfinishedIds();
  expect((await engine.status()).notices.join()).toContain(id);
  expect(await engine.checkReceipt(id)).toMatchObject({ clean: false });
  // It is kept out at once.
  expect((await engine.index()).stats.forgotten).toEqual({ [`path:${join(folder, 'docs')}`]: 1 });
  expect(await remains()).not.toEqual([]);
  reader.exec('COMMIT');
  reader.close();
  await engine.index();
  expect(await remains()).toEqual([]);
  expect(await engine.checkReceipt(id)).toMatchObject({ clean: true });
  expect(await engine.resumeForgetting()).toEqual([]);
});

test('a service that answers searches all the while, and remembers each, holds up nothing', async () => {
  const values = new SqliteValues(join(folder, 'data'));
  let isServing = true;
  let questions = 0;
  const serving = (async () => {
    while (isServing) {
      const key = `request ${questions++}`;
      const value = JSON.stringify({ question: 'What did Somebody say?' });
      await values.set({ kind: 'shown', tenant: 'globex', key }, value, 3_600_000);
      await turn();
    }
  })();
  try {
    await values.set({ kind: 'shown', tenant: 'default', key: 'x' }, 'Who is Quaggadromous?', 3_600_000);
    expect(await engine.forget({ filter: NAMED })).toMatchObject({ state: 'done' });
    expect(await remains()).toEqual([]);
    expect(questions).toBeGreaterThan(1);
  } finally {
    isServing = false;
    await serving;
    values.close();
  }
});

test('what a death left as a plan alone is carried out by the next call that writes', async () => {
  const receipts = new Receipts(join(folder, 'data'));
  const done = await engine.forget({ filter: NAMED, allowAgain: true });
  // The same once more, as it stands when a process dies just after it has written the plan.
  await engine.index();
  expect(await remains()).not.toEqual([]);
  const { documents } = await engine.list({ filter: NAMED });
  receipts.begin({
    receipt: { ...done, state: 'begun' },
    documents: documents.map(({ id: documentId, externalId, source }) => ({
      ...{ documentId, externalId, source },
      itemId: externalId,
    })),
    items: documents.map(({ externalId: itemId, source }) => ({ itemId, source })),
    keptOut: { key: 'ab'.repeat(32), hashes: ['0'.repeat(32)] },
  });
  await engine.push([{ id: 'other', text: 'Something else.' }]);
  expect(await remains()).toEqual([]);
  expect(receipts.unfinishedIds()).toEqual([]);
});
