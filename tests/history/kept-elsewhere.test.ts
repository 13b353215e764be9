import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/create-engine.js';
import { backUp } from '../../src/fleet/backup/back-up.js';
import { restoreBackup } from '../../src/fleet/backup/restore.js';
import { openLedger } from '../../src/ledger/sqlite/open-ledger.js';
import type { Engine } from '../../src/operations/engine.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';
import { RecordedIndex } from './recorded-index.js';

const config = { provider: 'libsql', history: { keep: '90d' } } as const;
const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

async function engineIn(cwd: string): Promise<Engine> {
  const engine = await createEngine({ cwd, config });
  open.push(engine);
  return engine;
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 10));

/** The moment, between what was written before it and what is written after. */
async function moment(): Promise<Date> {
  await pause();
  const at = new Date();
  await pause();
  return at;
}

const texts = async (engine: Engine, asOf: Date): Promise<string[]> =>
  (
    await engine.search({ text: 'lighthouse', asOf, options: { mode: 'lexical', minSimilarity: 0 } })
  ).results.map(({ content }) => content);

const says = (name: string) => `The lighthouse is kept by ${name}.`;
const note = (name: string) => [{ id: 'rota', text: says(name) }];

it('a backup carries every moment, and between it and its restoring a moment shows the backup', async () => {
  const [cwd, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const engine = await engineIn(cwd);
  await engine.push(note('Ada'));
  const ada = await moment();
  await engine.push(note('Grace'));
  const grace = await moment();
  await backUp('history.tar.gz', { cwd, config });
  const archive = join(cwd, 'history.tar.gz');
  expect(existsSync(archive)).toBe(true);
  await engine.push(note('Joan'));
  const joan = await moment();
  await restoreBackup(archive, { cwd: elsewhere, config });
  const restored = await engineIn(elsewhere);
  expect(await texts(restored, ada)).toEqual([says('Ada')]);
  expect(await texts(restored, grace)).toEqual([says('Grace')]);
  expect(await texts(restored, joan)).toEqual([says('Grace')]);
  await restored.push(note('Mary'));
  const mary = await moment();
  expect(await texts(restored, mary)).toEqual([says('Mary')]);
  expect(await texts(restored, joan)).toEqual([says('Grace')]);
  expect(await texts(engine, joan)).toEqual([says('Joan')]);
  expect((await restored.verify()).drift).toEqual([]);
});

const PARAGRAPHS = 2_300;
/** So long that each paragraph is a chunk of its own. */
const paragraph = (number: number, edition: string): string =>
  `# Rule ${number}\n\nRule ${number} of the ${edition} edition: the keeper ${number} of the lighthouse ${'watches the sea '.repeat(24)}.`;
const long = (edition: string): string =>
  Array.from({ length: PARAGRAPHS }, (_, i) => paragraph(i, edition)).join('\n\n');

it('a document of more chunks than are held at once is one edition at every moment, whenever its run dies', async () => {
  const path = join(temporaryFolder(), 'books.db');
  const index = new RecordedIndex(temporaryFolder(), (now) => openLedger({ path, keepsHistory: true, now }));
  const access = { groups: ['*'], level: 0 };
  try {
    index.source.set('rules', { text: long('first'), access });
    await (await index.engine()).index();
    expect((await (await index.engine()).status()).chunks).toBeGreaterThan(2_048);
    for (const [edition, death] of [
      ['second', 12],
      ['third', 16],
    ] as const) {
      index.pass(60_000);
      index.source.set('rules', { text: long(edition), access });
      await index.dieAfter(death, (engine) => engine.index());
      await (await index.engine()).index();
    }
    const engine = await index.engine();
    const editions = new Set<string>();
    for (const { at, documents } of index.moments) {
      const text = documents.get('rules')?.text;
      if (text === undefined) continue;
      const edition = /of the (\w+) edition/.exec(text)?.[1] ?? '';
      editions.add(edition);
      for (const number of [0, 1_100, PARAGRAPHS - 1]) {
        const { results } = await engine.search({
          text: `rule ${number}`,
          asOf: new Date(at),
          options: { topK: 10, mode: 'lexical', minSimilarity: 0, rerank: false, exactWords: true },
        });
        const found = results.map(({ content }) => /of the (\w+) edition/.exec(content)?.[1]);
        expect(new Set(found), `rule ${number} at ${at}`).toEqual(new Set([edition]));
        expect(results[0]?.content).toContain(`Rule ${number} of`);
      }
    }
    expect(editions).toEqual(new Set(['first', 'second', 'third']));
    expect((await engine.verify()).drift).toEqual([]);
  } finally {
    await index.close();
  }
}, 600_000);
