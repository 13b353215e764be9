import { type Command, Option } from 'commander';
import type { EvaluateOptions } from '../../index.js';
import type { CliContext } from '../context.js';
import { numberBetween } from '../parse-options.js';

type EvalOptions = Omit<
  EvaluateOptions,
  'target' | 'cwd' | 'configFile' | 'dataDir' | 'onProgress' | 'signal'
>;

const EXAMPLES = `
Examples:
  $ ragstone eval data/scifact                                     a data set in BEIR layout, built-in model
  $ ragstone eval data/scifact --mode lexical --run scifact.trec   and a TREC run file
  $ ragstone eval data/scifact --embedder transformers:./models/all-MiniLM-L6-v2
  $ ragstone eval docs --questions questions.jsonl                 a folder, indexed as "index" would, and questions with quotes

Threshold, removal of near-duplicates, variety and recency are off unless asked for.`;

/** `ragstone eval DATASET` and `ragstone eval FOLDER --questions FILE` */
export function registerEval(program: Command, context: CliContext): void {
  program
    .command('eval')
    .description('measure retrieval on a data set, or on questions about a folder')
    .argument(
      '<dataset>',
      'folder with corpus.jsonl, queries.jsonl and qrels; or, with --questions, a folder of documents',
    )
    .option('--questions <file>', 'questions with gold quotes about the folder, one JSON object a line')
    .option('--split <name>', 'which judgments: qrels/NAME.tsv (default: test)')
    .addOption(new Option('--mode <mode>', 'which lanes run').choices(['hybrid', 'dense', 'lexical']))
    .option('--embedder <model>', 'builtin or transformers:PATH_OR_ID (default: the configured one)')
    .option('--rerank <model>', 'none, builtin or cross-encoder:PATH (default: the configured one)')
    .option('--metrics <list>', 'such as "ndcg@10,recall@5|10,map"')
    .option('--drop-self', 'leave out the document that the query was made from')
    .addOption(new Option('--score-by <what>', 'what makes a result right').choices(['id', 'text']))
    .option('--run <file>', 'write the results as a TREC run file')
    .option('--min-similarity <score>', 'leave out results below this relevance', numberBetween(0, 1))
    .option('--near-duplicates', 'leave out results that nearly repeat a better one')
    .option('--mmr <lambda>', 'maximal marginal relevance with this trade-off', numberBetween(0, 1))
    .option('--recency <days>', 'prefer what changed lately, with this half-life', numberBetween(0, 1e6))
    .addHelpText('after', EXAMPLES)
    .action((dataset: string, options: EvalOptions) => runEval(context, dataset, options));
}

async function runEval(context: CliContext, target: string, options: EvalOptions): Promise<void> {
  const { evaluate } = await import('../../index.js');
  const { startCounter } = await import('../render/progress.js');
  const counter = startCounter(context);
  const { config, data } = context.globals;
  const report = await evaluate({
    ...options,
    ...(options.embedder === undefined ? {} : { embedder: await locateModel(options.embedder, context) }),
    ...(options.rerank === undefined ? {} : { rerank: await locateModel(options.rerank, context) }),
    target,
    cwd: context.cwd,
    onProgress: counter.update,
    signal: context.signal,
    ...(config === undefined ? {} : { configFile: config }),
    ...(data === undefined ? {} : { dataDir: data }),
  }).finally(counter.stop);
  const { renderEvaluation } = await import('../render/evaluation.js');
  if (!context.isJson) for (const notice of report.notices) context.warn(notice);
  context.printResult(report, () => renderEvaluation(report, context));
}

/** A model's folder is relative to the working folder here, as every path on a command line is. */
async function locateModel(model: string, { cwd }: CliContext): Promise<string> {
  const { resolve } = await import('node:path');
  const { isFolder } = await import('../../config/models.js');
  const [, prefix = '', name = model] = /^(transformers:|cross-encoder:)?(.*)$/.exec(model) ?? [];
  const path = resolve(cwd, name);
  return NAMED.includes(model) || !(await isFolder(path)) ? model : `${prefix}${path}`;
}

/** Names that mean no folder even where one is called so. */
const NAMED: readonly string[] = ['builtin', 'none'];
