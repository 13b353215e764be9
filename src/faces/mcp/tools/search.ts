import * as z from 'zod';
import type { SearchResponse, SearchResult } from '../../../index.js';
import { DATA_NOTE } from '../output/data-note.js';
import { fittingOutput } from '../output/fit-tokens.js';
import { type QuotedResult, quoteResults } from '../output/passages.js';
import { inertName, linesShape, pagesShape, placeShape, renderPlace } from '../output/place.js';
import { degradationLevel, resultPlace, rounded, searchNotices } from '../output/results.js';
import { renderStep } from '../output/way.js';
import { filterShape, filtersOf, modeOf, modeShape, question, topK } from './inputs.js';
import { defineTool, type ToolContext, type ToolOutput } from './tool.js';

const MOST = 20;
const PRESET = 5;
/** What scores less has nothing to do with the query, and would only take room; but for what the graph led to. */
const LEAST_SCORE = 0.1;

const output = z.object({
  note: z.string(),
  results: z.array(
    z.object({
      n: z.number(),
      ...placeShape,
      lines: linesShape,
      pages: pagesShape,
      match: z.enum(['strong', 'possible', 'weak']).describe('How well the passage matches the query.'),
      score: z.number().describe('The same from 0 to 1; comparable between searches.'),
      way: z
        .string()
        .optional()
        .describe('In mode graph: how the document is connected with one that was found first.'),
      text: z.string(),
    }),
  ),
  not_shown: z.number().describe('Results that found no room.'),
  degradation_level: degradationLevel,
  notices: z.array(z.string()),
});

export const searchTool = defineTool({
  name: 'search',
  title: 'Search the documents',
  description: `Find passages in the indexed documents of this project or team: documentation, decisions, runbooks, tickets, code. Use it before answering from memory about how something here works, and for exact names (functions, ticket ids, error codes), which are found as typed. Ask one thing at a time, in whole words; when all matches are weak, try other words. "a phrase" in quotes, -word and word* do what they do in a search box.
Returns passages, best first, each with its document_id, path and lines. Read around a passage with get_document. For one answer with its sources use ask.`,
  input: z.strictObject({ query: question, top_k: topK(MOST, PRESET), ...modeShape, ...filterShape }),
  output,
  async run({ query, top_k, mode, hops, ...narrowing }, context) {
    const { index, signal } = context;
    const response = await index.search({
      text: query,
      signal,
      ...filtersOf(narrowing),
      // The way is a part of the explanation.
      options: { topK: top_k, ...modeOf({ mode, hops }), explainScore: mode === 'graph' },
    });
    const isNear = ({ score, explanation }: SearchResult): boolean =>
      score >= LEAST_SCORE || explanation?.path !== undefined;
    const near = response.results.filter(isNear);
    const notices = [...response.notices, ...tooWeak(response.results.filter((result) => !isNear(result)))];
    return fittingOutput(context, async (budget) => {
      const quoted = await quoteResults(query, near, { context, budget });
      return outputOf({ ...response, results: near, notices }, quoted, context);
    });
  },
});

function outputOf(
  response: SearchResponse,
  quoted: readonly QuotedResult[],
  context: ToolContext,
): ToolOutput<z.output<typeof output>> {
  const results = quoted.map(({ result, entry }) => ({
    n: entry.n,
    ...resultPlace(result, context),
    lines: entry.lines,
    ...(entry.pages === undefined ? {} : { pages: entry.pages }),
    match: result.match,
    score: rounded(result.score),
    ...wayOf(result),
    text: entry.block,
  }));
  const unseen = response.results.length - results.length;
  const notices = [...searchNotices(response), ...(unseen === 0 ? [] : [notShown(unseen)])];
  const list = results.map(
    ({ n, match, score, lines, pages, way, ...place }) =>
      `[${n}] ${renderPlace(place, lines, pages)} | ${match} match (${score}) | document_id ${place.document_id}${way === undefined ? '' : ` | ${way}`}`,
  );
  return {
    text: [
      ...notices,
      results.length === 0 ? nothingOf(response) : `${list.join('\n')}\n\n${DATA_NOTE}`,
      ...results.map(({ text }) => text),
    ].join('\n\n'),
    structured: {
      note: results.length === 0 ? nothingOf(response) : DATA_NOTE,
      results,
      not_shown: unseen,
      degradation_level: response.degradationLevel,
      notices,
    },
  };
}

/** `a.md -link-> b.md`, from a document that was found first. */
function wayOf({ explanation }: SearchResult): { readonly way?: string } {
  const path = explanation?.path ?? [];
  const [first] = path;
  if (first === undefined) return {};
  return { way: [inertName(first.fromName), ...path.map((step) => renderStep(step, step.toName))].join(' ') };
}

const nothingOf = ({ noticeKinds }: SearchResponse): string =>
  noticeKinds.includes('below-threshold')
    ? 'What was found is below the threshold of scores that is set here; the notice says how near it comes.'
    : NOTHING;

const NOTHING =
  'Nothing that matches was found. Try other words or fewer filters; list_sources tells what is indexed.';

/** Rounded down, so that it is below what it is held against; three figures, for little is not nothing. */
const atMost = (score: number): number => Math.floor(score * 1_000) / 1_000;

function tooWeak(leftOut: readonly SearchResult[]): string[] {
  const [best] = leftOut;
  if (best === undefined) return [];
  const results = leftOut.length === 1 ? '1 result is' : `${leftOut.length} results are`;
  return [
    `${results} left out, below the score of ${LEAST_SCORE} that is shown here; the best of them scores ${atMost(best.score)}: explain shows it.`,
  ];
}

const notShown = (count: number): string =>
  `${count} more ${count === 1 ? 'result' : 'results'} found no room. Ask something narrower, or for fewer results.`;
