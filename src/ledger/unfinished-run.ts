import type { Ledger, RunRecord } from './ledger.js';

/** Says that passages may be missing, where the last index run has not ended, and which command completes it. */
export async function unfinishedRunNotice(
  run: RunRecord | undefined,
  ledger: Pick<Ledger, 'generations'>,
): Promise<string[]> {
  if (run === undefined || run.finishedAt !== undefined) return [];
  const isRebuilt = (await ledger.generations()).some(
    ({ state, upgrade }) => state === 'building' && upgrade === undefined,
  );
  return [
    isRebuilt
      ? 'A rebuild is under way or was interrupted; what was indexed before it is searched. `ragstone index --force` completes it.'
      : 'An index run is under way or was interrupted, so passages may be missing. `ragstone index` completes it.',
  ];
}
