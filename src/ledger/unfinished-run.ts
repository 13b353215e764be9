import { failureOfRun } from './failed-run.js';
import type { Ledger, RunRecord } from './ledger.js';

/** Says that passages may be missing, where the last index run has not ended or ended by an error, and which command completes it. */
export async function unfinishedRunNotice(
  run: RunRecord | undefined,
  ledger: Pick<Ledger, 'generations'>,
): Promise<string[]> {
  if (run === undefined) return [];
  const failure = run.success === true ? undefined : failureOfRun(run);
  if (run.finishedAt !== undefined && failure === undefined) return [];
  const generations = await ledger.generations();
  const live = generations.find(({ state }) => state === 'live')?.generation ?? Number.POSITIVE_INFINITY;
  // One before it is what an interrupted first run left.
  const isRebuilt = generations.some(
    ({ state, upgrade, generation }) => state === 'building' && upgrade === undefined && generation > live,
  );
  if (failure !== undefined)
    return [
      isRebuilt
        ? `A rebuild failed (${failure.reason}); what was indexed before it is searched. \`ragstone index --force\` completes it.`
        : `The last index run failed (${failure.reason}), so passages may be missing. \`ragstone index\` completes it.`,
    ];
  return [
    isRebuilt
      ? 'A rebuild is under way or was interrupted; what was indexed before it is searched. `ragstone index --force` completes it.'
      : 'An index run is under way or was interrupted, so passages may be missing. `ragstone index` completes it.',
  ];
}
