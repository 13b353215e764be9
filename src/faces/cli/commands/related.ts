import type { Command } from 'commander';
import type { ReferenceKind } from '../../../index.js';
import { FIELDS } from '../../../operations/fields.js';
import type { CliContext } from '../context.js';
import { choicesOption, countOption } from '../field-options.js';
import { withView } from '../open-engine.js';
import { doneByService } from '../refuse-on-server.js';
import { renderRelated } from '../render/related.js';
import { type ScopeOptions, withScopeOptions } from '../scope-options.js';

const EXAMPLES = `
Examples:
  $ ragstone related PAY-142
  $ ragstone related docs/runbook.md --hops 1
  $ ragstone related PAY-142 --kind relation --kind mention --json

Documents are connected by links, keys and numbers of items, relations of their metadata, imports, symbols of code, commits, people,
components, and entities that a language model found (ragstone graph).`;

interface RelatedOptions extends ScopeOptions {
  readonly hops?: number;
  readonly limit?: number;
  readonly kind?: readonly ReferenceKind[];
}

/** `ragstone related ITEM` */
export function registerRelated(program: Command, context: CliContext): void {
  const { hops, limit, kinds } = FIELDS.related;
  const command = program
    .command('related')
    .description('list what is connected with a document or item, and how')
    .argument('<item>', 'id, key, number, address or path of the document')
    .addOption(countOption('--hops <n>', 'steps from the item', hops))
    .addOption(countOption('--limit <n>', 'documents', limit))
    .addOption(choicesOption('--kind <kind>', 'kinds of edges that are followed', kinds));
  doneByService(command, ['hops', 'limit', 'kind', 'tenant']);
  withScopeOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((item: string, options: RelatedOptions) => runRelated(context, item, options));
}

async function runRelated(
  context: CliContext,
  item: string,
  { hops, limit, kind, ...scope }: RelatedOptions,
): Promise<void> {
  const request = { item, hops, limit, kinds: kind, signal: context.signal };
  const response = await withView(context, scope, (view) => view.related(request));
  context.printNotices(response);
  context.printResult(response, renderRelated);
}
