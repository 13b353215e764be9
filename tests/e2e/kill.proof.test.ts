import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { IndexResult, VerifyResult } from '../../src/index.js';
import { openLedger } from '../../src/ledger/sqlite/open-ledger.js';
import { EMBEDDED_STORES, IS_LONG } from '../long-forms.js';
import { finished, ragstoneJson, startRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

const CORPUS = fileURLToPath(new URL('../../../shared/data/corpora/ise-playbook', import.meta.url));
const KILLS = IS_LONG ? 50 : 2;

if (!existsSync(CORPUS)) console.warn('kill tests are skipped: shared/data/corpora is absent');

/** Every chunk id that the ledger calls live. */
async function liveChunks(dataDir: string): Promise<string[]> {
  const ledger = openLedger({ path: join(dataDir, 'ledger.db'), readOnly: true });
  try {
    const { generation = 0 } = (await ledger.live()) ?? {};
    const chunks = await ledger.reader(generation).allChunks(undefined, 1_000_000);
    expect(chunks.filter(({ state }) => state !== 'live')).toEqual([]);
    return chunks.map(({ chunkId }) => chunkId);
  } finally {
    await ledger.close();
  }
}

describe.skipIf(!existsSync(CORPUS))('kill -9 while indexing', () => {
  test.each(EMBEDDED_STORES)(
    'whenever it comes, the next run ends with the chunks of an undisturbed run, and verify is clean (%s)',
    async (provider) => {
      const cwd = temporaryFolder({ 'ragstone.yaml': `rag:\n  provider: ${provider}\n` });
      const index = (dataDir: string): string[] => ['index', CORPUS, '--data', dataDir, '--quiet'];
      const undisturbed = join(cwd, 'undisturbed');
      const started = performance.now();
      const first = await ragstoneJson<IndexResult>(index(undisturbed), { cwd });
      expect(first.document.success).toBe(true);
      const runMs = performance.now() - started;
      const expected = await liveChunks(undisturbed);

      let killedAtWork = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const dataDir = join(cwd, `killed-${kill}`);
        const child = startRagstone([...index(dataDir), '--json'], { cwd });
        // Spread over the whole run, each kill at another moment.
        const timer = setTimeout(() => child.kill('SIGKILL'), (runMs * (kill + Math.random())) / KILLS);
        const { signal } = await finished(child);
        clearTimeout(timer);
        if (signal === 'SIGKILL') killedAtWork++;
        const next = await ragstoneJson<IndexResult>(index(dataDir), { cwd });
        expect(next.document).toMatchObject({ success: true });
        expect(await liveChunks(dataDir)).toEqual(expected);
        const verified = await ragstoneJson<VerifyResult>(['verify', '--data', dataDir], { cwd });
        expect(verified).toMatchObject({ code: 0, document: { ok: true, drift: [] } });
      }
      expect(killedAtWork).toBeGreaterThan(0);
    },
    1_800_000,
  );
});
