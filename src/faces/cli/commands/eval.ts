import { type Command, Option } from 'commander';
import { RAGError } from '../../../core/errors.js';
import { withoutUndefined } from '../../../core/without-undefined.js';
import type {
  AnswersReport,
  ComparedConfiguration,
  ComparisonReport,
  EvaluateOptions,
  EvaluationReport,
  GateEvaluationOptions,
} from '../../../index.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { evaluationTarget, withCounter } from '../evaluation-target.js';
import { choiceOption } from '../field-options.js';
import { numberBetween } from '../parse-options.js';
import { renderComparison, renderGate } from '../render/comparison.js';
import { renderTable } from '../render/table.js';
import { formatDuration, plural } from '../render/text.js';
import { type ScopeOptions, withScopeOptions } from '../scope-options.js';
import { searchMode } from '../search-options.js';

interface EvalOptions
  extends ScopeOptions,
    Omit<EvaluateOptions, 'target' | 'cwd' | 'configFile' | 'dataDir' | 'onProgress' | 'signal' | 'scope'> {
  readonly answers?: boolean;
  readonly judge?: boolean;
  readonly compare?: readonly string[];
  readonly html?: string;
  readonly gate?: string;
  readonly writeBaseline?: string;
  readonly gateMetric?: string;
  readonly alpha?: number;
  readonly maxDrop?: number;
}

const EXAMPLES = `
Examples:
  $ ragstone eval data/scifact                                     a data set in BEIR layout, built-in model
  $ ragstone eval data/scifact --mode lexical --run scifact.trec   and a TREC run file
  $ ragstone eval data/scifact --embedder transformers:./models/all-MiniLM-L6-v2
  $ ragstone eval docs --questions questions.jsonl                 a folder, indexed as "index" would, and questions with quotes
  $ ragstone eval data/scifact --compare a.yaml b.yaml             two configurations, query by query, with a paired test
  $ ragstone eval data/scifact --compare retrieval.rerank.enabled=true   the current configuration against a change of it
  $ ragstone eval data/scifact --compare b.yaml --html report.html   the same as a page for people
  $ ragstone eval docs --questions questions.jsonl --write-baseline baseline.json
  $ ragstone eval data/xquad-en --answers --json                   answers, citations, faithfulness, abstention
  $ ragstone eval docs --questions questions.jsonl --gate baseline.json   exit code 3 where a change hurts

Threshold, removal of near-duplicates, variety and recency are off unless asked for.`;

/** `ragstone eval DATASET` and `ragstone eval FOLDER --questions FILE` */
export function registerEval(program: Command, context: CliContext): void {
  const command = program
    .command('eval')
    .description('measure retrieval on a data set, or on questions about a folder')
    .argument(
      '<dataset>',
      'folder with corpus.jsonl, queries.jsonl and qrels; or, with --questions, a folder of documents',
    );
  addWhatIsMeasured(command)
    .option('--run <file>', 'write the results as a TREC run file')
    .option('--min-similarity <score>', 'leave out results below this relevance', numberBetween(0, 1))
    .option('--near-duplicates', 'leave out results that nearly repeat a better one')
    .option('--mmr <lambda>', 'maximal marginal relevance with this trade-off', numberBetween(0, 1))
    .option('--recency <days>', 'prefer what changed lately, with this half-life', numberBetween(0, 1e6));
  addComparisons(command);
  command
    .addHelpText('after', EXAMPLES)
    .action((dataset: string, options: EvalOptions) => runEval(context, dataset, options));
}

/** The options that `eval` and `tune` share. */
export function addWhatIsMeasured(command: Command): Command {
  return withScopeOptions(command)
    .option('--questions <file>', 'questions with gold quotes about the folder, one JSON object a line')
    .option('--split <name>', 'which judgments: qrels/NAME.tsv (default: test)')
    .addOption(searchMode())
    .option(
      '--embedder <model>',
      'builtin, onnx:PATH_OR_ID or transformers:PATH_OR_ID (default: the configured one)',
    )
    .option('--rerank <model>', 'none, builtin, reader or cross-encoder:PATH (default: the configured one)')
    .option(
      '--metrics <list>',
      'of a data set, such as "ndcg@10,recall@5|10,map"; with --gate, of those of the baseline',
    )
    .option('--drop-self', 'leave out the document that the query was made from')
    .addOption(choiceOption('--score-by <what>', 'what makes a result right', ['id', 'text']));
}

/** What `--answers` would leave out: it asks as `ask` does, and has metrics of its own. */
const NOT_OF_ANSWERS = [
  ...['compare', 'gate', 'writeBaseline', 'run', 'metrics', 'dropSelf', 'scoreBy'],
  ...['mode', 'minSimilarity', 'nearDuplicates', 'mmr', 'recency'],
];

function addComparisons(command: Command): void {
  command
    .addOption(
      new Option(
        '--compare <configs...>',
        'two of: a YAML file, "current", or KEY=VALUE[,KEY=VALUE] over the current one; one alone is held against "current"',
      ).conflicts(['gate', 'writeBaseline', 'run']),
    )
    .option(
      '--html <file>',
      'of --compare: write the comparison as a page with plots and the questions that changed',
    )
    .addOption(
      new Option(
        '--gate <file>',
        'hold the result against a baseline: exit code 3 where it is significantly worse',
      ).conflicts('writeBaseline'),
    )
    .addOption(
      new Option(
        '--answers',
        'measure answers: a data set with answers.jsonl, or --questions with gold quotes',
      ).conflicts(NOT_OF_ANSWERS),
    )
    .option('--judge', 'of --answers: ask the language model for its opinion too')
    .option('--write-baseline <file>', 'keep the values of every query for a later --gate')
    .option('--gate-metric <name>', 'the metric that decides (default: ndcg@10, or hit@5 of questions)')
    .option(
      '--alpha <p>',
      'of --gate: a loss less probable than this by chance fails (default: 0.05)',
      numberBetween(0, 1),
    )
    .option('--max-drop <value>', 'of --gate: a mean lower by more than this fails too', numberBetween(0, 1));
}

/** Options that mean nothing without one of others: a person who gave them waits for what they do. */
const NEEDS: readonly [option: keyof EvalOptions, of: readonly (keyof EvalOptions)[]][] = [
  ['judge', ['answers']],
  ['html', ['compare']],
  ['alpha', ['gate']],
  ['maxDrop', ['gate']],
  ['gateMetric', ['gate', 'writeBaseline']],
];

function refuseIdleOptions(options: EvalOptions): void {
  for (const [option, of] of NEEDS) {
    if (options[option] === undefined || of.some((other) => options[other] !== undefined)) continue;
    throw new RAGError('USAGE', `${flagOf(option)} has no effect without ${of.map(flagOf).join(' or ')}.`);
  }
}

const flagOf = (option: string): string => `--${option.replaceAll(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

async function runEval(context: CliContext, dataset: string, options: EvalOptions): Promise<void> {
  refuseIdleOptions(options);
  const { answers, judge, compare, html, gate, writeBaseline, gateMetric, alpha, maxDrop, ...measured } =
    options;
  const target = await evaluationTarget(context, dataset, measured);
  const metric = gateMetric === undefined ? {} : { gateMetric };
  if (answers === true) return runAnswers(context, { ...target, judge: judge === true });
  if (compare !== undefined) return runCompare(context, target, { names: compare, html });
  if (gate !== undefined) {
    const bounds = withoutUndefined({ alpha, maxDrop });
    return runGate(context, { ...target, ...metric, ...bounds, baseline: gate });
  }
  const { evaluate, writeBaseline: keep } = await import('../../../index.js');
  const report = await withCounter(context, (onProgress) =>
    writeBaseline === undefined
      ? evaluate({ ...target, onProgress })
      : keep({ ...target, ...metric, onProgress, baseline: writeBaseline }),
  );
  context.printNotices(report);
  context.printResult(report, renderEvaluation);
  if (writeBaseline !== undefined) context.note(`The baseline is in ${writeBaseline}.`);
}

async function runAnswers(
  context: CliContext,
  target: EvaluateOptions & { readonly judge: boolean },
): Promise<void> {
  const { evaluateAnswers } = await import('../../../index.js');
  const report = await withCounter(context, (onProgress) => evaluateAnswers({ ...target, onProgress }));
  context.printNotices(report);
  context.printResult(report, renderAnswersReport);
}

async function runCompare(
  context: CliContext,
  target: EvaluateOptions,
  { names, html }: { readonly names: readonly string[]; readonly html: string | undefined },
): Promise<void> {
  const [a, b] = await twoConfigurations(names);
  const { compareConfigurations } = await import('../../../index.js');
  const withResults = html !== undefined;
  const compared = await withCounter(context, (onProgress) =>
    compareConfigurations({ ...target, onProgress, a, b, withResults }),
  );
  if (html !== undefined) await writePage(context, compared, html);
  const { asked: _, ...report } = compared;
  if (!context.isJson)
    for (const notice of new Set([...report.a.notices, ...report.b.notices])) context.warn(notice);
  context.printResult(report, renderComparison);
  if (html !== undefined)
    context.note(`The page is in ${html}. It holds questions and passages of the index.`);
}

/** Whole or not at all: a page that was cut off would look like a result. */
async function writePage({ cwd }: CliContext, report: ComparisonReport, file: string): Promise<void> {
  const { rename, rm, writeFile } = await import('node:fs/promises');
  const { resolve } = await import('node:path');
  const { comparisonPage } = await import('../../../index.js');
  const page = comparisonPage(report, { made: new Date() });
  const path = resolve(cwd, file);
  const unfinished = `${path}.${process.pid}.new`;
  try {
    await writeFile(unfinished, page, { mode: 0o600 });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function twoConfigurations(
  names: readonly string[],
): Promise<readonly [ComparedConfiguration, ComparedConfiguration]> {
  const { CURRENT, parseConfigChoice } = await import('../config-choice.js');
  const [first, second, ...rest] = names;
  if (first === undefined || rest.length > 0) {
    throw new RAGError(
      'USAGE',
      `--compare takes one or two configurations and got ${names.length}. Write the data set before --compare.`,
    );
  }
  if (second === undefined) return [CURRENT, parseConfigChoice(first)];
  return [parseConfigChoice(first), parseConfigChoice(second)];
}

async function runGate(context: CliContext, options: GateEvaluationOptions): Promise<void> {
  const { evaluateAgainst } = await import('../../../index.js');
  const report = await withCounter(context, (onProgress) => evaluateAgainst({ ...options, onProgress }));
  context.printNotices(report);
  context.printResult(report, renderGate);
  if (!report.gate.passed) context.exitCode = ExitCode.gate;
}

/** Metrics of an evaluation, by type of question where there are types, and what they were measured with. */
function renderEvaluation(report: EvaluationReport, context: CliContext): string {
  const { dataset, split, queries, documents, chunks, latencyMs, config } = report;
  const { bold, dim } = context.colours;
  const { mode, embedder, store, fusion, minSimilarity } = config;
  const settings = [
    `${mode}, ${embedder}, ${store}`,
    `${fusion.method} (dense ${fusion.weights.dense.toFixed(2)}, lexical ${fusion.weights.lexical.toFixed(2)})`,
    ...(config.rerank === 'none' ? [] : [`rerank ${config.rerank}`]),
    ...(minSimilarity > 0 ? [`threshold ${minSimilarity}`] : []),
  ];
  return [
    `${bold(`${dataset}, ${split}`)}: ${plural(queries, 'question')}, ${plural(documents, 'document')}, ${plural(chunks, 'chunk')}`,
    renderMetrics(report, context),
    `latency p50 ${latencyMs.p50.toFixed(1)} ms, p95 ${latencyMs.p95.toFixed(1)} ms`,
    dim(`${settings.join('; ')}; --json has every setting`),
  ].join('\n\n');
}

function renderMetrics({ metrics, byType }: EvaluationReport, context: CliContext): string {
  const types = Object.entries(byType ?? {});
  const head = ['metric', 'all', ...types.map(([type, { questions }]) => `${type} (${questions})`)];
  const rows = Object.entries(metrics).map(([name, value]) => [
    name,
    value.toFixed(4),
    ...types.map(([, found]) => found.metrics[name]?.toFixed(4) ?? ''),
  ]);
  return renderTable(head, rows, { context, numeric: head.map((_, column) => column).slice(1) });
}

/** Measures of answers, for a person. */
function renderAnswersReport(report: AnswersReport, context: CliContext): string {
  const { dataset, questions, documents, latencyMs, answerers, metrics } = report;
  const rows = Object.entries(metrics).map(([name, value]): [string, string] => [name, value.toFixed(4)]);
  const who = Object.entries(answerers)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
  return [
    `${dataset}: ${plural(questions, 'question')} over ${plural(documents, 'document')}`,
    renderTable(['measure', 'mean'], rows, { context, numeric: [1] }),
    context.colours.dim(
      `answers: ${who}; p50 ${formatDuration(latencyMs.p50)}, p95 ${formatDuration(latencyMs.p95)}`,
    ),
  ].join('\n\n');
}
