import { RAGError } from '../../core/errors.js';
import { runtime, sleep } from '../../core/runtime.js';
import type { FinishedPushes } from '../../indexing/finish-pushes.js';
import { finishInterrupted } from './copy-documents.js';
import type { Moving } from './move-tenant.js';

/** What became of writes of a tenant that a death interrupted, in documents. */
export interface FinishedWrites extends FinishedPushes {
  readonly tenantId: string;
}

/** Longest wait for a moment in which nobody writes, in milliseconds. */
const QUIET_WAIT_MS = 60_000;
const POLL_MS = 250;

/**
 * Finishes what writers of a tenant left that died, or takes it back; undefined where none did. It costs nothing where the marks at the
 * gate say that nobody died.
 *
 * @throws RAGError `INDEX_LOCKED` where the tenant is written all the time
 */
export async function finishWrites(moving: Moving): Promise<FinishedWrites | undefined> {
  const { tenantId, records, gate, use, signal } = moving;
  const dead = await marksOfDead(moving);
  if (dead.length === 0) return undefined;
  const outcome = await use(records.read(tenantId), ({ resources }) =>
    finishInterrupted(resources, tenantId, { signal }),
  );
  gate.forget(dead);
  return { tenantId, ...outcome };
}

/** Those that are there while nobody writes. It asks without waiting, so that no writer waits for it. */
async function marksOfDead({ gate, signal }: Moving): Promise<string[]> {
  const deadline = runtime().elapsed() + QUIET_WAIT_MS;
  while (gate.marks().length > 0) {
    try {
      const open = await gate.close({ waitMs: 0, signal });
      const marks = gate.marks();
      open();
      return marks;
    } catch (error) {
      const isBusy = RAGError.isInstance(error) && error.reason === 'INDEX_LOCKED';
      if (!isBusy || runtime().elapsed() >= deadline) throw error;
      await sleep(POLL_MS, signal);
    }
  }
  return [];
}
