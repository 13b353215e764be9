import type { Command } from 'commander';
import { RAGError } from '../../../core/errors.js';
import type {
  EngineView,
  Filter,
  ForgetReceipt,
  ForgetRequest,
  KnowledgeDeploymentService,
} from '../../../index.js';
import { askYesNo } from '../ask.js';
import { auditedCommand } from '../audited-command.js';
import type { CliContext } from '../context.js';
import { ExitCode, problemOf } from '../errors.js';
import { placeOf, withDeployments, withTenantView } from '../open-engine.js';
import { collect, collectFilter, wholeNumber } from '../parse-options.js';
import { examplesOf, renderReceipt } from '../render/receipt.js';
import { plural } from '../render/text.js';
import { type OwnerOptions, toScope, withOwnerOptions } from '../scope-options.js';

interface ForgetOptions extends OwnerOptions {
  readonly source?: string;
  readonly document?: readonly string[];
  readonly filter?: readonly Filter[];
  readonly allowAgain?: boolean;
  readonly undo?: string;
  readonly resume?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly wait?: number;
}

const EXAMPLES = `
Examples:
  $ ragstone forget --document docs/offer.md          a document, by its path or id
  $ ragstone forget --filter reporter="Jane Roe"      every document with this metadata; asks first
  $ ragstone forget --source old-wiki                 all of a source that is not configured any more
  $ ragstone forget --filter reporter=jroe --dry-run  say what it would be
  $ ragstone forget --undo RECEIPT                    later runs index it again
  $ ragstone verify --receipt RECEIPT                 look for it in everything that is kept

What is named together narrows each other. Nothing of its text, names, metadata and vectors stays in the index, its caches and
its kept generations; the receipt says what was removed where, and what is left to others. The sources are not changed: what they
still list is left out of later runs, unless --allow-again says otherwise.`;

/** `ragstone forget [--source NAME] [--document NAME...] [--filter KEY=VALUE...] | --undo RECEIPT | --resume` */
export function registerForget(program: Command, context: CliContext): void {
  const command = program
    .command('forget')
    .description('delete documents so that nothing of them is kept, with a receipt that can be checked')
    .option('--source <name>', 'documents of this source; alone, all of it')
    .option(
      '--document <name>',
      'a document by its id, its path or the key of its ticket; may be repeated',
      collect,
    )
    .option('--filter <key=value>', 'documents with this metadata; may be repeated', collectFilter)
    .option('--allow-again', 'index again in the next run what the sources still hold')
    .option('--undo <receipt>', 'index again in later runs what this receipt keeps out')
    .option('--resume', 'go on with what was begun and not finished')
    .option('--dry-run', 'say what would be forgotten and write nothing')
    .option('-y, --yes', 'do not ask')
    .option('--wait <seconds>', 'wait this long for another writer to finish', wholeNumber(0));
  withOwnerOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((options: ForgetOptions) => runForget(context, options));
}

async function runForget(context: CliContext, options: ForgetOptions): Promise<void> {
  if (options.resume === true) return resume(context, options);
  if (options.undo !== undefined) return undo(context, options, options.undo);
  const place = await placeOf(context);
  const { tenant, project } = options;
  const request = await requestOf(context, options);
  const receipt = await withDeployments(context, async (service) => {
    await tellOfShared(context, options, { service, request });
    const { view } = await service.of(toScope(options));
    const dry = await view.forget({ ...request, dryRun: true });
    const isNothing = dry.documents === 0 && options.source === undefined;
    // As for a name that names nothing: a filter with a slip in it must not look like a person who is forgotten.
    if (isNothing) context.exitCode = ExitCode.usage;
    if (options.dryRun === true || isNothing || !(await isMeant(context, options, dry))) return dry;
    return auditedCommand(place, { action: 'forget', tenant, project, context }, () => view.forget(request));
  });
  context.printResult(receipt, renderReceipt);
}

/** Documents of configured sources stay in the shared index when their tenant gets one of its own, and are not silently left. */
async function tellOfShared(
  context: CliContext,
  options: ForgetOptions,
  { service, request }: { readonly service: KnowledgeDeploymentService; readonly request: ForgetRequest },
): Promise<void> {
  const scope = toScope(options);
  const { deployment } = await service.of(scope);
  if (deployment.deploymentModel === 'Shared') return;
  const meant = await service.shared
    .as(scope)
    .forget({ ...request, dryRun: true })
    .catch((error: unknown) => {
      if (RAGError.isInstance(error) && ['USAGE', 'INDEX_EMPTY'].includes(error.reason)) return undefined;
      throw error;
    });
  if (meant === undefined || meant.documents === 0) return;
  context.exitCode = ExitCode.failed;
  context.warn(
    `The shared index holds ${plural(meant.documents, 'document')} of tenant ${JSON.stringify(scope.tenant)} that this means too, and they stay. To forget them, move the tenant to Shared (\`ragstone deployments move\`), forget them there, and move it back.`,
  );
}

async function requestOf(context: CliContext, options: ForgetOptions): Promise<ForgetRequest> {
  const { source, document, filter, allowAgain, wait } = options;
  const { userInfo } = await import('node:os');
  return {
    signal: context.signal,
    by: userInfo().username,
    source,
    documents: document,
    ...(filter === undefined ? {} : { filter: { op: 'and', filters: filter } }),
    allowAgain,
    ...(wait === undefined ? {} : { waitMs: wait * 1000 }),
  };
}

/** A filter with a slip in it may mean more than was thought. */
async function isMeant(
  context: CliContext,
  { yes = false }: ForgetOptions,
  dry: ForgetReceipt,
): Promise<boolean> {
  if (yes) return true;
  const what = `${dry.documents} ${dry.documents === 1 ? 'document' : 'documents'} (${examplesOf(dry)})`;
  if (context.canAsk) return askYesNo(context, `Forget ${what} for good?`, { preset: false });
  throw new RAGError('USAGE', `This forgets ${what}; say --yes to do it without being asked.`);
}

/** In the index of the tenant that is named, else in all: one that does not answer holds up none of the others. */
async function resume(context: CliContext, options: ForgetOptions): Promise<void> {
  const problems =
    options.tenant === undefined
      ? await withDeployments(context, (service) => resumeInAll(service, context))
      : await withTenantView(context, options, (view) => view.resumeForgetting());
  context.printResult({ problems }, () =>
    problems.length === 0 ? 'Nothing is unfinished.' : problems.join('\n'),
  );
  if (problems.length > 0) context.exitCode = ExitCode.failed;
}

async function resumeInAll(service: KnowledgeDeploymentService, context: CliContext): Promise<string[]> {
  const problems = [...(await service.shared.resumeForgetting())];
  const all = await service.listDeploymentConfigs({ onDamaged: ({ message }) => problems.push(message) });
  for (const { tenantId, model, isActive } of all) {
    if (model === 'Shared') continue;
    if (!isActive) {
      context.warn(`The deployment of tenant "${tenantId}" is not active, and its index was not looked at.`);
      continue;
    }
    try {
      const { view } = await service.of({ tenant: tenantId });
      problems.push(...(await view.resumeForgetting()));
    } catch (error) {
      problems.push(`${tenantId}: ${problemOf(error)}`);
    }
  }
  return problems;
}

async function undo(context: CliContext, options: ForgetOptions, receipt: string): Promise<void> {
  const place = await placeOf(context);
  const { tenant, project } = options;
  const count = await withTenantView(context, options, (view: EngineView) =>
    auditedCommand(place, { action: 'forget --undo', tenant, project, context }, () => view.letIn(receipt)),
  );
  context.printResult({ receipt, names: count }, () =>
    count === 0
      ? 'Nothing was kept out by this receipt.'
      : `What this receipt keeps out is let in again; \`${context.command} index\` indexes what the sources hold of it.`,
  );
}
