import * as z from 'zod';
import { DIFFERENCE_KINDS, type Finding, type FindingPassage } from '../../../index.js';
import { fittingOutput } from '../output/fit-tokens.js';
import { inertName, linesShape, placeOf, placeShape, renderPlace } from '../output/place.js';
import { topK } from './inputs.js';
import { defineTool, type ToolContext } from './tool.js';

const MOST = 50;
const PRESET = 10;
/** Tokens that a finding takes, about: two quotes with their places. */
const FINDING_TOKENS = 300;
/** Places of one passage. */
const SHOWN_PLACES = 2;

const output = z.object({
  findings: z.array(
    z.object({
      agreement: z.number().describe('What both have in common beside the differences, 0 to 1.'),
      differences: z.array(
        z.object({ kind: z.enum(DIFFERENCE_KINDS), first: z.string(), second: z.string() }),
      ),
      passages: z
        .array(
          z.object({
            quote: z.string(),
            places: z.array(z.object({ ...placeShape, lines: linesShape, date: z.string().optional() })),
          }),
        )
        .describe('The newest first.'),
    }),
  ),
  total: z.number().describe('Of all that were found.'),
  notices: z.array(z.string()).optional(),
});

type Shown = z.output<typeof output>['findings'][number];

export const findConflictsTool = defineTool({
  name: 'find_conflicts',
  title: 'Find contradicting documents',
  description: `List pairs of statements of different documents that contradict each other in a number, date, version, name or "not", the newer one first, the surest pair first. Use it to find what is out of date, or to check documentation. Compares words, so many pairs are two rules for two cases: read both with get_document before you call one wrong. Off unless rag.conflicts.enabled is set.`,
  input: z.strictObject({ top_k: topK(MOST, PRESET) }),
  output,
  async run({ top_k }, context) {
    const { index, signal } = context;
    const { findings, totals, notices } = await index.conflicts({
      kinds: ['conflict'],
      limit: top_k,
      signal,
    });
    const all = findings.map((finding) => shownOf(finding, context));
    const told = notices.map(inertName);
    return fittingOutput(context, (budget) => {
      const shown = all.slice(0, Math.max(1, Math.floor(budget / FINDING_TOKENS)));
      const left = totals.conflict - shown.length;
      const lines = [
        ...shown.map(linesOf),
        ...(shown.length > 0 && left > 0 ? [`${left} more found no room or were not asked for.`] : []),
        ...told,
      ];
      return Promise.resolve({
        text:
          shown.length === 0
            ? ['No statements contradict each other.', ...told].join('\n')
            : lines.join('\n'),
        structured: {
          findings: shown,
          total: totals.conflict,
          ...(told.length === 0 ? {} : { notices: told }),
        },
      });
    });
  },
});

const shownOf = ({ agreement, differences, passages }: Finding, context: ToolContext): Shown => ({
  agreement,
  differences: differences.map(({ kind, first, second }) => ({
    kind,
    first: inertName(first),
    second: inertName(second),
  })),
  passages: passages.map((passage) => passageOf(passage, context)),
});

const passageOf = ({ quote, places }: FindingPassage, context: ToolContext): Shown['passages'][number] => ({
  quote: inertName(quote),
  places: places
    .slice(0, SHOWN_PLACES)
    .map(({ documentId: id, externalId: source, title, url, lines, date }) => ({
      ...placeOf({ id, source, title, url }, context),
      lines,
      ...(date === undefined ? {} : { date }),
    })),
});

/** `1. a.md:3 (2024-01-01) says "…", b.md:7 says "…" | 30 days / 90 days | document_ids …` */
function linesOf({ passages, differences }: Shown, at: number): string {
  const saying = passages.map(({ quote, places: [place] }) => {
    if (place === undefined) return `"${quote}"`;
    const date = place.date === undefined ? '' : ` (${place.date.slice(0, 10)})`;
    return `${renderPlace(place, place.lines)}${date} says "${quote}"`;
  });
  const differing = differences.map(({ first, second }) => `${first} / ${second}`).join('; ');
  const ids = passages.flatMap(({ places: [place] }) => place?.document_id ?? []).join(' ');
  return `${at + 1}. ${saying.join(', ')} | ${differing} | document_ids ${ids}`;
}
