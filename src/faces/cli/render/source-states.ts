import type { SourceSyncState } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { formatCount, formatTime, oneLine } from './text.js';

/** When each source was last listed, in step and listed whole; then those that fail, with what is wrong. */
export function renderSourceStates(states: readonly SourceSyncState[], context: CliContext): string {
  if (states.length === 0) return 'No source is configured, and none was indexed.';
  const table = renderTable(
    ['source', 'listed', 'in step', 'listed whole', 'failures'],
    states.map(({ source, listingFinishedAt, lastSuccessAt, lastReconcileAt, consecutiveFailures }) => [
      oneLine(source),
      timeOf(listingFinishedAt),
      timeOf(lastSuccessAt),
      timeOf(lastReconcileAt),
      formatCount(consecutiveFailures),
    ]),
    { context, numeric: [4] },
  );
  const failing = renderFailingSources(states, context);
  return failing === '' ? table : `${table}\n\n${failing}`;
}

const timeOf = (iso: string | undefined): string => (iso === undefined ? 'never' : formatTime(iso));

/** Sources whose last run failed; empty text where there are none. */
export const renderFailingSources = (
  states: readonly Pick<SourceSyncState, 'source' | 'lastError' | 'nextAttemptAt'>[],
  { colours }: CliContext,
): string =>
  states
    .flatMap(({ source, lastError, nextAttemptAt }) => {
      if (lastError === undefined) return [];
      const next =
        nextAttemptAt === undefined || Date.parse(nextAttemptAt) < Date.now()
          ? ''
          : ` Schedules try it again after ${formatTime(nextAttemptAt)}.`;
      return `${colours.red(lastError.reason)} source ${oneLine(source)}, ${formatTime(lastError.at)}\n  ${oneLine(lastError.message)}${next}`;
    })
    .join('\n');
