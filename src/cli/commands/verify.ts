import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { withEngine } from '../open-engine.js';

const EXAMPLES = `
Examples:
  $ ragstone verify            compare sources, ledger and store; exit code 1 where they differ
  $ ragstone verify --repair   and mend what differs`;

/** `ragstone verify [--repair]` */
export function registerVerify(program: Command, context: CliContext): void {
  program
    .command('verify')
    .description('compare the index with its sources, chunk by chunk')
    .option('--repair', 'mend what differs')
    .addHelpText('after', EXAMPLES)
    .action(async ({ repair = false }: { repair?: boolean }) => {
      const result = await withEngine(context, (engine) => engine.verify({ repair, signal: context.signal }));
      const { renderVerifyResult } = await import('../render/verify-result.js');
      context.printResult(result, () => renderVerifyResult(result, context));
      if (!result.ok) context.exitCode = ExitCode.failed;
    });
}
