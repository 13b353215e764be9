import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { withView } from '../open-engine.js';
import { type OwnerOptions, withOwnerOptions } from '../scope-options.js';

const EXAMPLES = `
Examples:
  $ ragstone status
  $ ragstone status --json`;

/** `ragstone status` */
export function registerStatus(program: Command, context: CliContext): void {
  const command = program.command('status').description('what is indexed, how large it is, and what failed');
  withOwnerOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (options: OwnerOptions) => {
      const status = await withView(context, options, (view) => view.status());
      const { renderStatus } = await import('../render/status.js');
      if (!context.isJson) for (const notice of status.notices) context.warn(notice);
      context.printResult(status, () => renderStatus(status, context));
    });
}
