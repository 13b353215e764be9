import type { ConflictsResponse, Finding, FindingPassage } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { oneLine, plural } from './text.js';

const QUOTE_LENGTH = 160;
/** Places of a passage that stand in a cell. */
const SHOWN_PLACES = 3;

/** Findings as tables, conflicts first; the newer document of each stands first. */
export function renderConflicts(response: ConflictsResponse, context: CliContext): string {
  const { findings, totals, examined } = response;
  const conflicts = findings.filter(({ kind }) => kind === 'conflict');
  const duplicates = findings.filter(({ kind }) => kind === 'duplicate');
  const { bold, dim } = context.colours;
  const shown = (all: number, part: readonly Finding[]): string =>
    all > part.length ? ` (the first ${part.length} of ${all})` : '';
  return [
    ...(conflicts.length === 0
      ? []
      : [bold(`Conflicts${shown(totals.conflict, conflicts)}`), conflictTable(conflicts, context)]),
    ...(duplicates.length === 0
      ? []
      : [bold(`Duplicates${shown(totals.duplicate, duplicates)}`), duplicateTable(duplicates, context)]),
    ...(findings.length === 0 ? ['Nothing was found.'] : []),
    dim(
      `${plural(totals.conflict, 'conflict')} and ${plural(totals.duplicate, 'duplicate')} in ${plural(examined, 'document')}`,
    ),
  ].join('\n\n');
}

function conflictTable(findings: readonly Finding[], context: CliContext): string {
  const rows = findings.flatMap(({ agreement, differences, passages }) =>
    passages.map((passage, side) => [
      side === 0 ? agreement.toFixed(2) : '',
      differences.map(({ first, second }) => oneLine(side === 0 ? first : second)).join('; '),
      placesOf(passage),
      dateOf(passage),
      shortened(oneLine(passage.quote)),
    ]),
  );
  return renderTable(['agree', 'differs', 'document', 'date', 'statement'], rows, { context, numeric: [0] });
}

function duplicateTable(findings: readonly Finding[], context: CliContext): string {
  const rows = findings.flatMap(({ passages }) =>
    passages
      .slice(0, SHOWN_PLACES)
      .map((passage, at) => [
        placesOf(passage),
        dateOf(passage),
        at === 0
          ? shortened(oneLine(passage.quote))
          : at === SHOWN_PLACES - 1 && passages.length > SHOWN_PLACES
            ? `and ${passages.length - SHOWN_PLACES} more`
            : '',
      ]),
  );
  return renderTable(['document', 'date', 'passage'], rows, { context });
}

function placesOf({ places, more }: FindingPassage): string {
  const shown = places
    .slice(0, SHOWN_PLACES)
    .map(({ externalId, lines }) => `${oneLine(externalId)}:${lines.start}`);
  const left = places.length - shown.length + more;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join(', ');
}

const dateOf = ({ places: [newest] }: FindingPassage): string => newest?.date?.slice(0, 10) ?? '';

const shortened = (text: string): string =>
  text.length <= QUOTE_LENGTH ? text : `${text.slice(0, QUOTE_LENGTH)} …`;
