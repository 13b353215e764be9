import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { withEngine } from '../open-engine.js';

const EXAMPLES = `
Examples:
  $ ragstone status
  $ ragstone status --json`;

/** `ragstone status` */
export function registerStatus(program: Command, context: CliContext): void {
  program
    .command('status')
    .description('what is indexed, how large it is, and what failed')
    .addHelpText('after', EXAMPLES)
    .action(async () => {
      const status = await withEngine(context, (engine) => engine.status());
      const { renderStatus } = await import('../render/status.js');
      if (!context.isJson) for (const notice of status.notices) context.warn(notice);
      context.printResult(status, () => renderStatus(status, context));
    });
}
