import type { Command } from 'commander';
import type { FindingKind } from '../../../index.js';
import { FIELDS } from '../../../operations/fields.js';
import type { CliContext } from '../context.js';
import { choicesOption, countOption } from '../field-options.js';
import { withView } from '../open-engine.js';
import { doneByService } from '../refuse-on-server.js';
import { type ScopeOptions, withScopeOptions } from '../scope-options.js';

const EXAMPLES = `
Examples:
  $ ragstone conflicts
  $ ragstone conflicts --kind conflict --limit 20
  $ ragstone conflicts --kind duplicate --json

A conflict is a pair of statements of two documents that agree but for a number, date, version, name, or "not". The newer document stands first.`;

interface ConflictsOptions extends ScopeOptions {
  readonly limit?: number;
  readonly kind?: readonly FindingKind[];
}

/** `ragstone conflicts` */
export function registerConflicts(program: Command, context: CliContext): void {
  const { kinds, limit } = FIELDS.conflicts;
  const command = program
    .command('conflicts')
    .description('list what several documents say alike, and where they contradict each other')
    .addOption(choicesOption('--kind <kind>', 'kinds of findings', kinds))
    .addOption(countOption('--limit <n>', 'findings of each kind', limit));
  doneByService(command, ['kind', 'limit', 'tenant']);
  withScopeOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((options: ConflictsOptions) => runConflicts(context, options));
}

async function runConflicts(context: CliContext, { limit, kind, ...scope }: ConflictsOptions): Promise<void> {
  const request = { limit, kinds: kind, signal: context.signal };
  const response = await withView(context, scope, (view) => view.conflicts(request));
  context.printNotices(response);
  const { renderConflicts } = await import('../render/conflicts.js');
  context.printResult(response, renderConflicts);
}
