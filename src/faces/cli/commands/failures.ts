import type { Command } from 'commander';
import { RAGError } from '../../../core/errors.js';
import { withoutUndefined } from '../../../core/without-undefined.js';
import type { EngineView, FailedItem, RunFailure, SourceSyncState } from '../../../index.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { withTenantView } from '../open-engine.js';
import { collect, wholeNumber } from '../parse-options.js';
import { renderIndexResult } from '../render/index-result.js';
import { displayPath } from '../render/place.js';
import { startProgress } from '../render/progress.js';
import { renderFailingSources } from '../render/source-states.js';
import { formatTime, oneLine, plural } from '../render/text.js';
import { type OwnerOptions, withOwnerOptions } from '../scope-options.js';

interface FailureOptions extends OwnerOptions {
  readonly source?: readonly string[];
  readonly wait?: number;
}

const EXAMPLES = `
Examples:
  $ ragstone failures                         what could not be indexed, and when it is tried again
  $ ragstone failures list --source wiki      of one source
  $ ragstone failures retry                   try everything again now, what was given up too
  $ ragstone failures retry docs/plan.pdf     try one file again`;

/** `ragstone failures [list | retry] [--source S] [ITEM...]` */
export function registerFailures(program: Command, context: CliContext): void {
  const command = program
    .command('failures')
    .description(
      'what could not be indexed, and sources that could not be read: when it is tried again, or that it was given up',
    )
    .addHelpText('after', EXAMPLES);
  const withSource = (part: Command): Command =>
    withOwnerOptions(
      part
        .argument('[items...]', 'paths or ids, as they are listed; without any, all')
        .option('--source <name>', 'of this source; may be repeated', collect),
    ).addHelpText('after', EXAMPLES);
  withSource(
    command.command('list', { isDefault: true }).description('list them, most attempts first'),
  ).action((items: string[], options: FailureOptions) => runList(context, items, options));
  withSource(
    command
      .command('retry')
      .description('try them again now, what was given up too, and bring their sources in step')
      .option('--wait <seconds>', 'wait this long for another writer to finish', wholeNumber(0)),
  ).action((items: string[], options: FailureOptions) => runRetry(context, items, options));
}

const requestOf = (items: readonly string[], { source }: FailureOptions) => ({
  ...withoutUndefined({ sources: source }),
  ...(items.length === 0 ? {} : { items }),
});

async function runList(
  context: CliContext,
  items: readonly string[],
  options: FailureOptions,
): Promise<void> {
  const { failures, sources, runError } = await withTenantView(context, options, async (view) => {
    const failures = await view.failures(requestOf(await inFull(items, view, context), options));
    const sources = items.length > 0 ? [] : (await view.sourceStates()).filter(isFailing(options));
    const runError = failures.length + sources.length > 0 ? undefined : await errorOfLastRun(view);
    return { failures, sources, runError };
  });
  const found = { failures, sources, ...withoutUndefined({ runError }) };
  context.printResult(found, renderFailedItems);
}

/** A run that ends by an error leaves nothing with an item or a source that says so. */
async function errorOfLastRun(view: EngineView): Promise<RunFailure | undefined> {
  try {
    return (await view.status()).lastRun?.error;
  } catch (error) {
    if (RAGError.isInstance(error) && error.reason === 'INDEX_EMPTY') return undefined;
    throw error;
  }
}

const isFailing =
  ({ source: names }: FailureOptions) =>
  ({ source, lastError }: SourceSyncState): boolean =>
    lastError !== undefined && names?.includes(source) !== false;

/** Ids as they are, and files, which are listed as seen from the working folder, by their whole path. */
async function inFull(
  items: readonly string[],
  view: Pick<EngineView, 'failures'>,
  context: CliContext,
): Promise<string[]> {
  if (items.length === 0) return [];
  const failures = await view.failures();
  return items.map((name) => {
    if (failures.some(({ item }) => item === name)) return name;
    return (
      failures.find(({ path }) => path !== undefined && displayPath(context, path) === name)?.path ?? name
    );
  });
}

async function runRetry(
  context: CliContext,
  items: readonly string[],
  options: FailureOptions,
): Promise<void> {
  const { wait } = options;
  const result = await withTenantView(context, options, async (view) => {
    const progress = startProgress(context);
    try {
      return await view.retry({
        ...requestOf(await inFull(items, view, context), options),
        ...(wait === undefined ? {} : { waitMs: wait * 1000 }),
        onProgress: progress.update,
        signal: context.signal,
      });
    } finally {
      progress.stop();
    }
  });
  context.printNotices(result);
  context.printResult(result, renderIndexResult);
  if (!result.success) context.exitCode = ExitCode.failed;
}

/** What failed and when it is tried again, each with its reason: sources as a whole, then items. */
function renderFailedItems(
  {
    failures,
    sources,
    runError,
  }: {
    readonly failures: readonly FailedItem[];
    readonly sources: readonly SourceSyncState[];
    readonly runError?: RunFailure;
  },
  context: CliContext,
): string {
  if (runError !== undefined)
    return `No source and no document failed, but the last run ended by an error: ${context.colours.red(runError.reason)} ${oneLine(runError.message)}`;
  if (failures.length + sources.length === 0) return 'Nothing failed.';
  return [renderFailingSources(sources, context), renderItems(failures, context)]
    .filter(Boolean)
    .join('\n\n');
}

function renderItems(failures: readonly FailedItem[], context: CliContext): string {
  const { colours } = context;
  return failures
    .map((failure) => {
      const { reason, message, item, source, path } = failure;
      const place = path === undefined ? item : displayPath(context, path);
      return [
        `${colours.red(reason)} ${oneLine(place)} ${colours.dim(`(${oneLine(source)})`)}`,
        `  ${oneLine(message)}`,
        `  ${describeAttempts(failure)}`,
      ].join('\n');
    })
    .join('\n\n');
}

function describeAttempts({ attempts, state, failedAt, nextAttemptAt }: FailedItem): string {
  const tried = `${plural(attempts, 'attempt')}, the last ${formatTime(failedAt)}`;
  if (state === 'given-up')
    return `Given up after ${tried}; tried again when it changes, or by "ragstone failures retry".`;
  const next = nextAttemptAt === undefined ? 'at the next run' : `after ${formatTime(nextAttemptAt)}`;
  return `${tried}; tried again ${next}.`;
}
