import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { SYSTEM_RUNTIME } from '../../core/runtime.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Engine } from '../../operations/engine.js';
import { createHashEmbedder } from '../../testing/hash-embedder.js';

let time = Date.parse('2026-01-01T00:00:00.000Z');
const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

async function engineIn(cwd: string): Promise<Engine> {
  const engine = await createEngine({
    cwd,
    config: { provider: 'libsql', history: { keep: '90d' } },
    embedder: createHashEmbedder(),
    runtime: { ...SYSTEM_RUNTIME, now: () => time },
  });
  open.push(engine);
  return engine;
}

/** The rota said Ada, then Grace, then Joan; another document never changed. */
async function threeVersions(cwd: string): Promise<{ ada: Date; grace: Date; joan: Date }> {
  const engine = await engineIn(cwd);
  const write = async (name: string): Promise<Date> => {
    await engine.index([{ id: 'rota', text: `The lighthouse is kept by ${name}.` }]);
    const at = new Date(time);
    time += 60_000;
    return at;
  };
  await engine.index([{ id: 'paint', text: 'The lighthouse is white.' }]);
  const moments = { ada: await write('Ada'), grace: await write('Grace'), joan: await write('Joan') };
  await engine.close();
  return moments;
}

const texts = async (engine: Engine, asOf: Date): Promise<string[]> =>
  (
    await engine.search({ text: 'lighthouse kept', asOf, options: { minSimilarity: 0, mode: 'lexical' } })
  ).results
    .map(({ content }) => content)
    .sort();

const PAST = 'SELECT content FROM history_version WHERE valid_to IS NOT NULL ORDER BY id LIMIT 1';
const PRESENT = 'SELECT max(content) FROM history_version';

/** What is broken by hand, what is said of it, and from when on moments are shown after the repair. */
const DAMAGES: readonly (readonly [string, string, 'grace' | 'joan' | 'now', RegExp])[] = [
  [
    'bytes of a past version',
    `UPDATE history_part SET bytes = CAST(substr(bytes, 1, length(bytes) - 9) || x'00' || substr(bytes, length(bytes) - 7) AS BLOB) WHERE content = (${PAST})`,
    'grace',
    /not what was written/,
  ],
  [
    'chunks of a past version',
    `DELETE FROM history_part WHERE content = (${PAST})`,
    'grace',
    /has not the 1/,
  ],
  [
    "another document's text",
    `UPDATE history_version SET content = (SELECT content FROM history_version WHERE document_id = (SELECT document_id FROM history_version ORDER BY id LIMIT 1)) WHERE content = (${PAST})`,
    'grace',
    /not what was written/,
  ],
  [
    'times of a past version',
    `UPDATE history_version SET valid_to = valid_to + 30000 WHERE content = (${PAST})`,
    'joan',
    /at one time/,
  ],
  ['facts', `UPDATE history_version SET facts = x'7b' WHERE content = (${PAST})`, 'now', /cannot be read/],
  [
    'chunks of a present version',
    `DELETE FROM history_part WHERE content = (${PRESENT})`,
    'now',
    /has not the 1/,
  ],
  ['a present version', `DELETE FROM history_version WHERE content = (${PRESENT})`, 'now', /holds nothing/],
  [
    'the end of a version',
    'UPDATE history_version SET valid_to = NULL',
    'now',
    /at one time|another revision/,
  ],
  ['which generation was searched', 'UPDATE history_live SET generation = 7', 'now', /another generation/],
];

it.each(DAMAGES)('finds damage of %s, never shows it, and ends it', async (_, sql, soundFrom, said) => {
  const cwd = temporaryFolder();
  const { ada, grace, joan } = await threeVersions(cwd);
  const database = new Database(join(cwd, '.ragstone', 'ledger.db'));
  expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
  database.close();
  const engine = await engineIn(cwd);
  const { drift } = await engine.verify({ sources: false });
  expect(drift.map(({ kind }) => kind)).toContain('history-damaged');
  expect(new Set(drift.map(({ kind }) => kind))).toEqual(new Set(['history-damaged']));
  expect(drift.map(({ detail }) => detail).join(' ')).toMatch(said);
  const paint = 'The lighthouse is white.';
  const repaired = await engine.verify({ repair: true, sources: false });
  expect(repaired).toMatchObject({ ok: true, drift: [] });
  time += 60_000;
  await expect(texts(engine, ada)).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
  const shown = { grace: [grace, 'Grace'], joan: [joan, 'Joan'], now: [new Date(time), 'Joan'] } as const;
  const [first, name] = shown[soundFrom];
  expect(await texts(engine, first)).toEqual([`The lighthouse is kept by ${name}.`, paint]);
  if (soundFrom !== 'grace')
    await expect(texts(engine, grace)).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
});

it('refuses to show a moment of which a text is damaged, in place of showing less', async () => {
  const cwd = temporaryFolder();
  const { ada, joan } = await threeVersions(cwd);
  const database = new Database(join(cwd, '.ragstone', 'ledger.db'));
  database.prepare(`DELETE FROM history_part WHERE content = (${PAST})`).run();
  database.close();
  const engine = await engineIn(cwd);
  await expect(texts(engine, ada)).rejects.toMatchObject({
    reason: 'INDEX_DAMAGED',
    message: expect.stringContaining('verify --repair') as string,
  });
  expect(await texts(engine, joan)).toHaveLength(2);
});
