import type { FailedItem } from '../../index.js';
import type { CliContext } from '../context.js';
import { displayPath } from './place.js';
import { formatTime, oneLine, plural } from './text.js';

/** What failed and when it is tried again, each with its reason. */
export function renderFailedItems(failures: readonly FailedItem[], context: CliContext): string {
  if (failures.length === 0) return 'Nothing failed.';
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
