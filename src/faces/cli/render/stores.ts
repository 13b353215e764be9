import type { StoresStatus } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { formatBytes, formatCount, formatTime, oneLine, plural } from './text.js';

/** The stores in a table, what is kept for them, and why one is not ready. */
export function renderStores({ stores, journal, dualWrite }: StoresStatus, context: CliContext): string {
  const table = renderTable(
    ['store', 'asked', 'state', 'lacks', 'since'],
    stores.map(({ name, isActive, state, lag, since }) => [
      name,
      isActive ? 'first' : dualWrite ? 'second' : 'second (follows)',
      state,
      lag === 0 ? '' : plural(lag, 'write'),
      since === undefined || state === 'ready' ? '' : formatTime(since),
    ]),
    { context },
  );
  const details = stores.flatMap(({ name, detail }) =>
    detail === undefined ? [] : [`${name}: ${oneLine(detail)}`],
  );
  const kept = `The journal keeps ${plural(journal.writes, 'write')} (${formatBytes(journal.bytes)} of ${formatBytes(journal.maxBytes)}).`;
  return [table, ...details, kept].join('\n');
}

/** In one line, for `status`. */
export const describeStores = ({ stores, journal }: StoresStatus): string =>
  [
    ...stores.map(
      ({ name, isActive, state, lag }) =>
        `${name} ${state}${isActive ? ', asked first' : ''}${lag === 0 ? '' : `, lacks ${plural(lag, 'write')}`}`,
    ),
    ...(journal.writes === 0 ? [] : [`journal ${formatCount(journal.writes)} writes`]),
  ].join('; ');
