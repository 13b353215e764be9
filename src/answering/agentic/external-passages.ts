import type { ScoredChunk } from '../../core/chunk.js';
import { DegradationLevel } from '../../core/degradation.js';
import { contentHash } from '../../core/ids.js';
import type { ExternalPassage, ExternalSearch } from './agent.js';
import type { PlannedStep } from './agent-run.js';

/** Passages that are taken of one search outside, and UTF-16 code units of each. */
const MOST = 5;
const LONGEST = 4_000;
/** Nothing tells how likely a passage from outside is relevant: less than one that the index finds readily. */
const SCORE = 0.3;

/** A search outside of the index. */
export const externalStep = (external: ExternalSearch, why: string, query: string): PlannedStep => ({
  tool: 'external',
  why,
  query,
  call: async (signal) => {
    const passages = await external.search(query, { limit: MOST, signal });
    return {
      ranked: passages.slice(0, MOST).flatMap((passage) => externalChunk(passage, external.name)),
      degradationLevel: DegradationLevel.FULL_RAG,
      notices: [],
    };
  },
});

/** A passage as one of an index: its document is its address, and it belongs to no tenant. */
function externalChunk({ title, url, text }: ExternalPassage, name: string): ScoredChunk[] {
  const content = text.slice(0, LONGEST);
  if (content.trim() === '') return [];
  const documentId = contentHash(`external ${name} ${url}`).slice(0, 32);
  return [
    {
      score: SCORE,
      chunk: {
        id: contentHash(`${documentId} ${content}`).slice(0, 32),
        documentId,
        tenant: '',
        source: `external:${name}`,
        access: { groups: [], level: 0 },
        identifiers: [],
        content,
        metadata: {
          source: url,
          sourceType: 'external',
          title,
          url,
          revision: contentHash(text),
          headingPath: [],
          lines: { start: 1, end: content.split('\n').length },
          offsets: { start: 0, end: content.length },
          chunkIndex: 0,
          chunkTotal: 1,
        },
      },
    },
  ];
}
