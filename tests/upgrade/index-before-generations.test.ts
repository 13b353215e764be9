import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { createEngine } from '../../src/index.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';

// The tables of ledger and store before an index had generations; every later version opens them.
const TABLES = fileURLToPath(new URL('../fixtures/index-before-generations/ledger.sql', import.meta.url));

const DOCS = {
  'docs/oak.md': '# Oak\n\nThe oak stands by the gate.\n',
  'docs/elm.md': '# Elm\n\nThe elm stands by the mill.\n',
};

test('an index from before generations opens, goes on, and embeds nothing again', async () => {
  const cwd = temporaryFolder(DOCS);
  mkdirSync(join(cwd, '.ragstone'));
  const database = new Database(join(cwd, '.ragstone', 'ledger.db'));
  database.exec(readFileSync(TABLES, 'utf8'));
  database.close();

  const engine = await createEngine({ cwd, config: { provider: 'libsql' } });
  try {
    // A search comes first: who only reads brings the tables up to date too.
    const { results } = await engine.search({ text: 'gate', options: { mode: 'lexical' } });
    expect(results[0]?.content).toContain('The oak stands by the gate.');
    expect(await engine.generations()).toMatchObject([{ generation: 1, state: 'live', documents: 3 }]);
    const indexed = await engine.index();
    expect(indexed).toMatchObject({
      success: true,
      stats: { embeddingsComputed: 0, chunksCreated: 0, documentsDeleted: 0 },
    });
    expect(await engine.verify()).toMatchObject({ ok: true, drift: [] });
    expect(await engine.get('note')).toMatchObject({ text: 'A note about marmalade.' });

    await engine.index({ options: { force: true } });
    expect(await engine.generations()).toMatchObject([
      { generation: 2, state: 'live', documents: 3 },
      { generation: 1, state: 'retired', documents: 3 },
    ]);
    await engine.useGeneration(1);
    expect((await engine.search({ text: 'marmalade' })).results[0]?.content).toContain('A note about');
  } finally {
    await engine.close();
  }
});
