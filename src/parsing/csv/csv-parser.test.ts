import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunker } from '../../chunking/create-chunker.js';
import { resolveChunking } from '../../config/resolve-chunking.js';
import type { ParsedDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { CSV_PARSER } from './csv-parser.js';

const parse = async (content: string, mediaType: string = MEDIA_TYPES.csv): Promise<ParsedDocument> =>
  CSV_PARSER.parse({ externalId: 'a.csv', mediaType, content, metadata: {}, access: OPEN_ACCESS });
const chunker = createChunker(
  resolveChunking({ unit: 'characters', minSize: 10, maxSize: 120, overlap: 0 }),
  (text) => text.length,
);

describe('tables as text', () => {
  it('are the file itself, with columns and rows as metadata', async () => {
    const content = 'id;name\r\n1;Ada\r\n2;"a;b"\r\n';
    const parsed = await parse(content);
    expect(parsed.text).toBe(content);
    expect(parsed.metadata).toEqual({ columns: ['id', 'name'], rowCount: 2 });
  });

  it('are divided between records only, each chunk with the first one as context', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => `${i},"first line\nsecond line ""${i}"""`);
    const parsed = await parse(['id,note', ...rows].join('\n'));
    const chunks = chunker.chunk(parsed);
    expect(chunks.length).toBeGreaterThan(3);
    for (const { content } of chunks.slice(1)) expect(content).toMatch(/^\d+,"first[\s\S]*"""$/);
    expect(chunks.slice(1).every(({ context }) => context === 'id,note')).toBe(true);
    expect(chunks.map(({ content }) => content).join('\n')).toBe(parsed.text);
  });

  it('are placed by characters, whatever their bytes and line ends', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => `日本${i},"é\r\n𝒳 ${'x'.repeat(30)}"`);
    const { text, blocks } = await parse(['名,b', ...rows, '', ' '].join('\r\n'));
    const [table] = blocks;
    const ends = [...(table?.breaks?.slice(1) ?? []), table?.end];
    expect(table?.breaks?.map((start, i) => text.slice(start, ends[i]).trim())).toEqual(rows);
  });

  it('with tabs are told by their media type', async () => {
    const { metadata } = await parse('a,b\tc\n1\t2', MEDIA_TYPES.tsv);
    expect(metadata).toMatchObject({ columns: ['a,b', 'c'] });
  });

  it('name rows of another length', async () => {
    expect((await parse('a,b\n1\n1,2')).warnings).toEqual([expect.stringMatching(/^1 row has/)]);
  });

  it.each([
    ['a,b\n1,"unclosed\n2,kiwi\n3,moa', 3],
    [`a,b\n1,"12\n${'2,kiwi\n'.repeat(200_000)}`, 200_001],
  ])('read the rest behind a quotation mark that never closes, and say so', async (content, rowCount) => {
    const { metadata, warnings, blocks } = await parse(content);
    expect(metadata).toEqual({ columns: ['a', 'b'], rowCount });
    expect(blocks[0]?.end).toBe(content.trimEnd().length);
    expect(warnings).toEqual([expect.stringContaining('quotation mark')]);
  });

  it('refuse a record without end', async () => {
    await expect(parse(`a,b\n1,${'x'.repeat(1_100_000)}`)).rejects.toMatchObject({
      reason: 'DOCUMENT_INVALID',
    });
  });

  it('for any text: read or refused, nothing left out', async () => {
    const text = fc
      .array(fc.constantFrom('a', ',', '"', '\n', '\r\n', ';', ' ', '日', '""', '\n\n'), { maxLength: 40 })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        const parsed = await parse(content).catch((error: unknown) => {
          expect(error).toMatchObject({ reason: 'DOCUMENT_INVALID' });
        });
        if (parsed === undefined) return;
        const covered = parsed.blocks.map(({ start, end }) => parsed.text.slice(start, end)).join('');
        expect(covered.replace(/\s/g, '')).toBe(parsed.text.replace(/\s/g, ''));
      }),
      { numRuns: 300 },
    );
  });
});
