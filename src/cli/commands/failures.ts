import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { withEngineView } from '../open-engine.js';
import { collect, wholeNumber } from '../parse-options.js';
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
    .description('what could not be indexed: when it is tried again, or that it was given up')
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
  ...(source === undefined ? {} : { sources: source }),
  ...(items.length === 0 ? {} : { items }),
});

async function runList(
  context: CliContext,
  items: readonly string[],
  options: FailureOptions,
): Promise<void> {
  const failures = await withEngineView(context, options, (view) => view.failures(requestOf(items, options)));
  const { renderFailedItems } = await import('../render/failed-items.js');
  context.printResult({ failures }, () => renderFailedItems(failures, context));
}

async function runRetry(
  context: CliContext,
  items: readonly string[],
  options: FailureOptions,
): Promise<void> {
  const { startProgress } = await import('../render/progress.js');
  const { wait } = options;
  const result = await withEngineView(context, options, async (view) => {
    const progress = startProgress(context);
    try {
      return await view.retry({
        ...requestOf(items, options),
        ...(wait === undefined ? {} : { waitMs: wait * 1000 }),
        onProgress: progress.update,
        signal: context.signal,
      });
    } finally {
      progress.stop();
    }
  });
  const { renderIndexResult } = await import('../render/index-result.js');
  if (!context.isJson) for (const notice of result.notices) context.warn(notice);
  context.printResult(result, () => renderIndexResult(result, context));
  if (!result.success) context.exitCode = ExitCode.failed;
}
