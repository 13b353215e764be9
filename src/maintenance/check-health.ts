import { RAGError } from '../core/errors.js';
import { withDeadline } from '../core/with-deadline.js';
import type { EngineHealth, PartHealth } from '../engine/engine.js';
import type { EngineResources } from '../engine/engine-resources.js';

/** Reads once from ledger and store, which costs little however large they are. What fails is said, never thrown. */
export async function checkHealth(resources: EngineResources): Promise<EngineHealth> {
  const live = () => resources.live();
  const parts = [
    await check('ledger', resources, live),
    await check('store', resources, async () => {
      if ((await live()) === undefined) return;
      const { collection } = await resources.collection();
      // Vectors are in the store itself, also where an index beside it gives the rest.
      await collection.get([''], { includeVectors: true });
    }),
  ];
  return { ok: parts.every(({ ok }) => ok), parts };
}

async function check(
  part: PartHealth['part'],
  { config }: EngineResources,
  read: () => Promise<unknown>,
): Promise<PartHealth> {
  const timeoutMs = config.rag.retrieval.laneDeadlineMs;
  const lateError = () => new RAGError('STORE_TIMEOUT', `It did not answer within ${timeoutMs} ms.`);
  try {
    await withDeadline({ timeoutMs, lateError }, read);
    return { part, ok: true, detail: 'It answers.' };
  } catch (error) {
    if (!RAGError.isInstance(error)) throw error;
    return { part, ok: false, detail: error.message };
  }
}
