import type { Command } from 'commander';
import type { Rollout, RolloutReport } from '../../../index.js';
import type { CliContext } from '../context.js';
import { withTenantView } from '../open-engine.js';
import { renderTable } from '../render/table.js';
import { formatCount, formatTime, oneLine } from '../render/text.js';
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

interface ShownRollout extends RolloutReport {
  readonly sides: readonly ({ readonly id: string } & ReturnType<Rollout['decide']>)[];
}

const WHY = {
  flag: 'as before: rag_enrichment is false',
  percentage: 'as before: not of the percentage',
  shadow: 'as before, and compared in shadow',
  disabled: 'as before: rag.enabled is false',
  fallback: 'as before: the index failed',
} as const;

/** What the configuration says, items by how they were answered, the comparison, and the sides of items. */
function renderRollout(shown: ShownRollout, context: CliContext): string {
  return [settingsOf(shown), countsOf(shown, context), comparisonOf(shown), sidesOf(shown, context)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function settingsOf({ settings, since }: ShownRollout): string {
  if (settings === undefined && since !== undefined)
    return 'The configuration of this command has no rag.rollout: what was counted is of a program with settings of its own, or of earlier.';
  if (settings === undefined)
    return 'The configuration has no rag.rollout: every item is enriched from the index, and none is counted.';
  const { rag_enrichment, rolloutPercentage, shadow } = settings;
  if (!rag_enrichment) return 'rag.rollout.rag_enrichment is false: no item is enriched from the index.';
  return shadow
    ? `${rolloutPercentage} % of the items are done both ways, to compare; all are answered as before there was an index.`
    : `${rolloutPercentage} % of the items are enriched from the index.`;
}

function countsOf({ items, since, until }: ShownRollout, context: CliContext): string {
  if (since === undefined || until === undefined) return 'No item was counted yet.';
  const rows = [
    ['from the index', items.rag],
    ...Object.entries(WHY).map(([reason, words]) => [words, items.legacy[reason as keyof typeof WHY]]),
  ] as const;
  const told = rows
    .filter(([, count]) => Number(count) > 0)
    .map(([words, count]) => [String(words), formatCount(Number(count))]);
  return [
    `Items from ${formatTime(since)} to ${formatTime(until)}:`,
    renderTable(['enriched', 'items'], told, { context, numeric: [1] }),
  ].join('\n');
}

function comparisonOf({ shadow }: ShownRollout): string {
  const { compared, agreed, failed, found, tookMs } = shadow;
  if (compared + failed === 0) return '';
  const lines = [
    `Compared: ${formatCount(compared)} items, ${formatCount(agreed)} with the same found both ways; the index failed for ${formatCount(failed)}.`,
  ];
  if (compared > 0)
    lines.push(
      `Found as before ${formatCount(found.legacy)}, from the index ${formatCount(found.rag)}, by both ${formatCount(found.both)}.`,
      `Time of an item as before ${tookMs.legacy.mean} ms (at most ${tookMs.legacy.most}), from the index ${tookMs.rag.mean} ms (at most ${tookMs.rag.most}).`,
    );
  return lines.join('\n');
}

const sidesOf = ({ sides }: ShownRollout, context: CliContext): string =>
  sides.length === 0
    ? ''
    : renderTable(
        ['item', 'side', 'rolled out above'],
        sides.map((one) => [
          oneLine(one.id),
          one.side === 'rag' ? 'from the index' : WHY[one.reason],
          `${one.position.toFixed(2)} %`,
        ]),
        { context, numeric: [2] },
      );
