import { cpSync } from 'node:fs';
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
