import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../src/operations/engine.js';

/** Until what was listed last is indexed. */
export async function isThrough(lister: Engine): Promise<void> {
  for (;;) {
    const [state] = await lister.sourceStates();
    const { lastSuccessAt, listingFinishedAt = '' } = state ?? {};
    if (lastSuccessAt !== undefined && lastSuccessAt > listingFinishedAt) return;
    await sleep(100);
  }
}
