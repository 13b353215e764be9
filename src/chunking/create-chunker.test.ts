import { describe, expect, it } from 'vitest';
import type { ParsedDocument } from '../core/document.js';
import { createMarkdownParser } from '../parsing/markdown/markdown-parser.js';
import { PBI_JSON_PARSER } from '../parsing/pbi-json/pbi-json-parser.js';
import type { ChunkingOptions } from './chunker.js';
import { createChunker } from './create-chunker.js';

const raw = (content: string, mediaType: string) => ({
  externalId: 'a',
  mediaType,
  content,
  metadata: {},
  access: { groups: ['*'], level: 0 },
});
const markdown = (content: string): ParsedDocument =>
  createMarkdownParser().parse(raw(content, 'text/markdown'));
const item = (value: unknown): ParsedDocument =>
  PBI_JSON_PARSER.parse(raw(JSON.stringify(value), 'application/vnd.ragstone.pbi+json'));

/** One token a word. */
const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** As configurations in characters state it. */
const SEED: ChunkingOptions = {
  strategy: 'semantic',
  unit: 'characters',
  minSize: 100,
  maxSize: 500,
  overlap: 50,
  splitOn: ['\n\n', '\n', '. ', ', '],
  preserveWhitespace: false,
  preserveFields: [],
  chunkByField: false,
};
const WORDS: ChunkingOptions = { ...SEED, unit: 'tokens', minSize: 5, maxSize: 20, overlap: 0 };

const chunksOf = (document: ParsedDocument, options: ChunkingOptions) =>
  createChunker(options, countWords).chunk(document);
const contents = (document: ParsedDocument, options: ChunkingOptions) =>
  chunksOf(document, options).map(({ content }) => content);
const words = (count: number, word = 'word'): string => Array(count).fill(word).join(' ');

describe('chunks in characters', () => {
  it('splits a document into semantic chunks', () => {
    const chunks = contents(markdown('Paragraph 1...\n\nParagraph 2...\n\nParagraph 3...'), SEED);
    expect(chunks).toHaveLength(3);
    expect(chunks[0]).toContain('Paragraph 1');
  });

  it('maintains overlap between chunks', () => {
    const chunks = contents(markdown('A'.repeat(600)), SEED);
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks[1]).toContain(chunks[0]?.slice(-50));
  });
});

describe('semantic', () => {
  it('joins what stands under one heading, and keeps sections apart', () => {
    const text = `# Doc\n\n## One\n\n${words(6)}\n\n- ${words(4)}\n\n## Two\n\n${words(12)}`;
    expect(
      chunksOf(markdown(text), WORDS).map(({ content, headingPath, lines }) => [headingPath, lines, content]),
    ).toEqual([
      [['One'], { start: 1, end: 7 }, `# Doc\n\n## One\n\n${words(6)}\n\n- ${words(4)}`],
      [['Two'], { start: 9, end: 11 }, `## Two\n\n${words(12)}`],
    ]);
  });

  it('joins tiny sections under the heading they share', () => {
    const text = `# Doc\n\n${words(12)}\n\n## Terms\n\n${words(9)}\n\n### A\n\nx\n\n### B\n\ny z\n\n## Next\n\n${words(16)}`;
    const chunks = chunksOf(markdown(text), WORDS);
    expect(chunks.map(({ headingPath }) => headingPath)).toEqual([[], ['Terms'], ['Next']]);
    expect(chunks[1]?.content).toContain('### B\n\ny z');
  });

  it('does not join sections that have no parent in common below the title level', () => {
    const text = `# Doc\n\n## One\n\n### Deep\n\n${words(14)}\n\n## Two\n\n### Deeper\n\nx`;
    expect(chunksOf(markdown(text), WORDS)).toHaveLength(2);
  });

  it('cuts a long section in chunks of even size', () => {
    const sizes = chunksOf(
      markdown(
        Array(9)
          .fill(`${words(4)}.`)
          .join('\n\n'),
      ),
      WORDS,
    ).map((chunk) => chunk.tokenCount);
    expect(sizes).toEqual([20, 16]);
  });

  it('keeps a code fence whole where it fits, and its announcement with it', () => {
    const fence = `\`\`\`ts\n${words(4)}\n\n${words(4)}\n\`\`\``;
    const chunks = contents(markdown(`${words(13)}.\n\nDo it like this:\n\n${fence}`), WORDS);
    expect(chunks).toEqual([`${words(13)}.`, `Do it like this:\n\n${fence}`]);
  });

  it('cuts a table at rows and gives its header as context', () => {
    const rows = Array.from({ length: 8 }, (_, row) => `| ${row} | ${words(2)} |`);
    const chunks = chunksOf(markdown(`| n | w |\n|---|---|\n${rows.join('\n')}`), { ...WORDS, maxSize: 24 });
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.map(({ context }) => context)).toEqual([
      undefined,
      ...Array(chunks.length - 1).fill('| n | w |\n|---|---|'),
    ]);
    for (const { content } of chunks.slice(1)) expect(content).toMatch(/^\| \d \| word word \|/);
  });

  it('cuts code at lines, keeps indentation, and never parts the closing fence', () => {
    const lines = Array.from({ length: 10 }, (_, line) => `  step ${line} of it`);
    const chunks = chunksOf(markdown(`\`\`\`py\n${lines.join('\n')}\n\`\`\``), WORDS);
    expect(chunks.slice(1).map(({ context }) => context)).toEqual(chunks.slice(1).map(() => '```py'));
    expect(chunks[1]?.content).toMatch(/^ {2}step/);
    expect(chunks.at(-1)?.content).toMatch(/of it\n```$/);
  });

  it('cuts a list at its own items', () => {
    const list = Array.from({ length: 5 }, (_, index) => `${index + 1}. ${words(3)}\n   - ${words(2)}`).join(
      '\n',
    );
    for (const content of contents(markdown(list), WORDS)) expect(content).toMatch(/^\d\. /);
  });

  it('cuts a paragraph at sentences, not after an abbreviation', () => {
    const sentences = [
      'Ask Dr. Smith, e.g. about one two three.',
      'Then four five six seven?',
      'Eight nine ten eleven twelve!',
    ];
    expect(contents(markdown(sentences.join(' ')), { ...WORDS, maxSize: 9 })).toEqual(sentences);
    expect(contents(markdown('一二三。四五六。'), { ...SEED, minSize: 0, maxSize: 5, overlap: 0 })).toEqual([
      '一二三。',
      '四五六。',
    ]);
  });

  it('does not part a heading from the text below it', () => {
    const chunks = contents(markdown(`## A heading of five words\n\n${words(9)}. ${words(9)}.`), WORDS);
    expect(chunks[0]).toMatch(/^## A heading of five words\n\nword/);
  });

  it('repeats whole words of the chunk before, at least the overlap, only inside a cut paragraph', () => {
    const text = `${Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ')}\n\n${words(15, 'other')}.`;
    const [first, second, third] = contents(markdown(text), { ...WORDS, overlap: 3 });
    const repeated = first?.split(' ').slice(-3).join(' ') ?? '?';
    expect(second?.startsWith(repeated)).toBe(true);
    expect(third?.startsWith('other')).toBe(true);
  });

  it('takes a word without end for more than one token', () => {
    const lengths = contents(markdown('x'.repeat(2_000)), WORDS).map((content) => content.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(20 * 16);
  });

  it('says which names its headings define', () => {
    const text = [
      ['# API', 'Overview'],
      [
        '## `maxRetries`',
        '### class Session(loop, *, timeout=None)',
        '## client.requestStream(options[, callback])',
      ],
      [
        '## What maxRetries does',
        '## Installation',
        '### Session',
        '## `a_b` and `c_d`',
        '## retry_on: integer',
      ],
    ].map((headings) => headings.map((heading) => `${heading}\n\n${words(15)}`).join('\n\n'));
    const defines = chunksOf(markdown(text.join('\n\n')), WORDS).flatMap((chunk) => chunk.defines ?? []);
    expect(defines).toEqual(['maxRetries', 'client.requestStream', 'retry_on']);
  });

  it('finds nothing in an empty document', () => {
    expect(chunksOf(markdown(' \n\n'), WORDS)).toEqual([]);
  });
});

describe('recursive', () => {
  it('cuts at the best separator that helps, which stays with what it ends', () => {
    const options: ChunkingOptions = { ...SEED, strategy: 'recursive', minSize: 0, maxSize: 20, overlap: 0 };
    expect(contents(markdown('One two. Three four five.\n\nSix, seven eight nine ten'), options)).toEqual([
      'One two.',
      'Three four five.',
      'Six,',
      'seven eight nine ten',
    ]);
  });
});

describe('fixed', () => {
  it('makes windows of one size that overlap', () => {
    const text = Array.from({ length: 120 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('');
    const options: ChunkingOptions = { ...SEED, strategy: 'fixed', minSize: 0, maxSize: 50, overlap: 10 };
    expect(chunksOf(markdown(text), options).map(({ start, end }) => [start, end])).toEqual([
      [0, 50],
      [40, 90],
      [80, 120],
    ]);
  });

  it('repeats half of each chunk where the overlap is half of it', () => {
    const text = Array.from({ length: 100 }, (_, index) => `w${index}`).join(' ');
    const chunks = chunksOf(markdown(text), { ...WORDS, strategy: 'fixed', overlap: 10 });
    for (const [index, chunk] of chunks.slice(1).entries()) {
      expect(countWords(text.slice(chunk.start, chunks[index]?.end))).toBeGreaterThanOrEqual(8);
    }
  });

  it('counts tokens where it is asked to', () => {
    const sizes = chunksOf(markdown(words(50)), { ...WORDS, strategy: 'fixed' }).map(
      ({ tokenCount }) => tokenCount,
    );
    expect(sizes.slice(0, -1).every((size) => size > 15 && size <= 20)).toBe(true);
  });
});

describe('pbi_aware', () => {
  const pbi = item({
    id: 'PBI-1',
    title: 'Retry payments',
    description: words(6),
    acceptance_criteria: [words(3)],
    notes: words(15),
    status: 'open',
    estimate: words(8),
  });
  const options: ChunkingOptions = {
    ...WORDS,
    strategy: 'pbi_aware',
    preserveFields: ['title', 'description', 'acceptance_criteria'],
  };

  it('keeps the preserved fields together in the first chunk and joins the others', () => {
    const [first, ...rest] = contents(pbi, options);
    expect(first).toMatch(
      /^Retry payments\n\nid: PBI-1\n\ndescription:[\s\S]*acceptance_criteria:\n- word word word$/,
    );
    expect(rest).toEqual([`notes: ${words(15)}`, `status: open\n\nestimate: ${words(8)}`]);
  });

  it('makes a chunk of each other field where it is asked to', () => {
    expect(contents(pbi, { ...options, chunkByField: true })).toHaveLength(4);
    expect(contents(pbi, { ...options, chunkByField: true, preserveFields: [] })).toHaveLength(7);
  });

  it('leaves no title alone', () => {
    const bare = item({ id: 'A', title: 'Retry payments', points: 5 });
    expect(contents(bare, { ...options, minSize: 8 })).toEqual(['Retry payments\n\nid: A\n\npoints: 5']);
  });

  it('repeats the label of a field that had to be cut', () => {
    const long = item({ title: 'T', description: `${words(15)}.\n\n${words(15)}.` });
    const chunks = chunksOf(long, { ...options, preserveFields: [] });
    expect(chunks.at(-1)).toMatchObject({ content: `${words(15)}.`, context: 'description:' });
  });

  it('falls back to structure where a document has no fields', () => {
    const text = '# A\n\nb';
    expect(contents(markdown(text), options)).toEqual([text]);
  });
});

describe('whole', () => {
  it('is one chunk, whatever the length', () => {
    const text = words(500);
    expect(contents(markdown(`\n${text}\n`), { ...WORDS, strategy: 'whole' })).toEqual([text]);
  });
});

describe('limits', () => {
  it.each([
    [{ maxSize: 0, minSize: 0 }, 'maxSize'],
    [{ minSize: 30 }, 'minSize'],
    [{ overlap: 20 }, 'overlap'],
    [{ maxSize: Number.NaN }, 'maxSize'],
  ])('%j is refused', (wrong, name) => {
    expect(() => createChunker({ ...WORDS, ...wrong }, countWords)).toThrow(
      expect.objectContaining({ reason: 'CONFIG_INVALID', message: expect.stringContaining(name) }),
    );
  });
});

describe('hostile input', () => {
  it.each([
    ['a line of 2 MB', 'word '.repeat(400_000)],
    ['a word of 2 MB', 'a'.repeat(2_000_000)],
    ['half a million dots', '.'.repeat(500_000)],
    ['combining marks without end', `a${'\u0301'.repeat(500_000)}`],
    ['2 MB of white space', `a${'\n'.repeat(1_000_000)}${' '.repeat(1_000_000)}b`],
    ['100,000 headings', '# a\n'.repeat(100_000)],
    ['100,000 list items', '- a\n'.repeat(100_000)],
    ['10,000 nested list items', `${'- '.repeat(10_000)}x`],
    ['an unclosed fence', `\`\`\`\n${'let a;\n'.repeat(100_000)}`],
  ])('measures a bounded number of times: %s', (_name, text) => {
    let measured = 0;
    const chunker = createChunker({ ...WORDS, maxSize: 256, overlap: 32 }, (part) => {
      measured += part.length;
      return countWords(part);
    });
    chunker.chunk(markdown(text));
    expect(measured).toBeLessThan(8 * text.length);
  });
});
