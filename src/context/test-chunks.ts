import type { ScoredChunk } from '../core/chunk.js';
import type { Metadata } from '../core/metadata.js';

export interface TestChunk {
  readonly id?: string;
  readonly document?: string;
  readonly content: string;
  readonly start?: number;
  readonly line?: number;
  readonly score?: number;
  readonly revision?: string;
  readonly headingPath?: readonly string[];
  readonly title?: string;
  readonly metadata?: Metadata;
}

/** A chunk as a store gives it, for tests. */
export function testChunk(chunk: TestChunk): ScoredChunk {
  const { content, document = 'a.md', start = 0, line = 1, score = 0.5, revision = 'r1' } = chunk;
  const newlines = content.split('\n').length - 1;
  return {
    score,
    chunk: {
      id: chunk.id ?? `${document}-${start}`,
      documentId: `id-${document}`,
      tenant: 'default',
      source: 'docs',
      access: { groups: ['*'], level: 0 },
      identifiers: [],
      content,
      metadata: {
        source: document,
        sourceType: 'documentation',
        revision,
        headingPath: chunk.headingPath ?? [],
        offsets: { start, end: start + content.length },
        lines: { start: line, end: line + newlines },
        ...(chunk.title === undefined ? {} : { title: chunk.title }),
        ...chunk.metadata,
      },
    },
  };
}

/** Four characters a token. */
export const characterCounter = {
  id: 'characters',
  margin: 0,
  count: (text: string): number => Math.ceil(text.length / 4),
};
