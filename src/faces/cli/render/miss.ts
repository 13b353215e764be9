import type { MissExplanation, MissStep } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderCorrection } from './correction.js';
import { displayPath } from './place.js';
import { renderTable } from './table.js';
import { oneLine } from './text.js';

/** Why a document was missed: the reason, what brings it back, then every stage. */
export function renderMiss(explanation: MissExplanation, context: CliContext): string {
  const { document, chunk, found, lostAt, reason, remedies, steps } = explanation;
  const { bold, dim, green, red, yellow } = context.colours;
  const place = chunk === undefined ? '' : `:${chunk.lines.start}-${chunk.lines.end}`;
  const name = document === undefined ? '' : `${bold(oneLine(nameOf(document, context)))}${dim(place)}\n`;
  const verdict = found ? green(reason) : `${red(`lost: ${lostAt ?? ''}`)}  ${oneLine(reason)}`;
  const marks: Readonly<Record<MissStep['status'], string>> = {
    passed: green('passed'),
    noted: yellow('noted'),
    lost: red('lost'),
    off: dim('off'),
  };
  return [
    ...renderCorrection(explanation.correction, context),
    `${name}${verdict}`,
    ...(remedies.length === 0
      ? []
      : [
          remedies
            .map(({ setting, detail }) => `${bold(oneLine(setting))}\n   ${oneLine(detail)}`)
            .join('\n'),
        ]),
    ...(steps.length === 0
      ? []
      : [
          renderTable(
            ['stage', '', ''],
            steps.map(({ stage, status, detail }) => [stage, marks[status], oneLine(detail)]),
            { context },
          ),
        ]),
  ].join('\n\n');
}

const nameOf = (
  { source, externalId, path }: NonNullable<MissExplanation['document']>,
  context: CliContext,
): string => (path === undefined ? `${externalId} (${source})` : displayPath(context, path));
