import type { Command } from 'commander';
import { auditedCommand } from '../audited-command.js';
import type { CliContext } from '../context.js';
import { placeOf, withEngine } from '../open-engine.js';

const EXAMPLES = `
Examples:
  $ ragstone encryption rotate     encrypt by the first key what another one encrypted

Put the new key first in rag.security.encryption.keys and leave the old one behind it: from then on everything new is encrypted with it. This
command encrypts what is there; searches and runs go on meanwhile. Where it is stopped, run it again: it goes on. After it the old key can go.`;

/** `ragstone encryption rotate` */
export function registerEncryption(program: Command, context: CliContext): void {
  program
    .command('encryption')
    .description('keys of encrypted metadata ("rag.security.encryption")')
    .addHelpText('after', EXAMPLES)
    .command('rotate')
    .description('encrypt by the first key what another one encrypted')
    .addHelpText('after', EXAMPLES)
    .action(async () => {
      const call = { action: 'encryption rotate', context };
      const rotated = await auditedCommand(await placeOf(context), call, () =>
        withEngine(context, (engine) => engine.rotateEncryption()),
      );
      context.printResult(
        rotated,
        () =>
          `${rotated.rewritten} of ${rotated.documents} documents were encrypted anew. No document needs another key than the first now.`,
      );
    });
}
