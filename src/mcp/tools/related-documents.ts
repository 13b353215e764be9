import * as z from 'zod';
import { type DocumentText, eq, not } from '../../index.js';
import { fittingOutput } from '../output/fit-tokens.js';
import { placeShape, renderPlace } from '../output/place.js';
import { resultPlace } from '../output/results.js';
import { findDocument } from './find-document.js';
import { documentId, topK } from './inputs.js';
import { defineTool } from './tool.js';

const MOST = 20;
const PRESET = 5;
/** Of the text, beside its title: there it says what it is about. */
const BEGINNING = 300;

const output = z.object({
  related: z.array(
    z.object({
      ...placeShape,
      match: z.enum(['strong', 'possible', 'weak']).describe('How near it is.'),
    }),
  ),
});

export const relatedDocumentsTool = defineTool({
  name: 'related_documents',
  title: 'Find related documents',
  description: `Find other documents that are about the same as one document, by its title and beginning. Use it to gather background, or to see what else a change may touch. Returns documents without their text, nearest first; read them with get_document.`,
  input: z.strictObject({ document_id: documentId, top_k: topK(MOST, PRESET) }),
  output,
  async run({ document_id, top_k }, context) {
    const document = await findDocument(document_id, context);
    const { results } = await context.index.search({
      text: subjectOf(document),
      filter: not(eq('$documentId', document.id)),
      options: { topK: top_k, collapse: 'document', exactWords: true },
      signal: context.signal,
    });
    return fittingOutput(context, (budget) => {
      // A place takes some 60 tokens.
      const shown = results.slice(0, Math.max(1, Math.floor(budget / 60)));
      const related = shown.map((result) => ({ ...resultPlace(result, context), match: result.match }));
      const list = related.map(
        ({ match, ...place }, at) =>
          `${at + 1}. ${place.title === undefined ? '' : `${place.title}: `}${renderPlace(place)} | ${match} match | document_id ${place.document_id}`,
      );
      return Promise.resolve({
        text: list.length === 0 ? 'No other document may be read here.' : list.join('\n'),
        structured: { related },
      });
    });
  },
});

const subjectOf = ({ title = '', text }: DocumentText): string =>
  `${title}\n${text.replace(/^#.*$/m, '').trim().slice(0, BEGINNING)}`.trim();
