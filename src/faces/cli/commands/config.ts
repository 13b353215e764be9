import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';

const EXAMPLES = `
Examples:
  $ ragstone config check                      what is wrong, what is accepted and not active yet
  $ ragstone config show                       every value and where it comes from; secrets are masked
  $ ragstone config show --config other.yaml --json`;

/** `ragstone config show|check` */
export function registerConfig(program: Command, context: CliContext): void {
  const config = program
    .command('config')
    .description('show or check the configuration')
    .addHelpText('after', EXAMPLES);
  config
    .command('show')
    .description('print every value with its origin: default, file, environment')
    .addHelpText('after', EXAMPLES)
    .action(() => runShow(context));
  config
    .command('check')
    .description('check the configuration and list what has no effect in this version')
    .addHelpText('after', EXAMPLES)
    .action(() => runCheck(context));
}

async function runShow(context: CliContext): Promise<void> {
  const { loadConfig } = await import('../../../config/load-config.js');
  // Showing it opens nothing.
  const config = await loadConfig({ ...context.place, trust: 'unchecked' });
  const { describeConfig } = await import('../../../config/describe-config.js');
  const description = describeConfig(config);
  const { renderConfig } = await import('../render/config.js');
  context.printResult(description, renderConfig);
}

async function runCheck(context: CliContext): Promise<void> {
  const { loadConfig } = await import('../../../config/load-config.js');
  const config = await loadConfig(context.place);
  const { checkConfig } = await import('../../../features/maintenance/check-config.js');
  const { missing, notices } = await checkConfig(config);
  const { notActive } = config;
  const ok = missing.every(({ stops }) => !stops);
  const result = { ok, file: config.file ?? null, missing, notActive, notices };
  const { renderConfigCheck } = await import('../render/config.js');
  context.printNotices({ notices });
  context.printResult(result, renderConfigCheck);
  if (!ok) context.exitCode = ExitCode.usage;
}
