import type { ConfigDescription } from '../../../config/describe-config.js';
import type { InactiveSetting } from '../../../config/not-active.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { oneLine } from './text.js';

/** Every setting with its value and where it comes from. */
export function renderConfig(description: ConfigDescription, context: CliContext): string {
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
export function renderConfigCheck(
  { ok, file, missing, notActive }: CheckedConfig,
  context: CliContext,
): string {
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
