import type { Command } from 'commander';
import type { ConflictsResponse, Finding, FindingKind, FindingPassage } from '../../../index.js';
import { FIELDS } from '../../../operations/fields.js';
import type { CliContext } from '../context.js';
import { choicesOption, countOption } from '../field-options.js';
import { withView } from '../open-engine.js';
import { doneByService } from '../refuse-on-server.js';
import { renderTable } from '../render/table.js';
import { oneLine, plural } from '../render/text.js';
import { type ScopeOptions, withScopeOptions } from '../scope-options.js';

const EXAMPLES = `
Examples:
  $ ragstone conflicts
  $ ragstone conflicts --kind conflict --limit 20
  $ ragstone conflicts --kind duplicate --json

A conflict is a pair of statements of two documents that agree but for a number, date, version, name, or "not". The newer document stands first.`;

interface ConflictsOptions extends ScopeOptions {
  readonly limit?: number;
  readonly kind?: readonly FindingKind[];
}

/** `ragstone conflicts` */
export function registerConflicts(program: Command, context: CliContext): void {
  const { kinds, limit } = FIELDS.conflicts;
  const command = program
    .command('conflicts')
    .description('list what several documents say alike, and where they contradict each other')
    .addOption(choicesOption('--kind <kind>', 'kinds of findings', kinds))
    .addOption(countOption('--limit <n>', 'findings of each kind', limit));
  doneByService(command, ['kind', 'limit', 'tenant']);
  withScopeOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((options: ConflictsOptions) => runConflicts(context, options));
}

async function runConflicts(context: CliContext, { limit, kind, ...scope }: ConflictsOptions): Promise<void> {
  const request = { limit, kinds: kind, signal: context.signal };
  const response = await withView(context, scope, (view) => view.conflicts(request));
  context.printNotices(response);
  context.printResult(response, renderConflicts);
}

const QUOTE_LENGTH = 160;
/** Places of a passage that stand in a cell. */
const SHOWN_PLACES = 3;

/** Findings as tables, conflicts first; the newer document of each stands first. */
function renderConflicts(response: ConflictsResponse, context: CliContext): string {
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
