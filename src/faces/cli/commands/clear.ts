import type { Command } from 'commander';
import { RAGError } from '../../../core/errors.js';
import { askYesNo } from '../ask.js';
import type { CliContext } from '../context.js';
import { dataDirOf, withEngine } from '../open-engine.js';

const EXAMPLES = `
Examples:
  $ ragstone clear         asks first
  $ ragstone clear --yes`;

/** `ragstone clear` */
export function registerClear(program: Command, context: CliContext): void {
  program
    .command('clear')
    .description('delete the index (not the sources, the cache of vectors, feedback, nor receipts)')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', EXAMPLES)
    .action(async ({ yes = false }: { yes?: boolean }) => {
      if (!yes && !(await confirm(context))) {
        context.printResult({ cleared: false }, () => 'Nothing was deleted.');
        return;
      }
      await withEngine(context, (engine) => engine.clear());
      context.printResult(
        { cleared: true },
        () =>
          'The index is deleted. The cache of vectors, feedback and receipts are kept; remove the data folder to be rid of all of it.',
      );
    });
}

async function confirm(context: CliContext): Promise<boolean> {
  if (context.canAsk)
    return askYesNo(context, `Delete the whole index in ${await dataDirOf(context)}?`, { preset: false });
  throw new RAGError('USAGE', 'This deletes the whole index; say --yes to do it without being asked.');
}
