import type { Command } from 'commander';
import type { Engine, WorkerEvent } from '../../../index.js';
import type { CliContext } from '../context.js';
import { withEngine } from '../open-engine.js';
import { wholeNumber } from '../parse-options.js';
import { formatCount, formatDuration, oneLine, plural } from '../render/text.js';

const EXAMPLES = `
Examples:
  $ ragstone worker                    index what "ragstone sync" lists, on this host, one batch at a time
  $ ragstone worker --concurrency 4    four batches at once: where most of the time is spent waiting for hosted models
  $ ragstone worker --json             each event as a line of JSON, for a service manager

Any number of hosts do this at once, with the same configuration: a shared ledger (rag.ledger), a store on a server, and a
queue (rag.queue). "ragstone sync" lists the sources, "ragstone status" tells what is left.

Ctrl-C or SIGTERM finishes what is under way, gives back what takes longer than 20 seconds, and ends with 0. A worker that is
killed leaves its batches to the others. Redis may lose everything: the ledger knows what is to be done.`;

/** `ragstone worker` */
export function registerWorker(program: Command, context: CliContext): void {
  program
    .command('worker')
    .description('index what "ragstone sync" lists, beside workers on other hosts')
    .option(
      '--concurrency <n>',
      'batches of documents at once; more processes use more cores',
      wholeNumber(1),
      1,
    )
    .addHelpText('after', EXAMPLES)
    .action(async ({ concurrency }: { readonly concurrency: number }) => {
      const doBatches = async (engine: Engine): Promise<void> => {
        const { startWorkers } = await import('../../../index.js');
        const onEvent: (event: WorkerEvent) => void = showWorker(context);
        const workers = startWorkers(engine, { concurrency, onEvent });
        const asked = new Promise<void>((resolve) => {
          if (context.signal.aborted) resolve();
          else context.signal.addEventListener('abort', () => resolve(), { once: true });
        });
        // What it has is finished or given back, however long that takes.
        context.isFinishing = true;
        await Promise.race([asked, workers.ended]);
        await workers.stop();
        await workers.ended;
      };
      // There may be several on one host.
      await withEngine(context, doBatches, { monitoring: { name: undefined } });
      // It was told to stop, and did.
      context.isStopExpected = true;
    });
}

/** With `--json` each event is a line; else a line for how far it is, and for what a person should know. */
function showWorker(context: CliContext): (event: WorkerEvent) => void {
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
