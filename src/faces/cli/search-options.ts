import type { Command, Option } from 'commander';
import { withoutUndefined } from '../../core/without-undefined.js';
import type { CollapseMode, Filter, SearchMode, SearchQuery } from '../../index.js';
import { FIELDS } from '../../operations/fields.js';
import { choiceOption, countOption } from './field-options.js';
import { collect, collectFilter, isoDate, numberBetween, wholeNumber } from './parse-options.js';

/** Which documents count, on a command line. */
export interface FilterOptions {
  readonly filter?: readonly Filter[];
  readonly sourceType?: readonly string[];
  readonly source?: readonly string[];
  readonly since?: Date;
  readonly until?: Date;
  readonly asOf?: string;
}

/** The options of a search on a command line. */
export interface SearchOptions extends FilterOptions {
  readonly topK?: number;
  readonly mode?: SearchMode;
  readonly hops?: number;
  readonly minSimilarity?: number;
  readonly exactWords?: boolean;
  readonly collapse?: CollapseMode;
  readonly explain?: boolean;
  readonly deadlineMs?: number;
  readonly maxCost?: number;
}

/** Those of filters that a service takes. */
export const FILTERS_OF_SERVICES = ['filter', 'sourceType', 'source', 'since', 'until', 'tenant'] as const;

/** Those of searches that a service takes. */
export const SEARCHES_OF_SERVICES = [
  ...FILTERS_OF_SERVICES,
  'topK',
  'mode',
  'hops',
  'minSimilarity',
  'exactWords',
  'collapse',
  'deadlineMs',
  'maxCost',
] as const;

/** The options that narrow a search to some documents. */
export const withFilterOptions = (command: Command): Command =>
  command
    .option('--filter <key=value>', 'metadata that must hold; may be repeated', collectFilter)
    .option('--source-type <type>', 'only documents of this type; may be repeated', collect)
    .option('--source <name>', 'only documents of this source; may be repeated', collect)
    .option('--since <date>', 'only documents changed on or after this date', isoDate('start'))
    .option('--until <date>', 'only documents changed on or before this date', isoDate('end'));

/** The option that asks the index as it was. */
export const AS_OF = [
  '--as-of <date|tag>',
  'the index as it was then (rag.history): a date, a time with its zone, or a tag of a Git source',
] as const;

/** The options of `search`, but for how many results and how they are shown. */
export const withSearchOptions = (command: Command): Command =>
  withFilterOptions(command.addOption(searchMode()))
    .addOption(countOption('--hops <n>', 'of mode graph: steps from what is found first', FIELDS.search.hops))
    .option('--min-similarity <score>', 'leave out results below this relevance, 0 to 1', numberBetween(0, 1))
    .addOption(collapseOption('show each document, or each backlog item and ticket, once'))
    .option(...EXACT_WORDS)
    .option(
      '--deadline-ms <n>',
      'do what is worth most in this time, and say what was left out',
      wholeNumber(1),
    )
    .option(
      '--max-cost <dollars>',
      'leave out what hosted models would cost beyond this, and say so',
      numberBetween(0, 1_000),
    );

/** The option for what stands once among the passages of a search or of an answer. */
export const collapseOption = (description: string): Option =>
  choiceOption('--collapse <what>', description, FIELDS.search.collapse);

/** The option for the lanes of a search. */
export const searchMode = (): Option => choiceOption('--mode <mode>', 'which lanes run', FIELDS.search.mode);

/** The option that takes words as they are typed. */
export const EXACT_WORDS = ['--exact-words', 'do not put mistyped words right'] as const;

/** A search as the command line asks for it. */
export function toQuery(text: string, options: SearchOptions, signal: AbortSignal): SearchQuery {
  const { topK, mode, hops, filter, sourceType, source, since, until, asOf } = options;
  const { minSimilarity, exactWords, collapse, deadlineMs, maxCost } = options;
  const dateRange = withoutUndefined({ start: since, end: until });
  return {
    text,
    signal,
    asOf,
    filters: {
      ...withoutUndefined({ sourceType, source }),
      ...(since === undefined && until === undefined ? {} : { dateRange }),
    },
    ...(filter === undefined ? {} : { filter: { op: 'and', filters: filter } }),
    options: {
      explainScore: true,
      ...withoutUndefined({ topK, mode, hops, minSimilarity, exactWords, collapse, deadlineMs, maxCost }),
    },
  };
}
