import type { ConfigDescription } from '../../config/describe-config.js';
import type { InactiveSetting } from '../../config/not-active.js';
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
    oneLine(typeof value === 'string' ? value : JSON.stringify(value)),
    colours.dim(detail === undefined ? origin : `${origin} (${detail})`),
  ]);
  return `${head.join('\n')}\n\n${renderTable(['setting', 'value', 'origin'], rows, { context })}`;
}

/** That the configuration is right, and which of its settings have no effect in this version. */
export function renderConfigCheck(
  { file, notActive }: { readonly file: string | null; readonly notActive: readonly InactiveSetting[] },
  context: CliContext,
): string {
  const verdict = file === null ? 'There is no configuration file; the defaults hold.' : `${file} is valid.`;
  const idle = notActive.filter(({ stops }) => !stops);
  const stopping = notActive.filter(({ stops }) => stops);
  const parts = [verdict];
  if (stopping.length > 0)
    parts.push(`Not built yet; "index" and "search" stop here:\n\n${renderSettings(stopping, context)}`);
  if (idle.length > 0)
    parts.push(`Accepted, without effect in this version:\n\n${renderSettings(idle, context)}`);
  return parts.join('\n\n');
}

const renderSettings = (settings: readonly InactiveSetting[], context: CliContext): string =>
  renderTable(
    ['setting', 'reason'],
    settings.map(({ setting, reason }) => [setting, reason]),
    { context },
  );
