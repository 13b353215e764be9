import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEngine } from '../../src/index.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';

// An index of `docs/` made by version 0.1.0 with the libSQL store; every later version must open it or say what to do.
const FIXTURE = fileURLToPath(new URL('../fixtures/index-0.1.0', import.meta.url));

test('an index made by 0.1.0 still opens: status, words and, with the same model, meaning', async () => {
  const cwd = temporaryFolder();
  cpSync(FIXTURE, join(cwd, '.ragstone'), { recursive: true });
  const engine = await createEngine({ cwd, config: { provider: 'libsql' } });
  try {
    const status = await engine.status();
    expect(status).toMatchObject({ provider: 'libsql', embedder: 'builtin', failures: [] });
    expect(status.documents).toBeGreaterThan(5);
    const words = await engine.search({
      text: 'how is a search result scored?',
      options: { mode: 'lexical' },
    });
    expect(words.results.map(({ metadata }) => metadata.source)).toContain('retrieval.md');
    const all = engine.search('how is a search result scored?');
    await all.then(
      ({ results }) => expect(results.length).toBeGreaterThan(0),
      (error: unknown) =>
        expect(error).toMatchObject({
          reason: 'STORE_FINGERPRINT_MISMATCH',
          message: expect.stringContaining('ragstone index --force'),
        }),
    );
  } finally {
    await engine.close();
  }
});

test('its chunks move from their own file into the ledger, with a notice, and nothing is embedded again', async () => {
  const cwd = temporaryFolder({ 'docs/new.md': '# New\n\nA page of the marmalade kind.\n' });
  cpSync(FIXTURE, join(cwd, '.ragstone'), { recursive: true });
  const engine = await createEngine({ cwd, config: { provider: 'libsql' } });
  try {
    const before = await engine.status();
    const own = join(cwd, '.ragstone', 'store', 'store.db');
    const { notices, stats } = await engine.index({
      documents: [{ id: 'note', text: 'A note about marmalade.' }],
    });
    expect(existsSync(own)).toBe(false);
    expect(stats).toMatchObject({ documentsProcessed: 1, embeddingsComputed: 1 });
    expect([...before.notices, ...notices].join()).not.toContain('damaged');
    const after = await engine.status();
    expect(after).toMatchObject({ documents: before.documents + 1, chunks: before.chunks + 1 });
    // The sources of the fixture are not here, so only ledger and store are compared.
    const { drift } = await engine.verify();
    expect(drift.filter(({ kind }) => kind.startsWith('chunk') || kind.includes('damaged'))).toEqual([]);
  } finally {
    await engine.close();
  }
});

test('an index whose chunks are in neither file says how to build them again', async () => {
  const cwd = temporaryFolder();
  cpSync(FIXTURE, join(cwd, '.ragstone'), { recursive: true });
  rmSync(join(cwd, '.ragstone', 'store'), { recursive: true });
  const engine = await createEngine({ cwd, config: { provider: 'libsql' } });
  await expect(engine.search({ text: 'score', options: { mode: 'lexical' } })).rejects.toMatchObject({
    reason: 'STORE_DAMAGED',
    message: expect.stringContaining('ragstone index --force'),
  });
  await engine.close();
});
