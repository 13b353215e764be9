import * as z from 'zod';
import type { IndexedDocument } from '../../../index.js';
import { inertName } from '../output/place.js';
import { defineTool } from './tool.js';

const PAGE = 1_000;
/** Documents that are looked at; a larger index is told of in part. */
const MOST_DOCUMENTS = 20_000;
const MOST_SOURCES = 50;

const output = z.object({
  sources: z.array(
    z.object({
      name: z.string(),
      types: z.array(z.string()),
      documents: z.number(),
      last_indexed: z.string().optional().describe('ISO-8601 UTC.'),
    }),
  ),
  documents: z.number(),
  is_complete: z.boolean().describe('false: there is more than was counted.'),
});

type Output = z.output<typeof output>;

export const listSourcesTool = defineTool({
  name: 'list_sources',
  title: 'What is indexed',
  description:
    'Tell what is indexed and may be read here: sources with their names, types, number of documents and when they were last indexed. Use it once, to see whether the documents can help at all, or for the names that the filters source and source_type of search and ask take.',
  input: z.strictObject({}),
  output,
  async run(_, { index, signal }) {
    // Says that nothing is indexed at all, where that is so.
    await index.status();
    const sources = new Map<string, Tally>();
    let documents = 0;
    let cursor: string | undefined;
    do {
      const page = await index.list({ cursor, limit: PAGE });
      for (const document of page.documents) count(document, sources);
      documents += page.documents.length;
      ({ cursor } = page);
    } while (cursor !== undefined && documents < MOST_DOCUMENTS && !signal.aborted);
    const listed = [...sources].sort(([, a], [, b]) => b.documents - a.documents).slice(0, MOST_SOURCES);
    const structured = {
      sources: listed.map(([name, { types, ...tally }]) => ({
        name: inertName(name),
        types: [...types].map(inertName).sort(),
        ...tally,
      })),
      documents,
      is_complete: cursor === undefined && listed.length === sources.size,
    };
    return { text: render(structured), structured };
  },
});

interface Tally {
  documents: number;
  last_indexed?: string;
  readonly types: Set<string>;
}

function count({ source, sourceType, indexedAt = '' }: IndexedDocument, sources: Map<string, Tally>): void {
  const tally: Tally = sources.get(source) ?? { documents: 0, types: new Set() };
  sources.set(source, tally);
  tally.documents += 1;
  tally.types.add(sourceType);
  if (indexedAt > (tally.last_indexed ?? '')) tally.last_indexed = indexedAt;
}

function render({ sources, documents, is_complete }: Output): string {
  const lines = sources.map(
    ({ name, types, documents: own, last_indexed }) =>
      `${name}: ${counted(own)} (${types.join(', ')})${last_indexed === undefined ? '' : `, last indexed ${last_indexed}`}`,
  );
  const total = `${is_complete ? '' : 'At least '}${counted(documents)} may be read here.`;
  return [total, ...lines].join('\n');
}

const counted = (documents: number): string => `${documents} ${documents === 1 ? 'document' : 'documents'}`;
