import { type Command, Option } from 'commander';
import type { Filter, SearchMode, SearchQuery } from '../../index.js';
import type { CliContext } from '../context.js';
import { withEngine } from '../open-engine.js';
import { collect, collectFilter, isoDate, numberBetween, wholeNumber } from '../parse-options.js';

/** The options of a search on a command line. */
export interface SearchOptions {
  readonly topK?: number;
  readonly mode?: SearchMode;
  readonly filter?: readonly Filter[];
  readonly sourceType?: readonly string[];
  readonly source?: readonly string[];
  readonly since?: Date;
  readonly until?: Date;
  readonly minSimilarity?: number;
  readonly explain?: boolean;
}

const EXAMPLES = `
Examples:
  $ ragstone search "how are results scored?"
  $ ragstone search "PPR-9087" --top-k 3 --explain
  $ ragstone search "retry policy" --source-type documentation --filter tags=payments --since 2026-01-01
  $ ragstone search "exit codes" --mode lexical --json`;

/** `ragstone search QUERY` */
export function registerSearch(program: Command, context: CliContext): void {
  program
    .command('search')
    .description('find passages in the index')
    .argument('<query>', 'question, words or an identifier')
    .option('--top-k <n>', 'results (default: retrieval.topK, 5)', wholeNumber(1))
    .addOption(new Option('--mode <mode>', 'which lanes run').choices(['hybrid', 'dense', 'lexical']))
    .option('--filter <key=value>', 'metadata that must hold; may be repeated', collectFilter)
    .option('--source-type <type>', 'only documents of this type; may be repeated', collect)
    .option('--source <name>', 'only documents of this source; may be repeated', collect)
    .option('--since <date>', 'only documents changed on or after this date', isoDate('start'))
    .option('--until <date>', 'only documents changed on or before this date', isoDate('end'))
    .option('--min-similarity <score>', 'leave out results below this relevance, 0 to 1', numberBetween(0, 1))
    .option('--explain', 'show every part of each score and how each lane did')
    .addHelpText('after', EXAMPLES)
    .action((query: string, options: SearchOptions) => runSearch(context, query, options));
}

async function runSearch(context: CliContext, query: string, options: SearchOptions): Promise<void> {
  const request = toQuery(query, options, context.signal);
  const response = await withEngine(context, (engine) => engine.search(request));
  if (context.isJson) {
    context.printJson(response);
    return;
  }
  for (const notice of response.notices) context.warn(notice);
  const { renderPassages } = await import('../render/passages.js');
  context.print(renderPassages(response, { context, explain: options.explain ?? false }));
}

/** A search as the command line asks for it. */
export function toQuery(text: string, options: SearchOptions, signal: AbortSignal): SearchQuery {
  const { topK, mode, filter, sourceType, source, since, until, minSimilarity } = options;
  const dateRange = {
    ...(since === undefined ? {} : { start: since }),
    ...(until === undefined ? {} : { end: until }),
  };
  return {
    text,
    signal,
    filters: {
      ...(sourceType === undefined ? {} : { sourceType }),
      ...(source === undefined ? {} : { source }),
      ...(since === undefined && until === undefined ? {} : { dateRange }),
    },
    ...(filter === undefined ? {} : { filter: { op: 'and', filters: filter } }),
    options: {
      explainScore: true,
      ...(topK === undefined ? {} : { topK }),
      ...(mode === undefined ? {} : { mode }),
      ...(minSimilarity === undefined ? {} : { minSimilarity }),
    },
  };
}
