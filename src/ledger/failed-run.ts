import { toRAGError } from '../core/errors.js';
import type { RunRecord, Runs } from './ledger.js';

/** Why a run ended by an error. It is kept as `failure` in the run's statistics. */
export interface RunFailure {
  /** A reason of `docs/errors.md`. */
  readonly reason: string;
  readonly message: string;
}

/** A run that ends by an error. */
export interface EndedRun {
  /** Absent where it failed before it was recorded. */
  readonly runId?: number | undefined;
  readonly command: string;
  /** ISO-8601 UTC. */
  readonly now: () => string;
  /** What was done until then. */
  readonly stats: Readonly<Record<string, unknown>>;
}

/** Of a run that ended by an error, why. */
export const failureOfRun = ({ stats }: Pick<RunRecord, 'stats'>): RunFailure | undefined =>
  stats === undefined ? undefined : (JSON.parse(stats) as { readonly failure?: RunFailure }).failure;

/**
 * Records that a run ended by an error, so that it is the last run, and says why. One that was stopped is left without an end, as after a kill.
 * Where it cannot be written (the disk is full), nothing is: the error itself matters more.
 */
export async function recordFailedRun(
  ledger: Runs,
  { runId, command, now, stats }: EndedRun,
  error: unknown,
): Promise<void> {
  const { reason, message } = toRAGError(error, 'INTERNAL', 'The run failed.');
  if (reason === 'ABORTED') return;
  try {
    await ledger.finishRun(runId ?? (await ledger.startRun(command, now())), {
      at: now(),
      success: false,
      stats: JSON.stringify({ ...stats, failure: { reason, message } }),
    });
  } catch {
    // A caller that waits for the run is told the first error.
  }
}
