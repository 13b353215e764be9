import type { WorkerEvent } from '../../../index.js';
import type { CliContext } from '../context.js';
import { formatCount, formatDuration, oneLine, plural } from './text.js';

/** With `--json` each event is a line; else a line for how far it is, and for what a person should know. */
export function showWorker(context: CliContext): (event: WorkerEvent) => void {
  if (context.isJson) return (event) => context.printJsonLine(event);
  return (event) => showEvent(event, context);
}

function showEvent(event: WorkerEvent, context: CliContext): void {
  const line = (text: string): string => `${event.at}  ${text}`;
  switch (event.type) {
    case 'started':
      context.print(line(`takes ${plural(event.concurrency, 'batch', 'batches')} at a time`));
      context.note('Ctrl-C stops it.');
      break;
    case 'progress': {
      const { items, itemsPerSecond, failed, left } = event;
      const failures = failed === 0 ? '' : `, ${formatCount(failed)} failed`;
      const rest = left.map(({ source, items: waiting }) => `${formatCount(waiting)} of ${oneLine(source)}`);
      context.print(
        line(
          `${plural(items, 'document')} done${failures}, ${itemsPerSecond} a second; left: ${rest.join(', ') || 'nothing'}`,
        ),
      );
      break;
    }
    case 'batch-finished': {
      const { source, items, ms, isLast, errors, notices } = event;
      context.log('debug', `${source}: ${items} in ${formatDuration(ms)}`);
      for (const { item, message } of errors)
        context.warn(line(`${oneLine(source)}: ${oneLine(item ?? '')} ${message}`));
      for (const notice of notices) context.warn(notice);
      if (isLast) context.print(line(`${oneLine(source)}: all that was listed is done`));
      break;
    }
    case 'batch-failed':
      context.warn(
        line(
          `${oneLine(event.source)}: ${oneLine(event.message)} It is tried again in ${formatDuration(event.againInMs)}.`,
        ),
      );
      break;
    case 'queue-down':
      context.warn(
        line('The server of the queue does not answer. This worker waits for it; nothing is lost.'),
      );
      break;
    case 'queue-up':
      context.print(line('The server of the queue answers again.'));
      break;
    case 'refilled':
      context.print(line(`${plural(event.batches, 'batch', 'batches')} taken up from the ledger`));
      break;
    case 'notice':
      context.warn(line(event.message));
      break;
    case 'stopping':
      context.note(`Finishing ${plural(event.batches, 'batch', 'batches')}.`);
      break;
    case 'stopped':
      context.print(line(`stopped after ${plural(event.items, 'document')}`));
      break;
  }
}
