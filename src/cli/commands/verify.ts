import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { withEngineView } from '../open-engine.js';
import { type OwnerOptions, withOwnerOptions } from '../scope-options.js';

const EXAMPLES = `
Examples:
  $ ragstone verify            compare sources, ledger and store; exit code 1 where they differ
  $ ragstone verify --repair   and mend what differs`;

/** `ragstone verify [--repair]` */
export function registerVerify(program: Command, context: CliContext): void {
  const command = program
    .command('verify')
    .description('compare the index with its sources, chunk by chunk')
    .option('--repair', 'mend what differs');
  withOwnerOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async ({ repair = false, ...options }: OwnerOptions & { readonly repair?: boolean }) => {
      const { signal } = context;
      const result = await withEngineView(context, options, (view) => view.verify({ repair, signal }));
      const { renderVerifyResult } = await import('../render/verify-result.js');
      context.printResult(result, () => renderVerifyResult(result, context));
      if (!result.ok) context.exitCode = ExitCode.failed;
    });
}
