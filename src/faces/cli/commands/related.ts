import type { Command } from 'commander';
import type { ReferenceKind } from '../../../index.js';
import type { CliContext } from '../context.js';
import { withView } from '../open-engine.js';
import { collectOneOf, wholeNumber } from '../parse-options.js';
import { doneByService } from '../refuse-on-server.js';
import { type ScopeOptions, withScopeOptions } from '../scope-options.js';

const EXAMPLES = `
Examples:
  $ ragstone related PAY-142
  $ ragstone related docs/runbook.md --hops 1
  $ ragstone related PAY-142 --kind relation --kind mention --json

Documents are connected by links, keys and numbers of items, relations of their metadata, imports, symbols of code, commits, people,
components, and entities that a language model found (ragstone graph).`;

// Every command line registers this command: the library, which has the list too, would be loaded for it. A kind that is missing is no type.
const KINDS = Object.keys({
  link: true,
  mention: true,
  relation: true,
  import: true,
  symbol: true,
  commit: true,
  person: true,
  component: true,
  entity: true,
} satisfies Record<ReferenceKind, true>) as readonly ReferenceKind[];

interface RelatedOptions extends ScopeOptions {
  readonly hops?: number;
  readonly limit?: number;
  readonly kind?: readonly ReferenceKind[];
}

/** `ragstone related ITEM` */
export function registerRelated(program: Command, context: CliContext): void {
  const command = program
    .command('related')
    .description('list what is connected with a document or item, and how')
    .argument('<item>', 'id, key, number, address or path of the document')
    .option('--hops <n>', 'steps from the item, 1 to 3 (default: 2)', wholeNumber(1, 3))
    .option('--limit <n>', 'documents, 1 to 100 (default: 20)', wholeNumber(1, 100))
    .option(`--kind <kind>`, `follow only ${KINDS.join(', ')} edges; may be repeated`, collectOneOf(KINDS));
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
  const { renderRelated } = await import('../render/related.js');
  context.printResult(response, renderRelated);
}
