import type { Command } from 'commander';
import type { ConfigDescription } from '../../../config/describe-config.js';
import type { InactiveSetting } from '../../../config/not-active.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { renderTable } from '../render/table.js';
import { oneLine } from '../render/text.js';

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
  context.printNotices({ notices });
  context.printResult(result, renderConfigCheck);
  if (!ok) context.exitCode = ExitCode.usage;
}

/** Every setting with its value and where it comes from. */
function renderConfig(description: ConfigDescription, context: CliContext): string {
  const { colours } = context;
  const head = [
    `${colours.bold('file       ')} ${description.file ?? 'none: defaults'}`,
    `${colours.bold('data folder')} ${description.dataDir}`,
  ];
  const rows = description.settings.map(({ key, value, origin, detail }) => [
    key,
    colours.dim(detail === undefined ? origin : `${origin} (${detail})`),
    oneLine(typeof value === 'string' ? value : spaced(JSON.stringify(value))),
  ]);
  return `${head.join('\n')}\n\n${renderTable(['setting', 'origin', 'value'], rows, { context })}`;
}

/** Lists may wrap after their commas. */
const spaced = (json: string | undefined): string => (json ?? '').replaceAll('","', '", "');

/** Whether the configuration is right and what it names is here, and which of its settings have no effect in this version. */
function renderConfigCheck({ ok, file, missing, notActive }: CheckedConfig, context: CliContext): string {
  const partly = `${file ?? 'The defaults'} can be used, but not as written.`;
  const right = file === null ? 'There is no configuration file; the defaults hold.' : `${file} is valid.`;
  const wrong = file === null ? 'The defaults cannot be used here.' : `${file} cannot be used here.`;
  const parts = [!ok ? wrong : missing.length > 0 ? partly : right];
  if (missing.length > 0)
    parts.push(
      missing.map(({ setting, problem }) => `${setting}: ${context.own(oneLine(problem))}`).join('\n'),
    );
  if (notActive.length > 0)
    parts.push(`Accepted, without effect in this version:\n\n${renderSettings(notActive, context)}`);
  return parts.join('\n\n');
}

interface CheckedConfig {
  readonly ok: boolean;
  readonly file: string | null;
  readonly missing: readonly { readonly setting: string; readonly problem: string }[];
  readonly notActive: readonly InactiveSetting[];
}

const renderSettings = (settings: readonly InactiveSetting[], context: CliContext): string =>
  renderTable(
    ['setting', 'reason'],
    settings.map(({ setting, reason }) => [setting, reason]),
    { context },
  );
