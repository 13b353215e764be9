import type { Command } from 'commander';
import { auditedCommand } from '../audited-command.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { placeOf, withDeployments } from '../open-engine.js';

const EXAMPLES = `
Examples:
  $ ragstone encryption rotate     encrypt by the first key what another one encrypted

Put the new key first in rag.security.encryption.keys and leave the old one behind it: from then on everything new is encrypted with it. This
command encrypts what is there, takes what is marked out of texts, and erases what was readable before, texts of older revisions too; searches and runs go on meanwhile. Where it is stopped, run it again: it goes on. After it the old key can go. Indexes that
tenants have of their own are done too. Indexes of "ragstone try", which encrypts nothing, are removed.`;

const STILL_NEEDED = 'Other indexes were not looked at, or not completed: keep the older keys.';

/** `ragstone encryption rotate` */
export function registerEncryption(program: Command, context: CliContext): void {
  program
    .command('encryption')
    .description('keys of encrypted metadata ("rag.security.encryption")')
    .addHelpText('after', EXAMPLES)
    .command('rotate')
    .description('encrypt by the first key what another one encrypted')
    .addHelpText('after', EXAMPLES)
    .option('--tenant <name>', 'only the index that this tenant has of its own (default: all indexes)')
    .action(async ({ tenant }: { readonly tenant?: string }) => {
      const call = { action: 'encryption rotate', context };
      const rotated = await auditedCommand(await placeOf(context), call, () =>
        withDeployments(context, (deployments) =>
          deployments.rotateEncryption({ tenantId: tenant, signal: context.signal }),
        ),
      );
      const { documents, rewritten, removedTries = 0, problems } = rotated;
      for (const { tenantId, message } of problems)
        context.warn(tenantId === undefined ? message : `${tenantId}: ${message}`);
      const tries =
        removedTries === 0
          ? ''
          : ` Removed ${removedTries === 1 ? '1 index' : `${removedTries} indexes`} of \`ragstone try\`, in which nothing is encrypted.`;
      const done = `${rewritten} of ${documents} documents were encrypted anew.${tries}`;
      const isAll = tenant === undefined && problems.length === 0;
      context.printResult(
        { ...rotated },
        () => `${done} ${isAll ? 'No document needs another key than the first now.' : STILL_NEEDED}`,
      );
      if (problems.length > 0) context.exitCode = ExitCode.failed;
    });
}
