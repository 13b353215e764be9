import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CliContext } from '../context.js';

interface TrustOptions {
  readonly list?: boolean;
  readonly revoke?: boolean;
}

const EXAMPLES = `
Examples:
  $ ragstone trust                 show what the configuration and the index here do beyond the folder, and trust it
  $ ragstone trust ../other        the same for another folder
  $ ragstone trust --list          the folders that are trusted
  $ ragstone trust --revoke        trust this folder no longer`;

/** `ragstone trust [FOLDER]` */
export function registerTrust(program: Command, context: CliContext): void {
  program
    .command('trust')
    .description('trust a folder whose configuration connects to hosts, reaches outside or starts a program')
    .argument('[folder]', 'folder with the configuration (default: the project of this one)')
    .option('--list', 'list the folders that are trusted')
    .option('--revoke', 'take trust back')
    .addHelpText('after', EXAMPLES)
    .action((folder: string | undefined, options: TrustOptions) => runTrust(context, folder, options));
}

async function runTrust(
  context: CliContext,
  named: string | undefined,
  { list = false, revoke = false }: TrustOptions,
): Promise<void> {
  const { listTrust, revokeTrust, trustFolder } = await import('../../../index.js');
  if (list) {
    const folders = listTrust(context.env);
    context.printResult({ folders }, () =>
      folders.length === 0
        ? 'No folder is trusted. Configurations that stay in their folder need no trust.'
        : folders.map(({ folder, trustedAt }) => `${folder}  since ${trustedAt}`).join('\n'),
    );
    return;
  }
  const { findProject } = await import('../../../config/find-project.js');
  const folder = named === undefined ? findProject(context.cwd) : resolve(context.cwd, named);
  const { data } = context.globals;
  const dataDir = data === undefined ? undefined : resolve(context.cwd, data);
  if (revoke) {
    const revoked = await revokeTrust(folder, { dataDir, env: context.env });
    context.printResult({ folder, revoked }, () =>
      revoked ? `${folder} is no longer trusted.` : `${folder} was not trusted.`,
    );
    return;
  }
  const { risks } = await trustFolder(folder, { dataDir, env: context.env });
  context.printResult({ folder, risks }, () =>
    [
      `${folder} is trusted${risks.length === 0 ? '; it stays in its folder and needs no trust.' : ' with what it does now:'}`,
      ...risks.map(({ key, what }) => `- ${key} ${what}`),
    ].join('\n'),
  );
}
