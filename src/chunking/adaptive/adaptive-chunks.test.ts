import { describe, expect, it } from 'vitest';
import { OPEN_ACCESS } from '../../core/scope.js';
import { createMarkdownParser } from '../../parsing/markdown/markdown-parser.js';
import { createChunker } from '../create-chunker.js';

const TEXT = Array.from({ length: 12 }, (_, i) => `Sentence ${i} says a thing.`).join('\n\n');
const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;

describe('adaptive chunks', () => {
  const document = createMarkdownParser().parse({
    externalId: 'a.md',
    mediaType: 'text/markdown',
    content: TEXT,
    metadata: {},
    access: OPEN_ACCESS,
  });
  const chunks = createChunker(
    {
      strategy: 'adaptive',
      unit: 'tokens',
      minSize: 10,
      maxSize: 50,
      overlap: 5,
      splitOn: ['\n'],
      preserveWhitespace: false,
      preserveFields: [],
      chunkByField: false,
    },
    countWords,
  ).chunk(document);

  it('are a fifth of the configured size', () => {
    expect(chunks).toHaveLength(6);
    for (const { tokenCount } of chunks) expect(tokenCount).toBeLessThanOrEqual(10);
  });

  it('say what stands between them, so that they join to the document exactly', () => {
    expect(chunks.map(({ content, metadata }) => `${content}${String(metadata?.gap)}`).join('')).toBe(TEXT);
  });

  it('are matched by what surrounds them, within the document', () => {
    const [first, second, third] = chunks;
    expect(first?.surroundings?.[0]).toBe(TEXT.slice(0, second?.end));
    expect(second?.surroundings?.[0]).toBe(TEXT.slice(0, third?.end));
    expect(third?.surroundings?.[1]).toContain('Sentence 0');
  });
});
