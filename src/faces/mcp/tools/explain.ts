import * as z from 'zod';
import {
  type LaneStatus,
  type MissExplanation,
  RAGError,
  type SearchQuery,
  type SearchResponse,
  type SearchResult,
} from '../../../index.js';
import { fittingOutput } from '../output/fit-tokens.js';
import { inertName, linesShape, placeShape, renderPlace } from '../output/place.js';
import { degradationLevel, resultPlace, rounded, searchNotices } from '../output/results.js';
import { findDocument } from './find-document.js';
import { documentId, filterShape, filtersOf, modeOf, modeShape, question, topK } from './inputs.js';
import { defineTool, type ToolContext, type ToolOutput } from './tool.js';

const MOST = 20;
const PRESET = 5;

const output = z.object({
  found: z.boolean().optional().describe('Of document_id: whether it is among the results.'),
  rank: z.number().optional().describe('Its place among the results, from 1.'),
  lost_at: z.string().optional().describe('The step that lost it.'),
  reason: z.string().optional(),
  remedies: z
    .array(z.string())
    .optional()
    .describe('What would bring it back; settings are for maintainers of the index.'),
  read_as: z.string().optional().describe('How the query was understood.'),
  lanes: z.array(z.string()).optional().describe('What each way of searching did.'),
  results: z
    .array(
      z.object({
        n: z.number(),
        ...placeShape,
        lines: linesShape,
        score: z.number(),
        parts: z
          .array(z.object({ signal: z.string(), value: z.number() }))
          .describe('Their sum is the score.'),
      }),
    )
    .optional(),
  degradation_level: degradationLevel.optional(),
  notices: z.array(z.string()),
});

type Output = z.output<typeof output>;

export const explainTool = defineTool({
  name: 'explain',
  title: 'Explain a search',
  description: `Say why a search found what it found, or, with document_id, why it did not find that document and what would bring it back. Use it when results look wrong or a document that should be there is missing; give the query and the filters of that search. It gives no text of documents.`,
  input: z.strictObject({
    query: question,
    document_id: documentId.optional(),
    top_k: topK(MOST, PRESET),
    ...modeShape,
    ...filterShape,
  }),
  output,
  async run({ query, document_id, top_k, mode, hops, ...narrowing }, context) {
    const { index, signal } = context;
    const request: SearchQuery = {
      text: query,
      signal,
      ...filtersOf(narrowing),
      options: { topK: top_k, ...modeOf({ mode, hops }), explainScore: true },
    };
    if (document_id !== undefined) return missOutput(await explainMiss(request, document_id, context));
    const response = await index.search(request);
    return fittingOutput(context, (budget) => {
      // A result takes some 150 tokens here.
      const shown = response.results.slice(0, Math.max(1, Math.floor(budget / 150)));
      return Promise.resolve(searchOutput(response, shown, context));
    });
  },
});

// Attack: an explanation tells of every document of the tenant, whatever its access. So it is asked for none but a document
// that was read before, under its own id.
async function explainMiss(query: SearchQuery, name: string, context: ToolContext): Promise<MissExplanation> {
  const { id } = await findDocument(name, context);
  const explanation = await context.index.explainMiss(query, id);
  if (explanation.document?.id !== id)
    throw new RAGError('DOCUMENT_NOT_FOUND', 'The document was removed meanwhile.');
  return explanation;
}

function missOutput({ found, rank, lostAt, reason, remedies }: MissExplanation): ToolOutput<Output> {
  const tried = remedies.map(({ setting, detail }) => inertName(`${setting}: ${detail}`));
  const why = inertName(reason);
  return {
    text: [
      found ? `It is among the results, at rank ${rank}.` : `It was lost at the step "${lostAt}". ${why}`,
      ...tried.map((remedy) => `Remedy: ${remedy}`),
    ].join('\n'),
    structured: {
      found,
      ...(rank === undefined ? {} : { rank }),
      ...(lostAt === undefined ? {} : { lost_at: lostAt }),
      reason: why,
      remedies: tried,
      notices: [],
    },
  };
}

function searchOutput(
  response: SearchResponse,
  shown: readonly SearchResult[],
  context: ToolContext,
): ToolOutput<Output> {
  const { understanding, lanes } = response;
  const results = shown.map((result, at) => ({
    n: at + 1,
    ...resultPlace(result, context),
    lines: result.metadata.lines,
    score: rounded(result.score),
    parts: (result.explanation?.contributions ?? []).map(({ signal, value }) => ({
      signal,
      value: rounded(value),
    })),
  }));
  const readAs =
    understanding === undefined
      ? undefined
      : inertName(`${understanding.intent}; words searched for: ${understanding.keywords.join(', ')}`);
  const ways = lanes.map(renderLane);
  const notices = searchNotices(response);
  const list = results.map(
    ({ n, lines, score, parts, ...place }) =>
      `[${n}] ${renderPlace(place, lines)} scores ${score} = ${parts.map(({ signal, value }) => `${signal} ${value}`).join(' + ')}`,
  );
  return {
    text: [...(readAs === undefined ? [] : [`Query read as ${readAs}.`]), ...ways, ...list, ...notices].join(
      '\n',
    ),
    structured: {
      ...(readAs === undefined ? {} : { read_as: readAs }),
      lanes: ways,
      results,
      degradation_level: response.degradationLevel,
      notices,
    },
  };
}

const renderLane = ({ lane, status, candidates, weight, reason }: LaneStatus): string =>
  inertName(
    `${lane}: ${status}, ${candidates} candidates${weight === undefined ? '' : `, weight ${rounded(weight)}`}${reason === undefined ? '' : ` (${reason})`}`,
  );
