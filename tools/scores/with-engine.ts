import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEngine, type Engine, type IndexRequest } from '../../src/index.js';

/** An engine over what is to be indexed, gone afterwards. */
export async function withEngine<Result>(
  index: IndexRequest,
  { model }: { readonly model?: string | undefined },
  use: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ragstone-scores-'));
  const embedding = model === undefined ? {} : { embedding: { model } };
  const engine = await createEngine({ config: { provider: 'memory', ...embedding }, dataDir });
  try {
    await engine.index(index);
    return await use(engine);
  } finally {
    await engine.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
