import type { Command } from 'commander';
import type { MissExplanation, MissStep } from '../../../index.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { withView } from '../open-engine.js';
import { wholeNumber } from '../parse-options.js';
import { doneByService } from '../refuse-on-server.js';
import { renderCorrection } from '../render/correction.js';
import { displayPath } from '../render/place.js';
import { renderTable } from '../render/table.js';
import { oneLine } from '../render/text.js';
import { type ScopeOptions, withScopeOptions } from '../scope-options.js';
import { SEARCHES_OF_SERVICES, type SearchOptions, toQuery, withSearchOptions } from '../search-options.js';

const EXAMPLES = `
Examples:
  $ ragstone explain-miss "how long are audit logs kept" audit.md
  $ ragstone explain-miss "PPR-9087" docs/incidents/2026-03.md --top-k 3
  $ ragstone explain-miss "retry policy" runbook.md:12-18   one passage of it
  $ ragstone explain-miss "retry policy" runbook.md --source-type documentation --json

Exit code 1: it is not in the index. Give the options of the search that missed it. What is named as a remedy was tried, where it can be tried without indexing.`;

/** `ragstone explain-miss QUERY DOCUMENT` */
export function registerExplainMiss(program: Command, context: CliContext): void {
  const command = program
    .command('explain-miss')
    .description('say which stage lost a document that a query should find, and what brings it back')
    .argument('<query>', 'the query, as it was asked')
    .argument(
      '<document>',
      'path, end of a path, or id of the document; with lines (PATH:12-18) of a passage',
    )
    .option('--top-k <n>', 'results of the search (default: retrieval.topK, 5)', wholeNumber(1));
  doneByService(command, SEARCHES_OF_SERVICES);
  withScopeOptions(withSearchOptions(command))
    .addHelpText('after', EXAMPLES)
    .action((query: string, document: string, options: SearchOptions & ScopeOptions) =>
      runExplainMiss(context, { query, document, options }),
    );
}

async function runExplainMiss(
  context: CliContext,
  {
    query,
    document,
    options,
  }: { readonly query: string; readonly document: string; readonly options: SearchOptions & ScopeOptions },
): Promise<void> {
  const request = toQuery(query, options, context.signal);
  const explanation = await withView(context, options, (view) => view.explainMiss(request, document));
  context.printResult(explanation, renderMiss);
  const isIndexed = explanation.document !== undefined && explanation.lostAt !== 'not-indexed';
  if (!isIndexed) context.exitCode = ExitCode.failed;
}

/** Why a document was missed: the reason, what brings it back, then every stage. */
function renderMiss(explanation: MissExplanation, context: CliContext): string {
  const { document, chunk, found, lostAt, reason, remedies, steps } = explanation;
  const { bold, dim, green, red, yellow } = context.colours;
  const place = chunk === undefined ? '' : `:${chunk.lines.start}-${chunk.lines.end}`;
  const name = document === undefined ? '' : `${bold(oneLine(nameOf(document, context)))}${dim(place)}\n`;
  const verdict = found ? green(reason) : `${red(`lost: ${lostAt ?? ''}`)}  ${oneLine(reason)}`;
  const marks: Readonly<Record<MissStep['status'], string>> = {
    passed: green('passed'),
    noted: yellow('noted'),
    lost: red('lost'),
    off: dim('off'),
  };
  return [
    ...renderCorrection(explanation.correction, context),
    `${name}${verdict}`,
    ...(remedies.length === 0
      ? []
      : [
          remedies
            .map(({ setting, detail }) => `${bold(oneLine(setting))}\n   ${oneLine(detail)}`)
            .join('\n'),
        ]),
    ...(steps.length === 0
      ? []
      : [
          renderTable(
            ['stage', '', ''],
            steps.map(({ stage, status, detail }) => [stage, marks[status], oneLine(detail)]),
            { context },
          ),
        ]),
  ].join('\n\n');
}

const nameOf = (
  { source, externalId, path }: NonNullable<MissExplanation['document']>,
  context: CliContext,
): string => (path === undefined ? `${externalId} (${source})` : displayPath(context, path));
