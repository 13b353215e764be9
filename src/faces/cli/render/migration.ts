import type { MigrationResult, ResultComparison } from '../../../index.js';
import type { CliContext } from '../context.js';
import { formatCount, formatDuration, oneLine, plural } from './text.js';

/** What came of a migration: what was copied, what was checked and compared, what searches read now, and the way back. */
export function renderMigration(result: MigrationResult, { colours: { dim } }: CliContext): string {
  const { outcome, from, to, documents, chunks, wayBack } = result;
  if (outcome === 'already') return result.notices.at(-1) ?? '';
  if (outcome === 'dry-run')
    return `${plural(chunks, 'chunk')} of ${plural(documents, 'document')} would be copied from ${from.store} to ${to.store}, with their vectors (${oneLine(result.embedder)}). Nothing was written.`;
  const now =
    outcome === 'switched'
      ? `Searches read generation ${to.generation} (${to.store}) now.`
      : `Searches stay with the old index (${from.store}).`;
  return [`${describeCopy(result)}\n${now}`, ...(wayBack === undefined ? [] : [dim(wayBack)])].join('\n\n');
}

function describeCopy({
  copied,
  copyMs,
  chunks,
  documents,
  check,
  comparison,
  from,
  to,
}: MigrationResult): string {
  const rate = copied > 0 && copyMs > 0 ? `, ${formatCount((copied * 1000) / copyMs)} a second` : '';
  return [
    `${plural(chunks, 'chunk')} of ${plural(documents, 'document')} from ${from.store} in ${to.store}: ${formatCount(copied)} copied by this call in ${formatDuration(copyMs)}${rate}.`,
    ...(check === undefined
      ? []
      : [
          `Checked: ${plural(check.chunks, 'chunk')} and ${plural(check.documents, 'text')} by their hashes, ${plural(check.vectors, 'vector')}: all the same.`,
        ]),
    comparison === undefined ? 'Results were not compared.' : describeComparison(comparison),
  ].join('\n');
}

const describeComparison = ({ overlap, questions, questionsFrom, same, topK }: ResultComparison): string =>
  `Compared: ${(overlap * 100).toFixed(1)} % of the first ${topK} results are the same on ${plural(questions, 'question')} (${oneLine(questionsFrom)}), ${formatCount(same)} of them with the same results.`;
