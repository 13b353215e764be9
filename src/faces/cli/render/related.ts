import type { GraphStep, RelatedResponse } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { oneLine } from './text.js';

/** What is connected with an item: how closely, what it is, and by which way. */
export function renderRelated({ item, related, documents }: RelatedResponse, context: CliContext): string {
  const { bold, dim } = context.colours;
  const head = `${bold(oneLine(item.externalId))}${item.title === undefined ? '' : `  ${oneLine(item.title)}`} ${dim(`(${oneLine(item.source)})`)}`;
  if (related.length === 0) return `${head}\n\nNothing is connected with it.`;
  const nameOf = (id: string): string => oneLine(documents[id]?.externalId ?? id);
  const rows = related.map(({ score, externalId, title = '', path }) => [
    score.toFixed(3),
    oneLine(externalId),
    oneLine(title),
    path
      .map((step, at) =>
        `${arrowOf(step)} ${at === path.length - 1 ? '' : nameOf(step.to)}${sectionOf(step)}`.trim(),
      )
      .join(' '),
  ]);
  return `${head}\n\n${renderTable(['score', 'document', 'title', 'way'], rows, { context, numeric: [0] })}`;
}

/** `-mention->` leads to what is mentioned, `<-mention-` to what mentions it, `-person ann-` to what names the same person. */
export const arrowOf = ({ kind, direction, via = '' }: GraphStep): string =>
  ({ out: `-${kind}->`, in: `<-${kind}-`, shared: `-${kind} ${oneLine(via)}-` })[direction];

/** `#setup`, where a link leads to a section. */
export const sectionOf = ({ section }: GraphStep): string =>
  section === undefined ? '' : `#${oneLine(section)}`;
