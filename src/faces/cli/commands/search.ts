import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { withView } from '../open-engine.js';
import { wholeNumber } from '../parse-options.js';
import { doneByService } from '../refuse-on-server.js';
import { type ScopeOptions, withScopeOptions } from '../scope-options.js';
import {
  AS_OF,
  SEARCHES_OF_SERVICES,
  type SearchOptions,
  toQuery,
  withSearchOptions,
} from '../search-options.js';

const EXAMPLES = `
Examples:
  $ ragstone search "how long are logs kept?"
  $ ragstone search "PPR-9087" --top-k 3 --explain
  $ ragstone search "retry policy" --source-type documentation --filter tags=payments --since 2026-01-01
  $ ragstone search "exit codes" --mode lexical --json
  $ ragstone search "retry policy" --as-of 2026-03-01          what the index held then, where history is kept
  $ ragstone search '"green valve" -paint XK-4*'               a phrase, a word to leave out, the beginning of a word
  $ ragstone search "salary bands" --group hr --clearance 2    documents that access rules restrict

"..." finds passages with these words side by side: they alone where the query says nothing else, else they come first. -word and -"..."
leave out passages that hold it (in any form of the word); word* finds what begins so. The same holds for ask, the service and assistants.`;

/** `ragstone search QUERY` */
export function registerSearch(program: Command, context: CliContext): void {
  const command = program
    .command('search')
    .description('find passages in the index')
    .argument('<query...>', 'question, words or an identifier; quotes may be left out')
    .option('--top-k <n>', 'results (default: retrieval.topK, 5)', wholeNumber(1));
  doneByService(command, [...SEARCHES_OF_SERVICES, 'explain']);
  withScopeOptions(withSearchOptions(command))
    .option(...AS_OF)
    .option('--explain', 'show every part of each score and how each lane did')
    .addHelpText('after', EXAMPLES)
    .action((query: readonly string[], options: SearchOptions & ScopeOptions) =>
      runSearch(context, query.join(' '), options),
    );
}

async function runSearch(
  context: CliContext,
  query: string,
  options: SearchOptions & ScopeOptions,
): Promise<void> {
  const { compileNoChecks } = await import('../uncompiled-checks.js');
  compileNoChecks();
  const request = toQuery(query, options, context.signal);
  const response = await withView(context, options, (view) => view.search(request));
  context.printNotices(response);
  const { renderPassages } = await import('../render/passages.js');
  context.printResult(response, () =>
    renderPassages(response, { context, explain: options.explain ?? false }),
  );
}
