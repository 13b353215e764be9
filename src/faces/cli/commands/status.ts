import { type Command, Option } from 'commander';
import type { DeploymentHealth, KnowledgeDeploymentService } from '../../../index.js';
import type { CliContext } from '../context.js';
import { ExitCode, problemOf } from '../errors.js';
import { withDeployments, withView } from '../open-engine.js';
import { doneByService } from '../refuse-on-server.js';
import { formatCount, oneLine } from '../render/text.js';
import { type OwnerOptions, withOwnerOptions } from '../scope-options.js';

const EXAMPLES = `
Examples:
  $ ragstone status
  $ ragstone status --tenant acme   the index that this tenant has
  $ ragstone status --deployments   every index that a tenant has of its own, and whether it answers
  $ ragstone status --json`;

/** `ragstone status [--deployments]` */
export function registerStatus(program: Command, context: CliContext): void {
  const command = program.command('status').description('what is indexed, how large it is, and what failed');
  doneByService(command, ['tenant']);
  withOwnerOptions(command)
    .addHelpText('after', EXAMPLES)
    .addOption(
      new Option('--deployments', 'the indexes that tenants have of their own').conflicts([
        'tenant',
        'project',
      ]),
    )
    .action(
      async ({ deployments = false, ...options }: OwnerOptions & { readonly deployments?: boolean }) => {
        if (deployments) return showDeployments(context);
        const status = await withView(context, options, (view) => view.status());
        const { renderStatus } = await import('../render/status.js');
        context.printNotices(status);
        context.printResult(status, renderStatus);
      },
    );
}

/** What an index holds; that it cannot be told is a state too. */
async function countsOf(
  tenant: string,
  service: KnowledgeDeploymentService,
): Promise<Pick<DeploymentCounts, 'documents' | 'chunks'> | Pick<DeploymentHealth, 'ok' | 'detail'>> {
  try {
    const { documents, chunks } = await (await service.of({ tenant })).view.status();
    return { documents, chunks };
  } catch (error) {
    return { ok: false, detail: problemOf(error) };
  }
}

interface DeploymentCounts extends DeploymentHealth {
  readonly documents?: number;
  readonly chunks?: number;
}

async function showDeployments(context: CliContext): Promise<void> {
  await withDeployments(context, async (service) => {
    const deployments: DeploymentCounts[] = [];
    for (const health of await service.deploymentHealth()) {
      const { tenantId, ok } = health;
      const active = tenantId !== undefined && ok && (await service.getDeploymentConfig(tenantId)).isActive;
      deployments.push(active ? { ...health, ...(await countsOf(tenantId, service)) } : health);
    }
    const ok = deployments.every((one) => one.ok);
    const { renderTable } = await import('../render/table.js');
    context.printResult({ ok, deployments }, () =>
      deployments.length === 0
        ? 'No tenant has an index of its own.'
        : renderTable(
            ['tenant', 'model', 'documents', 'chunks', 'state'],
            deployments.map(({ tenantId, deploymentId, model, documents, chunks, detail, ...one }) => [
              tenantId ?? deploymentId,
              model ?? '',
              documents === undefined ? '' : formatCount(documents),
              chunks === undefined ? '' : formatCount(chunks),
              one.ok ? oneLine(detail) : `broken: ${oneLine(detail)}`,
            ]),
            { context },
          ),
    );
    if (!ok) context.exitCode = ExitCode.failed;
  });
}
