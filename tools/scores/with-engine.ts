import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ReaderThreads } from '../../src/embedding/static/reader/reader-threads.js';
import { loadWordRarity } from '../../src/embedding/static/word-rarity.js';
import { createEngine, type Engine, type Reranker } from '../../src/index.js';
import { createBuiltinReranker } from '../../src/reranking/builtin/builtin-reranker.js';
import { createReaderReranker } from '../../src/reranking/reader/reader-reranker.js';
import type { JudgedCollection } from './collections.js';

/** An engine over what is to be indexed, gone afterwards. @param options `model` embeds, `reranker` orders */
export async function withEngine<Result>(
  { index, sources = [] }: Pick<JudgedCollection, 'index' | 'sources'>,
  { model, reranker }: { readonly model?: string | undefined; readonly reranker?: Reranker | undefined },
  use: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ragstone-scores-'));
  const embedding = model === undefined ? {} : { embedding: { model } };
  const retrieval = { rerank: { deadlineMs: 600_000 } };
  const engine = await createEngine({
    config: { provider: 'memory', sources: [...sources], ...embedding, retrieval },
    dataDir,
    reranker,
  });
  try {
    await engine.index(index);
    return await use(engine);
  } finally {
    await engine.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The rerankers of the package. The reader reads all that it is given, as it has after a while of searches. */
export async function openReranker(name: string): Promise<Reranker> {
  const builtin = await createBuiltinReranker({ rarityOf: await loadWordRarity() });
  if (name === 'builtin') return builtin;
  if (name !== 'reader') throw new Error('--rerank is "builtin" or "reader".');
  const threads = new ReaderThreads();
  return createReaderReranker({
    builtin,
    reader: {
      read: (texts, signal) => threads.read({ ...texts, characters: Infinity, longestMs: Infinity }, signal),
      close: () => threads.close(),
    },
  });
}
