import type { TuneReport } from '../../../index.js';
import type { CliContext } from '../context.js';
import { plural } from './text.js';

/** How many of the folds' choices are shown. */
const SHOWN_CHOICES = 5;

/** What tuning found, what it is worth on held-out queries, and the settings to write. */
export function renderTuning(
  report: TuneReport,
  { context, yaml }: { readonly context: CliContext; readonly yaml: string },
): string {
  const { dataset, split, metric, queries, folds, tried, current, best, heldOut, isGain, chosen } = report;
  const { bold, dim, green } = context.colours;
  const verdict = isGain
    ? green(`A gain: ${signed(heldOut.gain)} ${metric} on held-out queries.`)
    : `No gain that chance does not explain: keep the present settings. (${signed(heldOut.gain)} ${metric} on held-out queries.)`;
  const choices = chosen
    .slice(0, SHOWN_CHOICES)
    .map(({ name, share }) => `  ${Math.round(share * 100)} %  ${name}`);
  return [
    `${bold(`${dataset}, ${split}`)}: ${plural(queries, 'question')}, ${plural(tried, 'setting')} tried, ${folds} folds`,
    [
      `present settings      ${current.toFixed(4)}`,
      `chosen, held out      ${heldOut.mean.toFixed(4)}  95 % interval of the gain ${signed(heldOut.low)} to ${signed(heldOut.high)}, p ${heldOut.pValue.toFixed(4)}`,
      dim(`chosen, on its own queries ${best.mean.toFixed(4)} (too good to be true)`),
    ].join('\n'),
    verdict,
    [`The folds chose:`, ...choices].join('\n'),
    ...(isGain ? [`${bold('Best over all queries')}: ${best.name}\n\n${yaml.trimEnd()}`] : []),
    ...(isGain ? [dim('--write puts it into the configuration file.')] : []),
  ].join('\n\n');
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(4)}`;
