import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { IS_LONG } from '../../../tests/long-forms.js';
import { EVERYTHING } from '../../core/filter.js';
import { openEngine } from '../../engine/create-engine.js';
import { listAll } from '../../stores/list-pages.js';
import { letterEmbedder } from './test-embedder.js';

const ENGINE = new URL('../../engine/create-engine.ts', import.meta.url).href;
const EMBEDDER = new URL('./test-embedder.ts', import.meta.url).href;
const LOADER = fileURLToPath(import.meta.resolve('tsx'));
const DOCUMENTS = 260;

/** Progress lines after which the process is killed, and milliseconds more. */
const KILLS: readonly (readonly [lines: number, ms: number])[] = IS_LONG
  ? Array.from({ length: 14 }, (_, i) => [1 + (i % 5), (i * 13) % 70] as const)
  : [
      [1, 0],
      [3, 8],
    ];
const PROVIDERS = IS_LONG ? (['libsql', 'lancedb'] as const) : (['libsql'] as const);

test.each(PROVIDERS)(
  'an upgrade that is killed again and again goes on where it was (%s)',
  async (provider) => {
    const folder = mkdtempSync(join(tmpdir(), 'killed-upgrade-'));
    mkdirSync(join(folder, 'docs'));
    for (let i = 0; i < DOCUMENTS; i++)
      writeFileSync(
        join(folder, 'docs', `note-${i}.md`),
        `# Note ${i}\n\nThe gate of house ${i} is closed.\n\n${'The garden is large. '.repeat(60)}\n`,
      );
    const options = { config: { provider }, dataDir: join(folder, 'data'), cwd: folder };
    const first = await openEngine({ ...options, embedder: letterEmbedder() });
    await first.engine.index({ paths: ['docs'] });
    await first.engine.close();
    // Small batches, so that there is something to kill between.
    const script = `
      import { createEngine } from ${JSON.stringify(ENGINE)};
      import { letterEmbedder } from ${JSON.stringify(EMBEDDER)};
      const engine = await createEngine({ ...${JSON.stringify(options)}, embedder: letterEmbedder() });
      await engine.reembed({ model: 'builtin', switch: 'always', onProgress: () => console.log('progress') });
      await engine.close();`;
    for (const [lines, ms] of KILLS) {
      const child = spawn(process.execPath, ['--import', LOADER, '--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
      let seen = 0;
      for await (const _ of createInterface({ input: child.stdout })) {
        seen += 1;
        if (seen < lines) continue;
        await pause(ms);
        child.kill('SIGKILL');
        break;
      }
      await ended;
      const between = await openEngine({ ...options, embedder: letterEmbedder() });
      const { results } = await between.engine.search({ text: 'gate of house 7', options: { topK: 3 } });
      expect(results.length).toBeGreaterThan(0);
      await between.engine.close();
    }
    const mine = await openEngine({ ...options, embedder: letterEmbedder() });
    const result = await mine.engine.reembed({ model: 'builtin', switch: 'always' });
    // A late kill may have come after the switch.
    if (result.outcome !== 'already') expect(result.embedded).toBeLessThan(result.chunks);
    const clean = await openEngine({ config: { provider }, dataDir: join(folder, 'clean'), cwd: folder });
    await clean.engine.index({ paths: ['docs'] });
    const vectorsOf = async ({ resources }: typeof mine) => {
      const { collection } = await resources.stores.collection();
      const ids = (await listAll(collection, { filter: EVERYTHING })).map(({ id }) => id).sort();
      const held = await collection.get(ids, { includeVectors: true });
      return held.map(({ id, vector }) => [id, [...(vector ?? [])]]);
    };
    expect(await vectorsOf(mine)).toEqual(await vectorsOf(clean));
    expect(await mine.engine.verify()).toMatchObject({ ok: true });
    await mine.engine.close();
    await clean.engine.close();
    rmSync(folder, { recursive: true });
  },
  IS_LONG ? 600_000 : 90_000,
);
