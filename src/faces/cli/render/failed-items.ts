import type { FailedItem, RunFailure, SourceSyncState } from '../../../index.js';
import type { CliContext } from '../context.js';
import { displayPath } from './place.js';
import { renderFailingSources } from './source-states.js';
import { formatTime, oneLine, plural } from './text.js';

/** What failed and when it is tried again, each with its reason: sources as a whole, then items. */
export function renderFailedItems(
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
