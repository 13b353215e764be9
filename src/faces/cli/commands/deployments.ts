import type { Command } from 'commander';
import type {
  DamagedDeployment,
  KnowledgeDeploymentConfig,
  KnowledgeDeploymentInput,
} from '../../../index.js';
import { auditedCommand } from '../audited-command.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { choiceOption } from '../field-options.js';
import { placeOf, withDeployments } from '../open-engine.js';
import { renderTable } from '../render/table.js';
import { formatTime } from '../render/text.js';

interface DeploymentOptions {
  readonly model: KnowledgeDeploymentInput['model'];
  readonly provider?: string;
  readonly endpoint?: string;
  readonly indexName?: string;
  readonly username?: string;
  readonly secret?: string;
  readonly inactive?: boolean;
}

const MODELS: readonly KnowledgeDeploymentInput['model'][] = ['Shared', 'Dedicated', 'CustomerOwned'];

const EXAMPLES = `
Examples:
  $ ragstone deployments list
  $ ragstone deployments show acme
  $ ragstone deployments save acme --model Dedicated
  $ ragstone deployments validate globex --model CustomerOwned --endpoint postgres://db.globex.example/rag --index-name knowledge
  $ ragstone deployments move acme --model Dedicated

A tenant that nobody configured has the shared index. "save" is for a tenant without documents; one with documents is moved, also while
"ragstone serve" runs. A secret is named, never stated: keyvault:VAULT/NAME, env:NAME or file:PATH.`;

/** `ragstone deployments list|show|save|validate|move` */
export function registerDeployments(program: Command, context: CliContext): void {
  const deployments = program
    .command('deployments')
    .description(
      'where the documents of each tenant are: shared, in an index of its own, or in a store of the customer',
    )
    .addHelpText('after', EXAMPLES);
  deployments
    .command('list')
    .description('list the deployments that were configured')
    .addHelpText('after', EXAMPLES)
    .action(() =>
      withDeployments(context, async (service) => {
        const damaged: DamagedDeployment[] = [];
        const all = await service.listDeploymentConfigs({ onDamaged: (one) => damaged.push(one) });
        for (const { message } of damaged) context.warn(message);
        const result = { deployments: all, ...(damaged.length === 0 ? {} : { damaged }) };
        context.printResult(result, () => renderDeployments(all, context));
        if (damaged.length > 0) context.exitCode = ExitCode.failed;
      }),
    );
  deployments
    .command('show <tenant>')
    .description('show the deployment of a tenant')
    .addHelpText('after', EXAMPLES)
    .action((tenantId: string) =>
      withDeployments(context, async (service) => {
        const one = await service.getDeploymentConfig(tenantId);
        context.printResult({ ...one }, () => renderDeployments([one], context));
      }),
    );
  withDeploymentOptions(
    deployments.command('save <tenant>').description('keep the deployment of a tenant without documents'),
  ).action((tenantId: string, options: DeploymentOptions) =>
    withDeployments(context, async (service) => {
      const saved = await logged('save', inputOf(tenantId, options), context, (input) =>
        service.saveDeploymentConfig(input),
      );
      context.printResult({ ...saved }, () => renderDeployments([saved], context));
    }),
  );
  withDeploymentOptions(
    deployments
      .command('validate <tenant>')
      .description('say whether a store that a customer provides can be used'),
  ).action((tenantId: string, options: DeploymentOptions) =>
    withDeployments(context, async (service) => {
      const result = await logged('validate', inputOf(tenantId, options), context, (input) =>
        service.validateCustomerOwnedDeployment(input),
      );
      context.printResult({ ...result }, () =>
        result.checks
          .map(({ check, isValid, message }) => `${isValid ? 'ok    ' : 'failed'}  ${check}: ${message}`)
          .join('\n'),
      );
      if (!result.isValid) context.exitCode = ExitCode.failed;
    }),
  );
  withDeploymentOptions(
    deployments
      .command('move <tenant>')
      .description('move a tenant with its documents, also while it is served'),
  ).action((tenantId: string, options: DeploymentOptions) =>
    withDeployments(context, async (service) => {
      const report = await logged('move', inputOf(tenantId, options), context, (input) =>
        service.moveTenant(input, context.signal),
      );
      context.printResult(
        { ...report },
        () => `Tenant ${tenantId} is moved to ${report.model}: ${report.copied} documents copied.`,
      );
      for (const [source, count] of Object.entries(report.left))
        context.note(
          `${count} documents of the source "${source}" stay in the shared index, and the tenant finds them no longer.`,
        );
    }),
  );
}

/** Who names servers and secrets is logged, as over HTTP. */
async function logged<Outcome>(
  command: string,
  input: KnowledgeDeploymentInput,
  context: CliContext,
  work: (input: KnowledgeDeploymentInput) => Promise<Outcome>,
): Promise<Outcome> {
  const { auditedDeployment } = await import('../../../operations/audit/audited-deployment.js');
  const call = {
    action: `deployments ${command}`,
    deployment: auditedDeployment(input.tenantId, input),
    context,
  };
  return auditedCommand(await placeOf(context), call, () => work(input));
}

const withDeploymentOptions = (command: Command): Command =>
  command
    .addOption(choiceOption('--model <model>', 'which deployment', MODELS).makeOptionMandatory())
    .option('--provider <store>', 'CustomerOwned: kind of the store (default: by the endpoint)')
    .option('--endpoint <address>', "CustomerOwned: address of the customer's server, without a password")
    .option('--index-name <name>', "CustomerOwned: name of the customer's index")
    .option('--username <name>', 'CustomerOwned: user of the server, where it has users')
    .option(
      '--secret <reference>',
      'CustomerOwned: where the key or password is: keyvault:VAULT/NAME, env:NAME, file:PATH',
    )
    .option('--inactive', 'keep it, but serve nobody')
    .addHelpText('after', EXAMPLES);

const inputOf = (
  tenantId: string,
  { model, provider, endpoint, indexName, username, secret, inactive = false }: DeploymentOptions,
): KnowledgeDeploymentInput => ({
  tenantId,
  model,
  isActive: !inactive,
  provider,
  searchEndpoint: endpoint,
  indexName,
  username,
  apiKeySecretName: secret,
});

/** Deployments that were configured, in a table. */
const renderDeployments = (all: readonly KnowledgeDeploymentConfig[], context: CliContext): string =>
  all.length === 0
    ? 'No deployment was configured: every tenant has the shared index.'
    : renderTable(
        ['tenant', 'model', 'index', 'at', 'active', 'moving', 'changed'],
        all.map(({ tenantId, model, indexName, searchEndpoint, isActive, move, updatedAt }) => [
          tenantId,
          model,
          indexName ?? '',
          searchEndpoint ?? '',
          isActive ? 'yes' : 'no',
          move === undefined ? '' : `${move.stage} ${move.model}`,
          updatedAt === undefined ? '' : formatTime(updatedAt),
        ]),
        { context },
      );
