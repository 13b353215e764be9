import { type Command, Option } from 'commander';
import type { DamagedDeployment, ReceiptCheck, VerifyRequest, VerifyResult } from '../../../index.js';
import type { CliContext } from '../context.js';
import { ExitCode, problemOf } from '../errors.js';
import { withDeployments, withTenantView } from '../open-engine.js';
import { displayPath } from '../render/place.js';
import { renderReceiptCheck } from '../render/receipt.js';
import { renderTable } from '../render/table.js';
import { oneLine, plural } from '../render/text.js';
import { type OwnerOptions, withOwnerOptions } from '../scope-options.js';

const EXAMPLES = `
Examples:
  $ ragstone verify            compare sources, ledger and store; exit code 1 where they differ
  $ ragstone verify --repair   and mend what differs
  $ ragstone verify --no-sources   the index alone: ledger and store
  $ ragstone verify --tenant acme   the documents of one tenant, in the index that it has
  $ ragstone verify --deployments   every index that a tenant has of its own
  $ ragstone verify --receipt RECEIPT   look for what "ragstone forget" removed; exit code 1 where it is found`;

interface VerifyOptions extends OwnerOptions {
  readonly repair?: boolean;
  readonly deployments?: boolean;
  readonly receipt?: string;
  readonly sources: boolean;
}

/** `ragstone verify [--repair | --receipt RECEIPT] [--deployments]` */
export function registerVerify(program: Command, context: CliContext): void {
  const command = program
    .command('verify')
    .description('compare the index with its sources, chunk by chunk')
    .option('--repair', 'mend what differs')
    .addOption(
      new Option(
        '--no-sources',
        'look at the index alone, where its sources are out of reach: a restored backup, another host',
      ).conflicts(['repair', 'receipt']),
    )
    .addOption(
      new Option(
        '--receipt <id-or-file>',
        'look in everything that is kept for what this receipt of "forget" names',
      ).conflicts('repair'),
    );
  withOwnerOptions(command)
    .addHelpText('after', EXAMPLES)
    .addOption(
      new Option('--deployments', 'the indexes that tenants have of their own').conflicts([
        'tenant',
        'project',
        'receipt',
      ]),
    )
    .action(async ({ repair = false, deployments = false, receipt, sources, ...options }: VerifyOptions) => {
      const { signal } = context;
      if (deployments) return verifyDeployments({ repair, sources }, context);
      if (receipt !== undefined) {
        const check = await withTenantView(context, options, (view) => view.checkReceipt(receipt));
        return showReceiptCheck(check, context);
      }
      const result = await withTenantView(context, options, (view) =>
        view.verify({ repair, sources, signal }),
      );
      context.printResult(result, () => renderVerifyResult(result, { context, withSources: sources }));
      if (!result.ok) context.exitCode = ExitCode.failed;
    });
}

/** One that cannot be looked at keeps none of the others from being looked at. */
async function verifyDeployments(
  request: Pick<VerifyRequest, 'repair' | 'sources'>,
  context: CliContext,
): Promise<void> {
  const { signal } = context;
  await withDeployments(context, async (service) => {
    const damaged: DamagedDeployment[] = [];
    const all = await service.listDeploymentConfigs({ onDamaged: (one) => damaged.push(one) });
    const deployments: VerifiedDeployment[] = damaged.map(({ deploymentId, message }) => ({
      ...{ deploymentId, ok: false, problem: message },
    }));
    for (const { tenantId, deploymentId, model, isActive } of all) {
      if (model === 'Shared') continue;
      const facts = { deploymentId, tenantId, model };
      if (!isActive) {
        deployments.push({ ...facts, ok: true, problem: 'It is not active, and was not looked at.' });
        continue;
      }
      try {
        const { view } = await service.of({ tenant: tenantId });
        deployments.push({ ...facts, ...(await view.verify({ ...request, signal })) });
      } catch (error) {
        signal.throwIfAborted();
        deployments.push({ ...facts, ok: false, problem: problemOf(error) });
      }
    }
    const ok = deployments.every((one) => one.ok);
    context.printResult({ ok, deployments }, () =>
      deployments.length === 0
        ? 'No tenant has an index of its own.'
        : deployments
            .map((one) => {
              const { tenantId = `deployment ${one.deploymentId}`, problem, drift = [], repaired = 0 } = one;
              const told =
                problem ??
                renderVerifyResult(
                  { ok: one.ok, drift, repaired },
                  { context, withSources: request.sources ?? true },
                );
              return `${tenantId}: ${told}`;
            })
            .join('\n'),
    );
    if (!ok) context.exitCode = ExitCode.failed;
  });
}

interface VerifiedDeployment extends Partial<VerifyResult> {
  readonly deploymentId: string;
  readonly tenantId?: string;
  readonly model?: string;
  readonly ok: boolean;
  /** Why it was not looked at. */
  readonly problem?: string;
}

async function showReceiptCheck(check: ReceiptCheck, context: CliContext): Promise<void> {
  context.printResult(check, renderReceiptCheck);
  if (!check.clean) context.exitCode = ExitCode.failed;
}

const MAX_ROWS = 50;

/** Each difference between sources, ledger and store, and what was mended. */
function renderVerifyResult(
  { ok, drift, repaired }: VerifyResult,
  { context, withSources }: { readonly context: CliContext; readonly withSources: boolean },
): string {
  const mended = repaired > 0 ? `Mended ${plural(repaired, 'difference')}. ` : '';
  if (ok && drift.length === 0)
    return `${mended}${withSources ? 'Sources, ledger' : 'Ledger'} and store agree.`;
  const rows = drift
    .slice(0, MAX_ROWS)
    .map(({ kind, source, path, detail }) => [
      kind,
      oneLine(path === undefined ? source : displayPath(context, path)),
      oneLine(detail),
    ]);
  const table = renderTable(['kind', 'source', 'detail'], rows, { context });
  const more = drift.length > MAX_ROWS ? `\nand ${drift.length - MAX_ROWS} more; --json lists all` : '';
  const next = ok ? '' : nextSteps(drift, context);
  return `${table}${more}\n\n${mended}${plural(drift.length, 'difference')} found.${next}`;
}

function nextSteps(drift: VerifyResult['drift'], { command }: CliContext): string {
  const readable = drift.filter(({ kind }) => kind === 'field-readable').length;
  const rotate = ` "${command} index", then "${command} encryption rotate" encrypt what is readable.`;
  const repair = ` "${command} verify --repair" mends what can be mended.`;
  return (readable > 0 ? rotate : '') + (readable < drift.length ? repair : '');
}
