import { type Command, Option } from 'commander';
import type { Engine, Sync } from '../../../index.js';
import type { CliContext } from '../context.js';
import { withEngine } from '../open-engine.js';
import { collect, wholeNumber } from '../parse-options.js';
import { type OwnerOptions, toScope, withOwnerOptions } from '../scope-options.js';
import { runIndex } from './index.js';

interface SyncCommandOptions extends OwnerOptions {
  readonly watch?: boolean;
  readonly daemon?: boolean;
  readonly source?: readonly string[];
  readonly dryRun?: boolean;
  readonly wait?: number;
}

const EXAMPLES = `
Examples:
  $ ragstone sync                      read what is configured once, as "ragstone index" does
  $ ragstone sync --dry-run            say what would be done, and what hosted models would cost
  $ ragstone sync --watch              stay, and follow \`watch\`, \`autoIndex\` and schedules of the sources
  $ ragstone sync --daemon             the same for a service manager: one line for each run
  $ ragstone sync --daemon --json      each event as a line of JSON
  $ ragstone sync --source docs        one source of the configuration
  $ ragstone sync --wait 600           at night by cron: after another writer

With a queue (rag.queue) it lists the sources and leaves their documents to "ragstone worker".

Ctrl-C or SIGTERM gives back what is under way and ends with 0; what was written stays, and the rest is done next time.
Of several processes with one data folder one follows its sources; the others wait and take over.`;

/** `ragstone sync` */
export function registerSync(program: Command, context: CliContext): void {
  const command = program
    .command('sync')
    .description('bring the index in step with what is configured, once or from now on')
    .option('--watch', 'stay, and read sources when the configuration says so')
    .addOption(
      new Option('--daemon', 'the same without the display of a terminal: a line for each run').conflicts(
        'watch',
      ),
    )
    .addOption(
      new Option('--dry-run', 'say what would be done and write nothing').conflicts(['watch', 'daemon']),
    )
    .addOption(
      new Option(
        '--wait <seconds>',
        'wait this long for another writer to finish; --watch and --daemon wait anyway',
      )
        .argParser(wholeNumber(0))
        .conflicts(['watch', 'daemon']),
    )
    .addOption(
      new Option('--source <name>', 'this source of the configuration alone; may be repeated').argParser(
        collect,
      ),
    );
  withOwnerOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((options: SyncCommandOptions) =>
      options.watch === true || options.daemon === true
        ? followSources(context, options)
        : runIndex(context, [], { ...options, handOver: true }),
    );
}

async function followSources(context: CliContext, options: SyncCommandOptions): Promise<void> {
  const { showSync } = await import('../render/sync-events.js');
  const follow = async (engine: Engine): Promise<void> => {
    const { startSync, startUpgrade } = await import('../../../index.js');
    const display = showSync(context, { isDaemon: options.daemon === true });
    const sync = startSync(engine, {
      sources: options.source,
      scope: toScope(options),
      onEvent: display.tell,
      onProgress: display.progress,
      command: options.daemon === true ? 'ragstone sync --daemon' : 'ragstone sync --watch',
    });
    const upgrade = startUpgrade(engine, { onEvent: display.upgrade });
    if (options.daemon !== true && !context.isJson) context.note('Ctrl-C stops it.');
    await untilStopped(sync, context);
    await upgrade.stop();
  };
  await withEngine(context, follow, { monitoring: { name: 'sync' } });
  // It was told to stop, and did.
  context.isStopExpected = true;
}

/** A store may take a while to end what it writes. */
async function untilStopped(sync: Sync, context: CliContext): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    if (context.signal.aborted) resolve();
    else context.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([stopped, sync.ended]);
  context.isFinishing = true;
  await sync.stop();
  await sync.ended;
}
