import { join } from 'node:path';
import { analyzeQuery } from '../../src/core/analysis/lexical-analyzer.js';
import { EVERYTHING } from '../../src/core/filter.js';
import { LOCAL_SCOPE } from '../../src/core/scope.js';
import { createEngine } from '../../src/engine/create-engine.js';
import { openLedger } from '../../src/ledger/sqlite/open-ledger.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../../src/retrieval/default-settings.js';
import { createLibsqlStore } from '../../src/stores/libsql/libsql-store.js';

const TOP_K = 10;

/**
 * Questions that the store alone answers in a second on one thread, over the same file: candidates of both lanes as the engine asks for
 * them, and the records of the best.
 */
export async function bareRate(folder: string, asked: readonly string[], seconds: number): Promise<number> {
  const vectors = await vectorsOf(folder, asked);
  const path = join(folder, '.ragstone', 'ledger.db');
  const ledger = openLedger({ path, readOnly: true });
  const live = await ledger.live();
  await ledger.close();
  if (live === undefined) throw new Error('Nothing is indexed.');
  const store = createLibsqlStore({ path, isShared: true });
  const { collection: name, dimensions, fingerprint } = live;
  const collection = await store.open({ name, dimensions, fingerprint });
  const topK = DEFAULT_RETRIEVAL_SETTINGS.candidatesPerLane;
  const filter = EVERYTHING;
  const ask = async (number: number): Promise<void> => {
    const vector = vectors[number % asked.length] ?? new Float32Array(dimensions);
    const { terms } = analyzeQuery(asked[number % asked.length] ?? '');
    const near = await collection.rankVector?.({ vector, topK, filter });
    await collection.rankText?.({ terms, topK, filter, tenant: LOCAL_SCOPE.tenant });
    await collection.get((near ?? []).slice(0, TOP_K).map(({ id }) => id));
  };
  // What it keeps in memory is read first.
  for (let number = 0; number < 20; number++) await ask(number);
  const start = performance.now();
  let number = 0;
  while (performance.now() - start < seconds * 1000) await ask(number++);
  const rate = (number * 1000) / (performance.now() - start);
  await store.close();
  return rate;
}

async function vectorsOf(cwd: string, texts: readonly string[]): Promise<readonly Float32Array[]> {
  const engine = await createEngine({ cwd, trust: true });
  try {
    return (await engine.embed({ texts: [...texts], kind: 'query' })).vectors;
  } finally {
    await engine.close();
  }
}
