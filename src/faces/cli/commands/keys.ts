import { type Command, InvalidArgumentError } from 'commander';
import { PERMISSIONS } from '../../../config/permissions.js';
import type { ResolvedConfig } from '../../../config/resolved-config.js';
import type { ApiKey, KeyStore } from '../../service/authentication/key-store.js';
import type { Permission } from '../../service/authentication/principal.js';
import { auditedCommand } from '../audited-command.js';
import type { CliContext } from '../context.js';
import { placeOf } from '../open-engine.js';
import { collectOneOf, isoDate } from '../parse-options.js';
import { renderTable } from '../render/table.js';
import { formatTime } from '../render/text.js';
import { type ScopeOptions, withScopeOptions } from '../scope-options.js';

interface CreateOptions extends ScopeOptions {
  readonly name?: string;
  readonly permission?: readonly Permission[];
  readonly expires?: Date;
}

const EXAMPLES = `
Examples:
  $ ragstone keys create --tenant acme --name "web shop"
  $ ragstone keys create --tenant acme --group hr --clearance 2 --permission read
  $ ragstone keys create --tenant acme --expires 90d
  $ ragstone keys list
  $ ragstone keys revoke 3f0c9a417be2d85c

A key is shown once and kept by its hash. It allows to read and write, unless permissions are named; "maintain" is for runs,
status, and why a document is not found; "admin" is over all tenants (see "ragstone deployments --help"), for operators of the service, and "monitor" reads its metrics and nothing else. What is made or revoked here holds at once, also for a service that runs.`;

/** `ragstone keys create|list|revoke` */
export function registerKeys(program: Command, context: CliContext): void {
  const keys = program
    .command('keys')
    .description('keys of those who may call the service ("ragstone serve")')
    .addHelpText('after', EXAMPLES);
  const create = keys
    .command('create')
    .description('make a key and print it, once')
    .option('--name <text>', 'what it is for, for people')
    .option(
      '--permission <name>',
      `what it allows: ${PERMISSIONS.join(', ')}; may be repeated (default: read and write)`,
      collectOneOf(PERMISSIONS),
    );
  create.option(
    '--expires <time>',
    'refuse it from then on: 2027-01-31, or 12h or 90d from now (default: never)',
    parseExpiry,
  );
  withScopeOptions(create)
    .addHelpText('after', EXAMPLES)
    .action((options: CreateOptions) => runCreate(context, options));
  keys
    .command('list')
    .description('list the keys, without what could be used of them')
    .addHelpText('after', EXAMPLES)
    .action(async () => {
      const all = await (await keyStore(await placeOf(context))).list();
      context.printResult({ keys: all }, () => renderKeys(all, context));
    });
  keys
    .command('revoke <id>')
    .description('refuse a key from now on, by its id or by the key itself')
    .addHelpText('after', EXAMPLES)
    .action(async (stated: string) => {
      const place = await placeOf(context);
      const { keyIdOf } = await import('../../service/authentication/key-store.js');
      const id = keyIdOf(stated);
      const revoked = await auditedCommand(
        place,
        { action: ['keys revoke', id].join(' ').trim(), context },
        async () => (await keyStore(place)).revoke(stated),
      );
      context.printResult(
        revoked,
        () => `The key ${revoked.id} of tenant ${revoked.tenant} is refused from now on.`,
      );
    });
}

async function runCreate(
  context: CliContext,
  { tenant = 'default', project, group, clearance, name, permission, expires }: CreateOptions,
): Promise<void> {
  const place = await placeOf(context);
  const created = await auditedCommand(place, { action: 'keys create', tenant, project, context }, async () =>
    (await keyStore(place)).create({
      name,
      tenant,
      project,
      groups: group,
      clearance,
      permissions: permission,
      expiresAt: expires,
    }),
  );
  context.printResult(created, () => created.key);
  context.note(`Key ${created.id} of tenant ${tenant}: ${permissionsOf(created)}. It is not shown again.`);
}

/** A time, or how long from now. */
function parseExpiry(text: string): Date {
  const [, count = '', unit] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  const expiry =
    unit === undefined
      ? isoDate('end')(text)
      : new Date(Date.now() + Number(count) * (unit === 'h' ? HOUR_MS : DAY_MS));
  if (expiry.getTime() <= Date.now()) throw new InvalidArgumentError('It is over already.');
  return expiry;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const permissionsOf = ({ permissions }: ApiKey): string => permissions.join(', ');

async function keyStore(place: ResolvedConfig): Promise<KeyStore> {
  const { KeyStore } = await import('../../service/authentication/key-store.js');
  return new KeyStore(place);
}

/** A table, oldest first. */
const renderKeys = (keys: readonly ApiKey[], context: CliContext): string =>
  keys.length === 0
    ? 'There is no key: the service answers this machine alone, without one.'
    : renderTable(
        ['key', 'for', 'tenant', 'project', 'groups', 'clearance', 'allows', 'made', 'expires', 'revoked'],
        keys.map(
          ({
            id,
            name,
            tenant,
            project,
            groups,
            clearance,
            permissions,
            createdAt,
            expiresAt,
            revokedAt,
          }) => [
            id,
            name ?? '',
            tenant,
            project ?? '',
            groups.join(', '),
            String(clearance),
            permissions.join(', '),
            formatTime(createdAt),
            expiresAt === undefined ? '' : formatTime(expiresAt),
            revokedAt === undefined ? '' : formatTime(revokedAt),
          ],
        ),
        { context, numeric: [5] },
      );
