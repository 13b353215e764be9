import type { ResolvedConfig } from '../config/resolved-config.js';
import { ageMs } from '../core/age.js';
import { runtime } from '../core/runtime.js';
import type { HistoryStatus } from '../history/as-of-report.js';
import type { Ledger } from '../ledger/ledger.js';

/** What history is kept; undefined where none is. */
export async function readHistory(
  { history }: Pick<Ledger, 'history'>,
  { rag }: ResolvedConfig,
): Promise<HistoryStatus | undefined> {
  const { keep } = rag.history;
  if (keep === undefined || history === undefined) return undefined;
  const { begins, versions, past, bytes } = await history.summary();
  const earliest = begins === undefined ? undefined : Math.max(begins, runtime().now() - ageMs(keep));
  return {
    keep,
    ...(earliest === undefined ? {} : { begins: new Date(earliest).toISOString() }),
    ...{ past, present: versions - past, bytes },
  };
}
