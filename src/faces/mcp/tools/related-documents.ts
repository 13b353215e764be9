import * as z from 'zod';
import { type DocumentText, eq, not, type RelatedDocument, type RelatedResponse } from '../../../index.js';
import { fittingOutput } from '../output/fit-tokens.js';
import { inertName, placeOf, placeShape, renderPlace } from '../output/place.js';
import { resultPlace } from '../output/results.js';
import { renderStep } from '../output/way.js';
import { findDocument } from './find-document.js';
import { documentId, topK } from './inputs.js';
import { defineTool, type ToolContext } from './tool.js';

const MOST = 20;
const PRESET = 5;
/** Of the text, beside its title: there it says what it is about. */
const BEGINNING = 300;
/** Tokens that a place takes, about. */
const PLACE_TOKENS = 60;

const output = z.object({
  related: z.array(
    z.object({
      ...placeShape,
      match: z.enum(['strong', 'possible', 'weak']).optional().describe('By topic: how near it is.'),
      way: z.string().optional().describe('By references: how it is connected, from the document on.'),
    }),
  ),
  notices: z.array(z.string()).optional(),
});

type Related = z.output<typeof output>['related'][number];

export const relatedDocumentsTool = defineTool({
  name: 'related_documents',
  title: 'Find related documents',
  description: `Find other documents that belong to one document: by topic (about the same, by its title and beginning) or by references (links, ticket keys, relations of items, imports, people and components, over at most two steps, with the way). Use it to gather background, or to see what else a change may touch. Returns documents without their text, nearest first; read them with get_document.`,
  input: z.strictObject({
    document_id: documentId,
    by: z
      .enum(['topic', 'references'])
      .default('topic')
      .describe('About the same, or connected with it by what the documents name.'),
    top_k: topK(MOST, PRESET),
  }),
  output,
  async run({ document_id, by, top_k }, context) {
    const document = await findDocument(document_id, context);
    const find = by === 'topic' ? aboutTheSame : connected;
    const { related, notices } = await find(document, top_k, context);
    return fittingOutput(context, (budget) => {
      const shown = related.slice(0, Math.max(1, Math.floor(budget / PLACE_TOKENS)));
      const lines = [...shown.map(lineOf), ...notices];
      return Promise.resolve({
        text: lines.length === 0 ? NOTHING[by] : lines.join('\n'),
        structured: { related: shown, ...(notices.length === 0 ? {} : { notices }) },
      });
    });
  },
});

const NOTHING = {
  topic: 'No other document may be read here.',
  references: 'Nothing that may be read here is connected with it.',
};

interface Found {
  readonly related: Related[];
  readonly notices: string[];
}

async function aboutTheSame(document: DocumentText, topK: number, context: ToolContext): Promise<Found> {
  const { results } = await context.index.search({
    text: subjectOf(document),
    filter: not(eq('$documentId', document.id)),
    options: { topK, collapse: 'document', exactWords: true },
    signal: context.signal,
  });
  const related = results.map((result) => ({ ...resultPlace(result, context), match: result.match }));
  return { related, notices: [] };
}

async function connected(document: DocumentText, limit: number, context: ToolContext): Promise<Found> {
  const { index, signal } = context;
  const { related, documents, notices } = await index.related({ item: document.id, limit, signal });
  return {
    related: related.map((one) => ({
      ...placeOf({ ...one, source: one.externalId }, context),
      way: wayOf(one, documents),
    })),
    notices: notices.map(inertName),
  };
}

/** `-link-> b.md <-mention- c.md`. */
const wayOf = ({ path }: RelatedDocument, documents: RelatedResponse['documents']): string =>
  path.map((step) => renderStep(step, documents[step.to]?.externalId ?? step.to)).join(' ');

const lineOf = ({ match, way, ...place }: Related, at: number): string =>
  [
    `${at + 1}. ${place.title === undefined ? '' : `${place.title}: `}${renderPlace(place)}`,
    match === undefined ? (way ?? '') : `${match} match`,
    `document_id ${place.document_id}`,
  ].join(' | ');

const subjectOf = ({ title = '', text }: DocumentText): string =>
  `${title}\n${text.replace(/^#.*$/m, '').trim().slice(0, BEGINNING)}`.trim();
