import { type Command, Option } from 'commander';
import type { Engine, IndexProgress, Sync, SyncEvent, SyncTrigger, UpgradeEvent } from '../../../index.js';
import type { CliContext } from '../context.js';
import { withEngine } from '../open-engine.js';
import { collect, wholeNumber } from '../parse-options.js';
import { describeRun } from '../render/index-result.js';
import { type ProgressDisplay, startProgress } from '../render/progress.js';
import { describeReembedding } from '../render/reembedding.js';
import { formatTime, oneLine, plural } from '../render/text.js';
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

/** What is shown of sources that are followed. */
interface SyncDisplay {
  readonly tell: (event: SyncEvent) => void;
  readonly progress: (progress: IndexProgress) => void;
  readonly upgrade: (event: UpgradeEvent) => void;
}

/** With `--json` each event is a line; else one line for each run, and what happens meanwhile beside it. */
function showSync(context: CliContext, { isDaemon }: { readonly isDaemon: boolean }): SyncDisplay {
  if (context.isJson)
    return {
      tell: (event) => context.printJsonLine(event),
      progress: () => undefined,
      upgrade: (event) => context.printJsonLine(event),
    };
  let running: ProgressDisplay<IndexProgress> | undefined;
  return {
    tell: (event) => {
      if (event.type === 'run-started' && !isDaemon) running = startProgress(context);
      else {
        running?.stop();
        running = undefined;
        showEvent(event, context);
      }
    },
    progress: (progress) => running?.update(progress),
    upgrade: (event) => showUpgrade(event, context),
  };
}

function showUpgrade(event: UpgradeEvent, context: CliContext): void {
  const line = (text: string): void => context.print(`${event.at}  better vectors: ${text}`);
  if (event.type === 'upgrade-started') line(oneLine(event.status.notice));
  else if (event.type === 'upgrade-finished') line(describeReembedding(event.result));
  else line(`failed: ${oneLine(event.message)} (next try ${formatTime(event.nextAt)})`);
}

const TRIGGERS: Readonly<Record<SyncTrigger, string>> = {
  start: 'at the start',
  watch: 'files changed',
  schedule: 'by schedule',
  missed: 'missed turn',
  retry: 'tried again',
  interval: 'at an interval',
};

function showEvent(event: SyncEvent, context: CliContext): void {
  const line = (source: string, text: string): string => `${event.at}  ${oneLine(source)}: ${text}`;
  switch (event.type) {
    case 'run-finished': {
      const { source, trigger, result, nextAt } = event;
      context.print(line(source, `${describeRun(result)} (${TRIGGERS[trigger]}${nextOf(nextAt)})`));
      for (const { item, message } of result.stats.errors)
        context.warn(line(source, `${item ?? ''} ${message}`));
      for (const notice of result.notices) context.warn(notice);
      break;
    }
    case 'run-failed':
      context.print(
        line(event.source, `failed: ${oneLine(event.message)} (next try ${formatTime(event.nextAt)})`),
      );
      break;
    case 'waiting': {
      const { holder } = event;
      const who =
        holder === undefined
          ? 'Another process'
          : `Process ${holder.pid} on ${holder.host} (${holder.command}, since ${formatTime(holder.since)})`;
      context.warn(`${who} follows these sources. This one waits, and takes over when it ends.`);
      break;
    }
    case 'watching':
      context.note(line(event.source, `watched in ${plural(event.folders, 'folder')}`));
      break;
    case 'polling':
      context.warn(
        line(
          event.source,
          `is read every ${event.everyMs / 1_000} s, because it cannot be watched: ${event.why}.`,
        ),
      );
      break;
    case 'notice':
      context.warn(event.message);
      break;
    default:
      context.log('debug', `sync: ${event.type}`);
  }
}

const nextOf = (nextAt: string | undefined): string =>
  nextAt === undefined ? '' : `; next ${formatTime(nextAt)}`;
