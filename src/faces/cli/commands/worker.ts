import type { Command } from 'commander';
import type { Engine, WorkerEvent } from '../../../index.js';
import type { CliContext } from '../context.js';
import { withEngine } from '../open-engine.js';
import { wholeNumber } from '../parse-options.js';

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
      const { showWorker } = await import('../render/worker-events.js');
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
