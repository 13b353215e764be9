import { Command } from 'commander';
import { registerAsk } from './commands/ask.js';
import { registerAudit } from './commands/audit.js';
import { registerBackup } from './commands/backup.js';
import { registerClear } from './commands/clear.js';
import { registerConfig } from './commands/config.js';
import { registerConflicts } from './commands/conflicts.js';
import { registerConsole } from './commands/console.js';
import { registerDeployments } from './commands/deployments.js';
import { registerDoctor } from './commands/doctor.js';
import { registerEncryption } from './commands/encryption.js';
import { registerEval } from './commands/eval.js';
import { registerEvalInit } from './commands/eval-init.js';
import { registerExplainMiss } from './commands/explain-miss.js';
import { registerFailures } from './commands/failures.js';
import { registerFeedback } from './commands/feedback.js';
import { registerForget } from './commands/forget.js';
import { registerGenerations } from './commands/generations.js';
import { registerGraph } from './commands/graph.js';
import { registerHealth } from './commands/health.js';
import { registerImport } from './commands/import.js';
import { registerIndex } from './commands/index.js';
import { registerInit } from './commands/init.js';
import { registerKeys } from './commands/keys.js';
import { registerMcp } from './commands/mcp.js';
import { registerMigrate } from './commands/migrate.js';
import { registerModel } from './commands/model.js';
import { registerProfile } from './commands/profile.js';
import { registerReembed } from './commands/reembed.js';
import { registerRelated } from './commands/related.js';
import { registerRollout } from './commands/rollout.js';
import { registerSearch } from './commands/search.js';
import { registerServe } from './commands/serve.js';
import { registerSources } from './commands/sources.js';
import { registerStatus } from './commands/status.js';
import { registerStores } from './commands/stores.js';
import { registerSync } from './commands/sync.js';
import { registerTrust } from './commands/trust.js';
import { registerTry } from './commands/try.js';
import { registerTune } from './commands/tune.js';
import { registerVerify } from './commands/verify.js';
import { registerWorker } from './commands/worker.js';
import { type CliContext, type GlobalOptions, LOG_LEVELS } from './context.js';
import { choiceOption } from './field-options.js';
import { packageVersion } from './package-version.js';
import { refuseBlanks } from './refuse-blanks.js';
import { chooseServer } from './refuse-on-server.js';
import { widestLine } from './render/wrap.js';

const EXAMPLES = `
Examples:
  $ ragstone try docs "how long are logs kept?"   index a folder and ask it something
  $ ragstone index docs README.md   keep an index of files and folders
  $ ragstone search "exit codes" --top-k 3   find in it
  $ ragstone ask "how long are logs kept?"   answer from it, with citations
  $ ragstone config check   check ragstone.yaml

Exit codes: 0 fine, 1 something failed or drift was found, 2 wrong usage or configuration,
3 "eval --gate" found a change that hurts, 130 interrupted.`;

/** The command line: every command with its options, none of their code loaded. */
export function buildProgram(context: CliContext): Command {
  const program = new Command('ragstone')
    .description(
      'A self-hosted retrieval engine: index folders of engineering documents and find in them, offline.',
    )
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .option('--config <file>', 'configuration file (default: config/rag-config.yaml, then ragstone.yaml)')
    .option('--trust', 'trust the configuration that is found here, this once (see "ragstone trust")')
    .option('--data <dir>', 'data folder (default: .ragstone)')
    .option(
      '--server <url>',
      'ask the service there in place of the index of this machine; its key is read from RAGSTONE_KEY (env: RAGSTONE_SERVER)',
    )
    .option('--json', 'print one JSON document to stdout; progress and logs go to stderr')
    .option('--quiet', 'no progress and no notices')
    .addOption(choiceOption('--log-level <level>', 'least severity that is logged to stderr', LOG_LEVELS))
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    // Errors are reported once, in `runCli`, as text or as JSON.
    .configureOutput({
      outputError: () => undefined,
      writeOut: (text) =>
        context.out.writeLines(layOutExamples(context.own(text.trimEnd()), context.out.width)),
      writeErr: (text) => context.side.writeLines(context.own(text.trimEnd())),
    })
    .configureHelp({ showGlobalOptions: true })
    .hook('preAction', (_, command) => {
      refuseBlanks(command);
      context.globals = command.optsWithGlobals<GlobalOptions>();
      context.server = chooseServer(program, command, (text) => context.noteOnce(text));
      // Every later reader of the configuration in this process then trusts it.
      if (context.globals.trust === true) context.env.RAGSTONE_TRUST = '1';
    });
  // Not by `Option.env`, which reads the variables of the process alone.
  const { RAGSTONE_SERVER: server } = context.env;
  if (server !== undefined) program.setOptionValueWithSource('server', server, 'env');
  for (const register of [
    registerInit,
    registerTry,
    registerIndex,
    registerSync,
    registerWorker,
    registerSearch,
    registerAsk,
    registerRelated,
    registerGraph,
    registerConflicts,
    registerExplainMiss,
    registerStatus,
    registerHealth,
    registerDoctor,
    registerVerify,
    registerFailures,
    registerForget,
    registerFeedback,
    registerGenerations,
    registerStores,
    registerReembed,
    registerMigrate,
    registerImport,
    registerRollout,
    registerBackup,
    registerEval,
    registerEvalInit,
    registerTune,
    registerProfile,
    registerConfig,
    registerClear,
    registerModel,
    registerSources,
    registerMcp,
    registerTrust,
    registerServe,
    registerConsole,
    registerKeys,
    registerAudit,
    registerEncryption,
    registerDeployments,
  ])
    register(program, context);
  return program;
}

const EXAMPLE_LINE = /^( {2}\$ \S.*?\S) {3,}(\S.*)$/gm;
const GAP = 3;

/** A help page in which what the examples do stands in one column, or below them where both do not fit in a line. */
function layOutExamples(help: string, width: number): string {
  const commands = [...help.matchAll(EXAMPLE_LINE)].map(([, command = '']) => widestLine(command));
  const column = Math.max(0, ...commands) + GAP;
  const aligned = help.replaceAll(
    EXAMPLE_LINE,
    (_, command: string, purpose: string) => command + ' '.repeat(column - widestLine(command)) + purpose,
  );
  return widestLine(aligned) <= width ? aligned : help.replaceAll(EXAMPLE_LINE, '$1\n      $2');
}
