import type { Command } from 'commander';
import { RAGError } from '../../../core/errors.js';
import type { EngineView, ExtractionProgress } from '../../../index.js';
import { FIELDS } from '../../../operations/fields.js';
import { auditedCommand } from '../audited-command.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { countOption } from '../field-options.js';
import { placeOf, withTenantView } from '../open-engine.js';
import { numberBetween, wholeNumber } from '../parse-options.js';
import {
  renderEntity,
  renderEstimate,
  renderExtraction,
  renderFactStatus,
  renderSummaries,
  renderSummarizing,
} from '../render/graph-facts.js';
import { startCounter } from '../render/progress.js';
import {
  type OwnerOptions,
  type ScopeOptions,
  withOwnerOptions,
  withScopeOptions,
} from '../scope-options.js';

interface WhichChunks {
  readonly retryFailed?: boolean;
  readonly renew?: boolean;
}

interface Limits {
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly concurrency?: number;
}

const EXAMPLES = `
Examples:
  $ ragstone graph estimate                     what it would take: calls, tokens, money
  $ ragstone graph extract --max-cost 2         have the language model read, for 2 US dollars at most
  $ ragstone graph summarize --max-cost 0.50    have it summarise what hangs together
  $ ragstone graph status                       what was read, what failed, what is left
  $ ragstone graph summaries --entity "Pay Service"
  $ ragstone graph entity "Pay Service"         what the documents say of it

Nothing is read by a language model unless it is asked for here, by the model of "rag.chat.model" or "rag.graph.extraction.model". A call that
was stopped or killed goes on where it is made again, and pays for nothing twice but the calls that were under way.`;

/** `ragstone graph estimate | extract | summarize | status | summaries | entity` */
export function registerGraph(program: Command, context: CliContext): void {
  const group = program
    .command('graph')
    .description('have a language model read entities and relations out of the documents, and summarise them')
    .addHelpText('after', EXAMPLES);
  const part = (usage: string, description: string): Command =>
    group.command(usage).description(description).addHelpText('after', EXAMPLES);

  withOwnerOptions(
    withWhichChunks(
      part('estimate', 'say what "extract" and "summarize" would take; the model is not asked'),
    ),
  ).action((options: WhichChunks & OwnerOptions) => runEstimate(context, options));
  withOwnerOptions(
    withLimits(withWhichChunks(part('extract', 'read the chunks that were not read yet'))),
  ).action((options: WhichChunks & Limits & OwnerOptions) => runExtract(context, options));
  withOwnerOptions(
    withLimits(part('summarize', 'summarise entities that hang together')).option(
      '--dry-run',
      'say what it would take; the model is not asked',
    ),
  ).action((options: Limits & OwnerOptions & { readonly dryRun?: boolean }) =>
    runSummarize(context, options),
  );
  withOwnerOptions(part('status', 'what was read, what failed, and what is left')).action(
    (options: OwnerOptions) => runStatus(context, options),
  );
  withScopeOptions(
    part('summaries', 'show summaries of which every document may be read')
      .option('--entity <name>', 'only those that it is part of')
      .addOption(countOption('--limit <n>', 'summaries', FIELDS.summaries.limit))
      .option('--cursor <text>', 'where the page before ended'),
  ).action((options: SummariesOptions) => runSummaries(context, options));
  withScopeOptions(
    part('entity', 'show what the documents say of an entity').argument(
      '<name>',
      'its name, in any spelling',
    ),
  ).action((name: string, options: ScopeOptions) => runEntity(context, name, options));
}

interface SummariesOptions extends ScopeOptions {
  readonly entity?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

const withWhichChunks = (command: Command): Command =>
  command
    .option('--retry-failed', 'read chunks again that have failed three times')
    .option('--renew', 'read again what another model or an older prompt has read');

const withLimits = (command: Command): Command =>
  command
    .option('--max-cost <dollars>', 'stop before the model costs more', numberBetween(0, 1_000_000))
    .option('--max-tokens <n>', 'stop before the model reads and writes more', wholeNumber(0))
    .addOption(
      countOption('--concurrency <n>', 'calls at a time', {
        ...FIELDS.extract.concurrency,
        preset: 'rag.graph.extraction.concurrency',
      }),
    );

/** A call for the documents of a tenant. */
const inGraph = <T>(
  context: CliContext,
  scope: ScopeOptions,
  work: (graph: EngineView['graph']) => Promise<T>,
): Promise<T> => withTenantView(context, scope, ({ graph }) => work(graph));

async function runEstimate(
  context: CliContext,
  { tenant, project, ...request }: WhichChunks & OwnerOptions,
): Promise<void> {
  const estimate = await inGraph(context, { tenant, project }, (graph) =>
    graph.estimate({ ...request, signal: context.signal }),
  );
  context.printNotices(estimate);
  context.printResult(estimate, renderEstimate);
}

async function runExtract(
  context: CliContext,
  { tenant, project, ...request }: WhichChunks & Limits & OwnerOptions,
): Promise<void> {
  const result = await asking(context, 'extract', { tenant, project }, (graph, onProgress) =>
    graph.extract({ ...request, onProgress, signal: context.signal }),
  );
  context.printNotices(result);
  context.printResult(result, renderExtraction);
  if (isAmiss(result)) context.exitCode = ExitCode.failed;
}

async function runSummarize(
  context: CliContext,
  { tenant, project, ...request }: Limits & OwnerOptions & { readonly dryRun?: boolean },
): Promise<void> {
  const result = await asking(context, 'summarize', { tenant, project }, (graph, onProgress) =>
    graph.summarize({ ...request, onProgress, signal: context.signal }),
  );
  context.printNotices(result);
  context.printResult(result, renderSummarizing);
  if (result.estimate === undefined && isAmiss(result)) context.exitCode = ExitCode.failed;
}

interface Ended {
  readonly failed: number;
  readonly left: number;
  readonly stopped?: string | undefined;
}

/** What a limit stopped is as it was asked for. */
const isAmiss = ({ failed, left, stopped }: Ended): boolean =>
  failed > 0 || stopped === 'model' || (left > 0 && stopped === undefined);

/** A call that asks the model: with progress, written down where an audit log is kept. */
async function asking<T>(
  context: CliContext,
  action: string,
  { tenant, project }: OwnerOptions,
  work: (graph: EngineView['graph'], onProgress: (progress: ExtractionProgress) => void) => Promise<T>,
): Promise<T> {
  const call = { action: `graph ${action}`, tenant, project, context };
  return auditedCommand(await placeOf(context), call, () =>
    inGraph(context, { tenant, project }, async (graph) => {
      const progress = startCounter(context);
      try {
        return await work(graph, (told) => progress.update(lineOf(told)));
      } catch (error) {
        throw context.signal.aborted ? stopped(error) : error;
      } finally {
        progress.stop();
      }
    }),
  );
}

const lineOf = ({ stage, done, total, perSecond, etaMs }: ExtractionProgress) => ({
  stage: perSecond > 0 ? `${stage} (${perSecond.toFixed(1)}/s)` : stage,
  done,
  total,
  ...(etaMs === undefined ? {} : { etaMs }),
});

function stopped(cause: unknown): Error {
  return new RAGError('ABORTED', 'Stopped. What was read is kept; the same command goes on.', { cause });
}

async function runStatus(context: CliContext, options: OwnerOptions): Promise<void> {
  const status = await inGraph(context, options, (graph) => graph.status());
  context.printResult(status, renderFactStatus);
}

async function runSummaries(
  context: CliContext,
  { entity, limit, cursor, ...scope }: SummariesOptions,
): Promise<void> {
  const request = { entity, limit, cursor, signal: context.signal };
  const page = await inGraph(context, scope, (graph) => graph.summaries(request));
  context.printResult(page, renderSummaries);
}

async function runEntity(context: CliContext, name: string, scope: ScopeOptions): Promise<void> {
  const report = await inGraph(context, scope, (graph) => graph.entity(name));
  context.printResult(report ?? null, () => renderEntity(name, report, context));
  if (report === undefined) context.exitCode = ExitCode.failed;
}
