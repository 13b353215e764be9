import type { Command } from 'commander';
import { withoutUndefined } from '../../../core/without-undefined.js';
import type { ImportResult } from '../../../index.js';
import { auditedCommand } from '../audited-command.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { assertSharedIndex } from '../open-engine.js';
import { startCounter } from '../render/progress.js';
import { type OwnerOptions, toScope, withOwnerOptions } from '../scope-options.js';

interface ImportOptions extends OwnerOptions {
  readonly from: string;
  readonly collection?: string;
  readonly dryRun?: boolean;
}

const EXAMPLES = `
Examples:
  $ ragstone import --from prototype.yaml --dry-run                       what would be imported
  $ ragstone import --from prototype.yaml                                 rag_documents, or the collection that the file names
  $ ragstone import --from prototype.yaml --collection asdlc_documents

prototype.yaml says where the documents are that another program stored:
  rag: { provider: chroma, storage: { server: { url: 'http://localhost:8000' } } }
  rag: { provider: postgres, storage: { server: { url: 'env:DATABASE_URL' } } }

They keep their ids and metadata, and are cut and embedded anew by the configuration of this folder. What is here already and has not
changed stays as it is; where an import was stopped or killed, the same command goes on. The other database is only read.

Exit codes: 0 all of it is here; 1 some documents could not be taken in; 2 wrong usage or configuration; 130 interrupted.`;

/** `ragstone import --from FILE [--collection NAME]` */
export function registerImport(program: Command, context: CliContext): void {
  const command = program
    .command('import')
    .description('take in the documents of a prototype: a Chroma collection, or a table rag_documents')
    .requiredOption('--from <file>', 'configuration that says where they are (provider: chroma or postgres)')
    .option('--collection <name>', 'name of the collection or table (default: see below)')
    .option('--dry-run', 'only say what would be imported');
  withOwnerOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((options: ImportOptions) => runImport(context, options));
}

async function runImport(context: CliContext, options: ImportOptions): Promise<void> {
  await assertSharedIndex(context, options);
  const { loadConfig } = await import('../../../config/load-config.js');
  const { importDocuments } = await import('../../../index.js');
  const { cwd, env, place, signal } = context;
  const { from, collection, dryRun } = options;
  const progress = startCounter(context);
  const to = withoutUndefined({ configFile: place.file, dataDir: place.dataDir });
  const audited = { ...place, trust: 'unchecked' } as const;
  const result = await auditedCommand(await loadConfig(audited), { action: 'import', context }, () =>
    importDocuments(
      {
        from: { configFile: from },
        to,
        collection,
        dryRun,
        cwd,
        env,
        signal,
        onProgress: ({ done, total }) => progress.update({ stage: 'importing', done, total }),
      },
      toScope(options),
    ),
  ).finally(() => progress.stop());
  for (const { message } of result.errors) context.warn(message);
  context.printNotices(result);
  if (result.failed > 0) context.exitCode = ExitCode.failed;
  context.printResult(result, () => renderImport(result, dryRun === true));
}

function renderImport(result: ImportResult, isDryRun: boolean): string {
  const { from, records, documents, imported, unchanged, failed } = result;
  const read = `${records} records of ${documents} documents in ${from}`;
  if (isDryRun) return `${read} would be imported. Nothing was written.`;
  return `${read}: ${imported} imported, ${unchanged} were here already, ${failed} failed.`;
}
