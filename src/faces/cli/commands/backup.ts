import type { Command } from 'commander';
import { auditedCommand } from '../audited-command.js';
import type { CliContext } from '../context.js';
import { placeOf } from '../open-engine.js';
import { wholeNumber } from '../parse-options.js';
import { startCounter } from '../render/progress.js';
import { formatBytes, formatDuration, formatTime, plural } from '../render/text.js';

const BACKUP_EXAMPLES = `
Examples:
  $ ragstone backup /backups/monday.tar.gz
  $ ragstone backup /backups/monday.tar.gz --json    for a scheduler
  $ ragstone restore /backups/monday.tar.gz          into an empty data folder, here or elsewhere

Searches go on; a run that writes the index waits between two batches while files are copied. The file holds all that the data folder does, keys
(by their hashes) and the audit log too: keep it as you keep the index.`;

const RESTORE_EXAMPLES = `
Examples:
  $ ragstone restore /backups/monday.tar.gz
  $ ragstone --data /srv/rag restore /backups/monday.tar.gz
  $ ragstone verify --no-sources                            whether what was restored is whole

Nothing is overwritten: the data folder must be empty. Every file is checked before any is put in place.`;

/** `ragstone backup FILE`, `ragstone restore FILE` */
export function registerBackup(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('pack the index and all that belongs to it into one file')
    .argument('<file>', 'the archive to make; a name that ends with .tar is not compressed')
    .option('--wait <seconds>', 'wait so long for a writer that makes no room (default: 600)', wholeNumber(0))
    .addHelpText('after', BACKUP_EXAMPLES)
    .action((file: string, options: { readonly wait?: number }) => runBackup(context, file, options));
  program
    .command('restore')
    .description('put what "ragstone backup" packed in place')
    .argument('<file>', 'the archive')
    .addHelpText('after', RESTORE_EXAMPLES)
    .action((file: string) => runRestore(context, file));
}

async function runBackup(
  context: CliContext,
  file: string,
  { wait }: { readonly wait?: number },
): Promise<void> {
  const { backUp } = await import('../../../index.js');
  const progress = startCounter(context);
  const result = await auditedCommand(await placeOf(context), { action: 'backup', context }, () =>
    backUp(file, {
      ...context.place,
      signal: context.signal,
      ...(wait === undefined ? {} : { waitMs: wait * 1000 }),
      onProgress: (told) => progress.update(told),
    }),
  ).finally(() => progress.stop());
  for (const notice of result.notices) context.warn(notice);
  context.printResult(result, () =>
    [
      `${plural(result.files, 'file')} (${formatBytes(result.bytes)}) are in ${result.path} (${formatBytes(result.archiveBytes)}); writers waited ${formatDuration(result.pausedMs)}.`,
      `Next: ${context.command} restore ${file}, with an empty data folder, here or elsewhere.`,
    ].join('\n'),
  );
}

async function runRestore(context: CliContext, file: string): Promise<void> {
  const { restoreBackup } = await import('../../../index.js');
  const progress = startCounter(context);
  const result = await restoreBackup(file, {
    ...context.place,
    signal: context.signal,
    onProgress: (told) => progress.update(told),
  }).finally(() => progress.stop());
  await auditedCommand(await placeOf(context), { action: 'restore', context }, async () => result);
  context.printResult(result, () =>
    [
      `${plural(result.files, 'file')} (${formatBytes(result.bytes)}) of ${formatTime(result.at)} are in ${result.dataDir}.`,
      `Next: ${context.command} verify --no-sources, and ${context.command} index for what has changed since. Where this account does not trust the folder yet: ${context.command} trust.`,
    ].join('\n'),
  );
}
