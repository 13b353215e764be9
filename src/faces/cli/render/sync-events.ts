import type { IndexProgress, SyncEvent, SyncTrigger, UpgradeEvent } from '../../../index.js';
import type { CliContext } from '../context.js';
import { describeRun } from './index-result.js';
import { type ProgressDisplay, startProgress } from './progress.js';
import { describeReembedding } from './reembedding.js';
import { formatTime, oneLine, plural } from './text.js';

/** What is shown of sources that are followed. */
export interface SyncDisplay {
  readonly tell: (event: SyncEvent) => void;
  readonly progress: (progress: IndexProgress) => void;
  readonly upgrade: (event: UpgradeEvent) => void;
}

/** With `--json` each event is a line; else one line for each run, and what happens meanwhile beside it. */
export function showSync(context: CliContext, { isDaemon }: { readonly isDaemon: boolean }): SyncDisplay {
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
