import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../src/index.js';
import { createHashEmbedder } from '../../src/testing/index.js';
import { contentsOf } from '../sync/index-contents.js';
import { textOf } from './simulated-world.js';

/**
 * Does once whatever a simulation may do, outside of it: modules and models are loaded by a machine, in its own time, and would come at
 * another moment the second time.
 */
export async function warmUp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-warm-'));
  for (const name of ['lamp.md', 'door.md', 'stairs.md'])
    writeFileSync(join(folder, name), textOf(name, 1, 3));
  const engine = await createEngine({
    cwd: folder,
    embedder: createHashEmbedder({ dimensions: 8 }),
    config: { provider: 'memory', sources: [{ name: 'notes', type: 'files', root: folder, paths: ['**'] }] },
  });
  try {
    await engine.index();
    await engine.push([{ id: 'bell', text: textOf('bell', 1, 2), mediaType: 'text/markdown' }]);
    for (const mode of ['lexical', 'hybrid'] as const)
      for (const text of ['lantern dusk dawn keeper', 'nobodywrotethis'])
        await engine.search({
          text,
          options: { mode, rerank: false, nearDuplicates: 'keep', minSimilarity: 0 },
        });
    await contentsOf(engine);
    await engine.retry();
    await engine.verify({ repair: true });
    await engine.index({ options: { force: true } });
    const [first] = (await engine.list()).documents;
    await engine.delete([first?.id ?? '']);
    await engine.forget({ documents: ['lamp.md'] });
    await engine.resumeForgetting();
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
