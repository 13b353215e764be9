import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { withTenantView } from '../open-engine.js';
import { type OwnerOptions, withOwnerOptions } from '../scope-options.js';

const EXAMPLES = `
Examples:
  $ ragstone rollout                 how many items were enriched from the index, and how the two ways compare
  $ ragstone rollout PBI-9 PBI-10    and on which side these items are
  $ ragstone rollout clear           count from now on, after a change`;

/** `ragstone rollout [show [ITEM...] | clear]` */
export function registerRollout(program: Command, context: CliContext): void {
  const command = program
    .command('rollout')
    .description(
      'which items of a backlog pipeline are enriched from the index (rag.rollout), and what that did',
    )
    .addHelpText('after', EXAMPLES);
  withOwnerOptions(
    command
      .command('show', { isDefault: true })
      .description('show what was counted')
      .argument('[items...]', 'ids of items: on which side each is'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (ids: string[], options: OwnerOptions) => {
      const shown = await withTenantView(context, options, async (view) => {
        const rollout = await view.rollout();
        return { ...rollout.report(), sides: ids.map((id) => ({ id, ...rollout.decide(id) })) };
      });
      const { renderRollout } = await import('../render/rollout.js');
      context.printResult(shown, renderRollout);
    });
  withOwnerOptions(command.command('clear').description('forget what was counted, and count from now on'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: OwnerOptions) => {
      await withTenantView(context, options, async (view) => (await view.rollout()).clear());
      context.printResult(
        { cleared: true },
        () => 'Items are counted from now on. None has changed its side.',
      );
    });
}
