import { describe, expect, test } from 'vitest';
import { SemanticChunker } from './semantic-chunker.js';

const paragraph = (name: string): string => `${name}: ${'words that fill it. '.repeat(20)}`.trim();

describe('SemanticChunker', () => {
  const chunker = new SemanticChunker();

  test('cuts at paragraphs, and says where each chunk stands', async () => {
    const content = ['# Guide\n\n## Logins', paragraph('One'), paragraph('Two'), paragraph('Three')].join(
      '\n\n',
    );
    const chunks = await chunker.chunk({ content, metadata: { source: 'test.md' } });
    expect(
      chunks.map(({ metadata }) => [metadata.chunk_index, metadata.chunk_total, metadata.source]),
    ).toEqual([0, 1, 2].map((index) => [index, 3, 'test.md']));
    expect(chunks.map(({ start, end }) => content.slice(start, end))).toEqual(
      chunks.map((chunk) => chunk.content),
    );
    expect(chunks[1]?.metadata.heading_path).toEqual(['Logins']);
  });

  test('a block that has to be cut overlaps, and no chunk is too long', async () => {
    const chunks = await chunker.chunk({ content: 'A'.repeat(600) });
    expect(chunks.length).toBeGreaterThan(1);
    for (const { content } of chunks) expect(content.length).toBeLessThanOrEqual(500);
    expect(chunks[1]?.start).toBe((chunks[0]?.end ?? 0) - 50);
  });

  test('an empty text has no chunks, and sizes that contradict each other are refused', async () => {
    expect(await chunker.chunk({ content: ' \n' })).toEqual([]);
    const impossible = new SemanticChunker({ minSize: 600, maxSize: 500 });
    await expect(impossible.chunk({ content: 'x' })).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
  });
});
