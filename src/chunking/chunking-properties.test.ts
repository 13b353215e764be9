import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChunkSpan } from '../core/chunk.js';
import type { Block, ParsedDocument } from '../core/document.js';
import { createMarkdownParser } from '../parsing/markdown/markdown-parser.js';
import type { ChunkingOptions, ChunkingStrategy, ChunkingUnit } from './chunker.js';
import { createChunker } from './create-chunker.js';

const parser = createMarkdownParser();
const parse = (content: string): ParsedDocument =>
  parser.parse({
    externalId: 'a.md',
    mediaType: 'text/markdown',
    content,
    metadata: {},
    access: { groups: ['*'], level: 0 },
  });

/** A tokenizer in small: words in parts of eight characters, punctuation apart. */
const countTokens = (text: string): number => {
  let count = 0;
  for (const [match] of text.matchAll(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu))
    count += Math.ceil(match.length / 8);
  return count;
};

const word = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[a-z]{1,12}$/) },
  fc.constantFrom(
    'e.g.',
    'Dr.',
    '3.5',
    'snake_case',
    '`code`',
    '日本語。',
    '👩‍👩‍👧',
    'e\u0301',
    '**bold',
    '](x',
    '𝒳',
  ),
  fc.integer({ min: 1, max: 300 }).map((length) => 'x'.repeat(length)),
);
const sentence = fc.array(word, { minLength: 1, maxLength: 15 }).map((words) => `${words.join(' ')}.`);
const paragraph = fc.array(sentence, { minLength: 1, maxLength: 6 }).map((sentences) => sentences.join(' '));
const lines = (line: fc.Arbitrary<string>) => fc.array(line, { minLength: 1, maxLength: 12 });
const markdownPiece = fc.oneof(
  paragraph,
  paragraph,
  fc.tuple(fc.integer({ min: 1, max: 6 }), sentence).map(([level, text]) => `${'#'.repeat(level)} ${text}`),
  sentence.map((text) => `${text}\n---`),
  lines(sentence).map((items) => items.map((item, index) => `${'  '.repeat(index % 3)}- ${item}`).join('\n')),
  lines(sentence).map((items) => `\`\`\`ts\n${items.join('\n\n')}\n\`\`\``),
  lines(sentence).map((items) => `    ${items.join('\n    ')}`),
  lines(sentence).map((rows) => `| a | b |\n|---|---|\n${rows.map((row) => `| 1 | ${row} |`).join('\n')}`),
  lines(sentence).map((items) => items.map((item) => `> ${item}`).join('\n')),
  sentence.map((text) => `<div>\n${text}\n</div>`),
  fc.constantFrom(
    '```',
    '~~~\nopen',
    '***',
    '- - - - x',
    '>>>> y',
    '|a|\n|-|',
    '<!-- open',
    '---\na: 1\n---',
    '\f',
    '\u00a0',
  ),
);
const markdown = fc
  .tuple(fc.array(markdownPiece, { maxLength: 12 }), fc.constantFrom('\n\n', '\n', '\r\n\r\n', '\n   \n\n\n'))
  .map(([pieces, separator]) => pieces.join(separator));

const strategies: readonly ChunkingStrategy[] = [
  'semantic',
  'adaptive',
  'recursive',
  'fixed',
  'pbi_aware',
  'whole',
];
const units: readonly ChunkingUnit[] = ['tokens', 'characters'];

const options = fc
  .record({
    strategy: fc.constantFrom(...strategies),
    unit: fc.constantFrom(...units),
    maxSize: fc.integer({ min: 48, max: 400 }),
    minShare: fc.double({ min: 0, max: 1, noNaN: true }),
    overlapShare: fc.double({ min: 0, max: 0.5, noNaN: true }),
    preserveWhitespace: fc.boolean(),
  })
  .map(
    ({ minShare, overlapShare, ...rest }): ChunkingOptions => ({
      ...rest,
      minSize: Math.floor(rest.maxSize * minShare),
      overlap: Math.floor(rest.maxSize * overlapShare),
      splitOn: ['\n\n', '\n', '. ', ', '],
      preserveFields: [],
      chunkByField: false,
    }),
  );

const structural = options.filter(({ strategy }) => strategy === 'semantic' || strategy === 'pbi_aware');

const sizeOf = (text: string, unit: ChunkingUnit): number =>
  unit === 'characters' ? text.length : countTokens(text);

/** Runs a check on the chunks of random documents under random options. */
function forAllChunks(
  check: (chunks: ChunkSpan[], document: ParsedDocument, options: ChunkingOptions) => void,
  among: fc.Arbitrary<ChunkingOptions> = options,
): void {
  fc.assert(
    fc.property(markdown, among, (text, chosen) => {
      const document = parse(text);
      check(createChunker(chosen, countTokens).chunk(document), document, chosen);
    }),
    { numRuns: 400 },
  );
}

describe('every strategy, in both units', () => {
  it('cuts each chunk exactly out of the stored text', () => {
    forAllChunks((chunks, { text }) => {
      for (const chunk of chunks) {
        expect(chunk.content).toBe(text.slice(chunk.start, chunk.end));
        expect(chunk.content.trim()).not.toBe('');
        expect(chunk.tokenCount).toBe(countTokens(chunk.content));
      }
    });
  });

  it('loses nothing but white space', () => {
    forAllChunks((chunks, { text }) => {
      let covered = 0;
      for (const chunk of chunks) {
        expect(text.slice(covered, chunk.start).trim()).toBe('');
        covered = Math.max(covered, chunk.end);
      }
      expect(text.slice(covered).trim()).toBe('');
    });
  });

  it('keeps document order, and each chunk brings something new', () => {
    forAllChunks((chunks) => {
      for (const [index, chunk] of chunks.entries()) {
        const previous = chunks[index - 1];
        if (previous === undefined) continue;
        expect(chunk.start).toBeGreaterThan(previous.start);
        expect(chunk.end).toBeGreaterThan(previous.end);
      }
    });
  });

  it('never passes the limit', () => {
    forAllChunks((chunks, _document, { strategy, unit, maxSize }) => {
      if (strategy === 'whole') return;
      for (const { content } of chunks) expect(sizeOf(content, unit)).toBeLessThanOrEqual(maxSize);
    });
  });

  it('keeps surrogate pairs and combining marks whole', () => {
    forAllChunks((chunks) => {
      for (const { content } of chunks) {
        expect(content).not.toMatch(/^(?:[\uDC00-\uDFFF]|\u0301|\u200D)|(?:[\uD800-\uDBFF]|\u200D)$/);
      }
    });
  });

  it('counts lines as an editor does', () => {
    forAllChunks((chunks, { text }) => {
      const lineEnds = [...text.matchAll(/\r\n|\n|\r/g)].map((match) => match.index + match[0].length);
      const lineOf = (offset: number) => 1 + lineEnds.filter((end) => end <= offset).length;
      for (const { lines, start, end } of chunks) {
        expect(lines).toEqual({ start: lineOf(start), end: lineOf(end - 1) });
      }
    });
  });

  it('keeps all white space where it is asked to and the limit allows', () => {
    const roomy = options.map((chosen) => ({
      ...chosen,
      unit: 'tokens' as const,
      maxSize: 5_000,
      preserveWhitespace: true,
    }));
    forAllChunks((chunks, { text }) => {
      if (text.trim() === '') return;
      let rebuilt = '';
      for (const { start, end } of chunks) rebuilt += text.slice(Math.max(start, rebuilt.length), end);
      expect(rebuilt).toBe(text);
    }, roomy);
  });
});

describe('structure', () => {
  const overlapping = (chunks: readonly ChunkSpan[], { start, end }: Block) =>
    chunks.filter((chunk) => chunk.start < end && chunk.end > start);

  it('keeps code and tables whole where they fit', () => {
    forAllChunks((chunks, { text, blocks }, { unit, maxSize }) => {
      for (const block of blocks.filter(({ kind }) => kind === 'code' || kind === 'table')) {
        if (sizeOf(text.slice(block.start, block.end), unit) > maxSize) continue;
        expect(overlapping(chunks, block)).toHaveLength(1);
      }
    }, structural);
  });

  it('gives the opening of a cut block as context, outside the content', () => {
    forAllChunks(
      (chunks, { blocks }) => {
        for (const block of blocks.filter(({ context }) => context !== undefined)) {
          for (const chunk of overlapping(chunks, block)) {
            if (chunk.start > block.start) expect(chunk.context).toBe(block.context);
          }
        }
      },
      structural.map((chosen) => ({ ...chosen, overlap: 0, preserveWhitespace: false })),
    );
  });

  it('repeats text only inside a block that was cut', () => {
    forAllChunks(
      (chunks, { blocks }) => {
        for (const [index, chunk] of chunks.entries()) {
          const repeatedUntil = chunks[index - 1]?.end ?? 0;
          if (chunk.start >= repeatedUntil) continue;
          const inside = blocks.some((block) => block.start <= chunk.start && repeatedUntil <= block.end);
          expect(inside).toBe(true);
        }
      },
      structural.map((chosen) => ({ ...chosen, preserveWhitespace: false })),
    );
  });

  it('names exactly the headings that stand above all text of a chunk', () => {
    forAllChunks((chunks, document) => {
      for (const chunk of chunks) {
        const above = document.blocks
          .filter((block) => block.kind !== 'heading' && holdsTextOf(chunk, block, document.text))
          .map((block) => headingsAbove(document, block.start));
        if (above.length === 0) continue;
        const shared = (above[0] ?? []).filter((heading, depth) =>
          above.every((path) => path.slice(0, depth + 1).includes(heading)),
        );
        const labels = shared.map(({ label }) => label ?? '').filter((label) => label !== '');
        const isTitle = labels[0]?.toLowerCase() === document.title?.toLowerCase();
        expect(chunk.headingPath).toEqual(isTitle ? labels.slice(1) : labels);
      }
    });
  });
});

/** Whether a chunk holds more of a block than white space, such as the indentation of its first line. */
const holdsTextOf = (chunk: ChunkSpan, block: Block, text: string): boolean =>
  text.slice(Math.max(chunk.start, block.start), Math.min(chunk.end, block.end)).trim() !== '';

/** The plain definition, read off the blocks: the last heading of each smaller level. */
function headingsAbove({ blocks }: ParsedDocument, offset: number): Block[] {
  const path: Block[] = [];
  for (const block of blocks) {
    if (block.kind !== 'heading' || block.start > offset) continue;
    while ((path.at(-1)?.level ?? 0) >= (block.level ?? 1)) path.pop();
    path.push(block);
  }
  return path;
}
