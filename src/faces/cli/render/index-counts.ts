import type { IndexCounts } from '../../client/index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { formatCount, oneLine, plural } from './text.js';

/** What a service has indexed of each of its sources after a run. */
export function renderIndexCounts(
  { status, total, indexed, failed = [] }: IndexCounts,
  context: CliContext,
): string {
  const rows = Object.entries(indexed).map(([source, count]) => [oneLine(source), formatCount(count)]);
  const summary = `The service is in step with its sources: ${plural(total, 'document')}.`;
  const partly = `Some sources or documents could not be indexed; "${context.command} status" names them. Indexed: ${plural(total, 'document')}.`;
  const failures = failed.map(
    ({ source, reason, documents }) =>
      `${oneLine(source)}: ${reason}${documents === undefined ? '' : ` (${plural(documents, 'document')})`}`,
  );
  return [
    ...(rows.length === 0 ? [] : [renderTable(['source', 'indexed'], rows, { context, numeric: [1] })]),
    ...(failures.length === 0 ? [] : [failures.join('\n')]),
    status === 'completed' ? summary : partly,
  ].join('\n\n');
}
