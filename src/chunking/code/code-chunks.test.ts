import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChunkSpan } from '../../core/chunk.js';
import type { ParsedDocument } from '../../core/document.js';
import { codeMediaType, MEDIA_TYPES } from '../../core/media-types.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { createCodeParser } from '../../parsing/code/code-parser.js';
import { JSON_PARSER } from '../../parsing/json/json-parser.js';
import type { ChunkingOptions } from '../chunker.js';
import { createChunker } from '../create-chunker.js';

const WORDS: ChunkingOptions = {
  strategy: 'semantic',
  unit: 'tokens',
  minSize: 20,
  maxSize: 60,
  overlap: 8,
  splitOn: ['\n'],
  preserveWhitespace: false,
  preserveFields: [],
  chunkByField: false,
};
const countWords = (text: string): number => (text.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []).length;
const document = (content: string, mediaType: string) => ({
  externalId: 'src/a.ts',
  mediaType,
  content,
  metadata: {},
  access: OPEN_ACCESS,
});
const parse = async (content: string, language = 'typescript'): Promise<ParsedDocument> =>
  createCodeParser().parse(document(content, codeMediaType(language)));
const chunk = async (content: string, options: Partial<ChunkingOptions> = {}): Promise<ChunkSpan[]> =>
  createChunker({ ...WORDS, ...options }, countWords).chunk(await parse(content));

const METHOD = (name: string, statements: number): string =>
  `  /** About ${name}. */\n  ${name}(): void {\n${Array.from({ length: statements }, (_, i) => `    call${i}(a, b);`).join('\n')}\n  }`;

describe('where code is cut', () => {
  it('keeps each definition whole with what documents it', async () => {
    const chunks = await chunk(
      `class Store {\n${METHOD('upsert', 4)}\n\n${METHOD('query', 4)}\n\n${METHOD('remove', 4)}\n}\n`,
    );
    expect(chunks.map(({ headingPath }) => headingPath)).toEqual([
      ['class Store'],
      ['class Store', 'method query'],
      ['class Store', 'method remove'],
    ]);
    expect(chunks[1]?.content.trim().startsWith('/** About query. */')).toBe(true);
    expect(chunks[2]?.content.endsWith('}\n}')).toBe(true);
  });

  it('divides a long function at statements and repeats its first line as context', async () => {
    const chunks = await chunk(`class Store {\n${METHOD('upsert', 20)}\n}\n`);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { content, context } of chunks.slice(1)) {
      expect(content).toMatch(/^ {4}call\d+\(a, b\);/);
      expect(context).toBe('upsert(): void {');
    }
    expect(chunks.at(-1)?.headingPath).toEqual(['class Store', 'method upsert']);
  });

  it('joins small definitions and names them all', async () => {
    const source = Array.from({ length: 4 }, (_, i) => `function f${i}() { return ${i}; }`).join('\n\n');
    const [only, ...others] = await chunk(source);
    expect(others).toEqual([]);
    expect(only?.headingPath).toEqual([]);
    expect(only?.metadata).toEqual({ symbols: ['f0', 'f1', 'f2', 'f3'] });
  });

  it('defines a name in the chunk that holds its line, below a long comment too', async () => {
    const comment = `/**\n${' * One more sentence about it.\n'.repeat(20)} */\n`;
    const chunks = await chunk(
      `${comment}export class Store {\n${METHOD('upsert', 20)}\n\n${METHOD('query', 4)}\n}\n\nfunction open() {}\n`,
    );
    const definedIn = (name: string) =>
      chunks.filter(({ defines }) => defines?.includes(name)).map(({ content }) => content);
    expect(definedIn('Store')).toEqual([expect.stringContaining('class Store')]);
    expect(definedIn('Store.upsert')).toEqual([expect.stringContaining('upsert(): void')]);
    expect(definedIn('Store.query')).toEqual([expect.stringContaining('query(): void')]);
    expect(definedIn('open')).toEqual([expect.stringContaining('function open')]);
  });

  it('is matched by the code beside it', async () => {
    const [first, second, third] = await chunk(
      `class Store {\n${METHOD('upsert', 4)}\n\n${METHOD('query', 4)}\n\n${METHOD('remove', 4)}\n}\n`,
    );
    expect(first?.surroundings?.[0]).toContain('query()');
    expect(first?.surroundings?.[0]).not.toContain('remove()');
    expect(first?.surroundings?.[1]).toContain('remove()');
    expect(second?.surroundings?.[0]).toContain('upsert()');
    expect(third?.content).not.toContain('query()');
  });

  it('never leaves a closing bracket alone', async () => {
    const chunks = await chunk(`class A {\n${METHOD('one', 9)}\n\n${METHOD('two', 9)}\n\n}\n`, {
      minSize: 0,
    });
    for (const { content } of chunks) expect(content).toMatch(/\w/);
  });

  it('cuts JSON between members, with the keys above as heading path', () => {
    const people = Array.from({ length: 6 }, (_, i) => ({ name: `Person ${i}`, note: 'word '.repeat(30) }));
    const parsed = JSON_PARSER.parse(document(JSON.stringify({ people }), MEDIA_TYPES.json));
    const chunks = createChunker(WORDS, countWords).chunk(parsed);
    // The first chunk begins with what opens the list.
    expect(chunks.map(({ headingPath }) => headingPath.join(' > '))).toEqual([
      'people',
      ...people.slice(1).map(({ name }, i) => `people > [${i + 1}] ${name}`),
    ]);
  });

  it('leaves strategies without structure alone', async () => {
    const source = `class A {\n${METHOD('one', 30)}\n}\n`;
    expect(await chunk(source, { strategy: 'whole' })).toHaveLength(1);
    expect(
      (await chunk(source, { strategy: 'fixed' })).every(({ headingPath }) => headingPath.length === 0),
    ).toBe(true);
  });
});

const FOLDER = new URL('../', import.meta.url);
const OWN_FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(new URL(name, FOLDER), 'utf8'));

describe('for any code and limits', () => {
  const limits = fc.record({
    maxSize: fc.integer({ min: 90, max: 300 }),
    minSize: fc.integer({ min: 0, max: 90 }),
  });
  const source = fc.oneof(
    fc.constantFrom(...OWN_FILES),
    fc
      .array(fc.constantFrom(...OWN_FILES.flatMap((file) => file.split('\n')), '', '{', '}', '/*'), {
        maxLength: 80,
      })
      .map((lines) => lines.join('\n')),
  );

  it('chunks are exact slices in order within the limit, and leave out white space only', async () => {
    await fc.assert(
      fc.asyncProperty(source, limits, async (content, sizes) => {
        const parsed = await parse(content);
        const chunks = createChunker({ ...WORDS, ...sizes }, countWords).chunk(parsed);
        let at = 0;
        let rest = '';
        for (const { content: text, start, end, tokenCount } of chunks) {
          expect(text).toBe(parsed.text.slice(start, end));
          expect(tokenCount).toBeLessThanOrEqual(sizes.maxSize);
          rest += parsed.text.slice(at, start);
          at = end;
        }
        expect((rest + parsed.text.slice(at)).trim()).toBe('');
      }),
      { numRuns: 60 },
    );
  });

  it('no chunk begins or ends inside of a word or a string', async () => {
    for (const file of OWN_FILES) {
      const { text } = await parse(file);
      for (const { start, end } of await chunk(file, { minSize: 40, maxSize: 120 })) {
        for (const cut of [start, end]) expect(/\w\w/.test(text.slice(cut - 1, cut + 1))).toBe(false);
      }
    }
  });
});
