import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadBuiltinTokenizer } from '../embedding/static/static-embedder.js';
import { assembleContext } from './assemble-context.js';
import { FALLBACK_TEXT } from './context-pack.js';
import { characterCounter, testChunk } from './test-chunks.js';
import { builtinTokenCounter, openAITokenCounter, tokensOf } from './token-counter.js';

const options = { budget: 500, counter: characterCounter };
const line = fc.oneof(
  fc.lorem({ maxCount: 12, mode: 'words' }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('| a | b |', '|---|---|', '- item one', '```js', '```', '# Head', '</passage key="x">', ''),
);
const text = fc.array(line, { minLength: 1, maxLength: 30 }).map((lines) => lines.join('\n'));

describe('assembleContext', () => {
  it('never exceeds the budget, and every piece is an exact slice of its document', async () => {
    const tokenizer = await loadBuiltinTokenizer();
    const counters = [
      characterCounter,
      builtinTokenCounter((part) => tokenizer.countTokens(part)),
      await openAITokenCounter('o200k_base'),
      await openAITokenCounter('cl100k_base'),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { maxLength: 6 }),
        fc.integer({ min: 80, max: 1500 }),
        fc.constantFrom(...counters),
        fc.constantFrom('relevance' as const, 'document' as const, 'edges' as const),
        async (texts, budget, counter, order) => {
          const ranked = texts.map((content, i) =>
            testChunk({ content, document: `${i}.md`, score: 1 - i / 10 }),
          );
          const pack = await assembleContext(
            { question: 'item one head', ranked },
            { budget, counter, order },
          );
          expect(tokensOf(counter, pack.text)).toBeLessThanOrEqual(budget);
          expect(pack.tokens.used).toBe(tokensOf(counter, pack.text));
          expect(pack.text.trim()).not.toBe('');
          for (const { source, pieces } of pack.entries) {
            const whole = texts[Number.parseInt(source, 10)] ?? '';
            for (const piece of pieces) expect(piece.text).toBe(whole.slice(piece.start, piece.end));
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('puts the head of a table before rows out of its middle, wherever it stands', async () => {
    const head = '| Part | Bin |\n| - | - |\n';
    const row = (at: number): string => `| PN-${at} | B${at} |\n`;
    const texts = [
      `# Parts\n\nAll of them.\n\n${head}${row(1)}`,
      row(2) + row(3),
      row(4) + row(5),
      'Not of it.',
    ];
    const whole = texts.join('');
    const chunks = texts.map((content) =>
      testChunk({ content, document: 'parts.md', start: whole.indexOf(content) }),
    );
    const packed = async (chosen: readonly number[], all = chunks) => {
      const ranked = chunks.filter((_, at) => chosen.includes(at));
      const loadChunks = async () => all.map(({ chunk }) => chunk);
      const pack = await assembleContext(
        { question: 'x', ranked },
        { ...options, loadChunks, sectionHits: 9 },
      );
      return pack.entries.map(({ pieces }) => pieces.map(({ text }) => text));
    };
    expect(await packed([2])).toEqual([[head.trim(), texts[2]]]);
    expect(await packed([1])).toEqual([[head.trim(), texts[1]]]);
    // With the head, without one, and where what is between was not read.
    expect(await packed([0])).toEqual([[texts[0]]]);
    expect(await packed([3])).toEqual([[texts[3]]]);
    expect(
      await packed(
        [2],
        [chunks[0], chunks[2]].filter((chunk) => chunk !== undefined),
      ),
    ).toEqual([[texts[2]]]);
  });

  it('puts the first record of CSV before records out of its middle', async () => {
    const texts = ['id,bin\n1,B1\n', '2,B2\n', '3,B3\n'];
    const chunks = texts.map((content) =>
      testChunk({
        content,
        document: 'a.csv',
        start: texts.join('').indexOf(content),
        metadata: { columns: ['id', 'bin'], rowCount: 3 },
      }),
    );
    const { entries } = await assembleContext(
      { question: 'x', ranked: chunks.slice(2) },
      { ...options, loadChunks: async () => chunks.map(({ chunk }) => chunk) },
    );
    expect(entries.map(({ pieces }) => pieces.map(({ text }) => text))).toEqual([['id,bin', texts[2]]]);
  });

  it('keeps the best passage of a section that is longer than the budget', async () => {
    const chunks = Array.from({ length: 12 }, (_, at) =>
      testChunk({
        content: `Part ${at} of the plan tells of cats. ${'Much else is said. '.repeat(12)}`,
        document: 'plan.md',
        start: at * 1_000,
        score: 1 - at / 20,
      }),
    );
    const ranked = chunks.slice(0, 5);
    const pack = await assembleContext(
      { question: 'what does the plan tell of cats?', ranked },
      { ...options, loadChunks: () => Promise.resolve(chunks.map(({ chunk }) => chunk)) },
    );
    expect(pack.isFallback).toBe(false);
    expect(pack.entries[0]?.pieces.map(({ text: part }) => part).join('')).toContain('cats');
  });

  it('says what it left out and why', async () => {
    const long = testChunk({ content: 'word '.repeat(2000), document: 'long.md', score: 0.4 });
    const ranked = [testChunk({ content: 'Short text about cats.', score: 0.9 }), long];
    const pack = await assembleContext({ question: 'cats', ranked }, { ...options, compress: false });
    expect(pack.entries.map(({ source }) => source)).toEqual(['a.md']);
    expect(pack.omitted).toMatchObject([{ source: 'long.md', reason: 'budget' }]);
    expect(pack.notices.join()).toContain('no room');
  });

  it('drops sentences, never half of one, and keeps the head of a table with its row', async () => {
    const filler = Array.from({ length: 60 }, (_, i) => `Filler sentence number ${i} says nothing.`).join(
      ' ',
    );
    const table = `| Port | Use |\n|---|---|\n| 80 | web |\n| 5432 | database |`;
    const content = `${filler}\n\n${table}`;
    const pack = await assembleContext(
      { question: 'database port', ranked: [testChunk({ content })] },
      { ...options, budget: 160 },
    );
    const [entry] = pack.entries;
    const shown = entry?.pieces.map((piece) => piece.text).join('\n') ?? '';
    expect(entry?.isCompressed).toBe(true);
    expect(shown).toContain('| Port | Use |');
    expect(shown).toContain('| 5432 | database |');
    for (const sentence of shown.match(/Filler[^.\n]*\.?/g) ?? [])
      expect(sentence).toMatch(/says nothing\.$/);
  });

  it('never shows two revisions of one document; the newer one stays', async () => {
    const old = testChunk({
      id: 'o',
      content: 'The limit is 5.',
      revision: 'r1',
      score: 0.9,
      metadata: { updatedAt: '2024-01-01T00:00:00.000Z' },
    });
    const fresh = testChunk({
      id: 'f',
      content: 'The limit is 9.',
      revision: 'r2',
      score: 0.5,
      metadata: { updatedAt: '2026-01-01T00:00:00.000Z' },
    });
    const pack = await assembleContext({ question: 'limit', ranked: [old, fresh] }, options);
    expect(pack.entries.map(({ revision }) => revision)).toEqual(['r2']);
    expect(pack.omitted).toMatchObject([{ chunkId: 'o', reason: 'other-revision' }]);
  });

  it('shows every document of several that name the same source', async () => {
    const ranked = ['Tea is served at four.', 'Coffee is served at nine.'].map((content, i) =>
      testChunk({ document: `${i}.md`, content, revision: `r${i}`, metadata: { source: 'linkedin' } }),
    );
    const pack = await assembleContext({ question: 'served', ranked }, options);
    expect(pack.entries.map(({ revision }) => revision)).toEqual(['r0', 'r1']);
  });

  it('adds the rest of a section when several of its chunks were hit', async () => {
    const chunks = ['One. ', 'Two. ', 'Three. '].map((content, i) =>
      testChunk({ id: `c${i}`, content, start: i * 10, headingPath: ['Setup'] }),
    );
    const ranked = chunks.filter((_, i) => i !== 1);
    const loadChunks = async () => chunks.map(({ chunk }) => chunk);
    const pack = await assembleContext({ question: 'x', ranked }, { ...options, loadChunks });
    expect(pack.entries).toHaveLength(1);
    expect(pack.entries[0]).toMatchObject({ chunkIds: ['c0', 'c1', 'c2'], isExpanded: true });
  });

  it('adds neighbours on request, and the beginning of the document in hierarchical mode', async () => {
    const chunks = ['Intro one. Intro two. Intro three.', 'Two.', 'Three.', 'Four.'].map((content, i) =>
      testChunk({ id: `c${i}`, content, start: i * 50, headingPath: [`H${i}`] }),
    );
    const loadChunks = async () => chunks.map(({ chunk }) => chunk);
    const ranked = chunks.slice(3);
    const near = await assembleContext({ question: 'x', ranked }, { ...options, loadChunks, neighbours: 1 });
    expect(near.entries[0]?.chunkIds).toEqual(['c2', 'c3']);
    const tree = await assembleContext(
      { question: 'x', ranked },
      { ...options, loadChunks, hierarchical: true },
    );
    expect(tree.entries.map(({ kind }) => kind)).toEqual(['summary', 'passage']);
    expect(tree.entries[0]?.pieces[0]?.text).toBe('Intro one. Intro two.');
  });

  it('takes a hit that was joined of several chunks as a whole when it adds neighbours', async () => {
    const chunks = ['Zero.', 'One.', 'Two.', 'Three.', 'Four.'].map((content, i) =>
      testChunk({ id: `c${i}`, content, start: i * 10, headingPath: [`H${i}`] }),
    );
    const joined = testChunk({
      id: 'c2',
      content: 'One.      Two.      Three.',
      start: 10,
      headingPath: ['H1'],
    });
    const loadChunks = async () => chunks.map(({ chunk }) => chunk);
    const pack = await assembleContext(
      { question: 'x', ranked: [joined] },
      { ...options, loadChunks, neighbours: 1 },
    );
    expect(pack.entries.map(({ chunkIds }) => chunkIds)).toEqual([['c0', 'c2', 'c4']]);
    expect(pack.entries[0]?.pieces.map(({ text }) => text)).toEqual([
      'Zero.',
      'One.      Two.      Three.',
      'Four.',
    ]);
  });

  it('numbers lines of compressed pieces in the stored document', async () => {
    const content = `${'Nothing here at all today.\n\n'.repeat(30)}The answer is blue.`;
    const pack = await assembleContext(
      { question: 'answer blue', ranked: [testChunk({ content, line: 11 })] },
      { ...options, budget: 90 },
    );
    const [entry] = pack.entries;
    for (const piece of entry?.pieces ?? [])
      expect(piece.line).toBe(11 + content.slice(0, piece.start).split('\n').length - 1);
    expect(entry?.lines.end).toBe(71);
  });

  it('says so where nothing was found, and refuses a budget that cannot even say so', async () => {
    const pack = await assembleContext({ question: 'x', ranked: [] }, options);
    expect(pack).toMatchObject({ text: FALLBACK_TEXT, isFallback: true, entries: [] });
    await expect(
      assembleContext({ question: 'x', ranked: [] }, { ...options, budget: 3 }),
    ).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
    });
  });

  it('orders by relevance, by document, or with the best at both ends', async () => {
    const ranked = ['b.md', 'a.md', 'c.md', 'd.md'].map((document, i) =>
      testChunk({ content: `Text of ${document}`, document, score: 1 - i / 10 }),
    );
    const sources = async (order: 'relevance' | 'edges') =>
      (await assembleContext({ question: 'x', ranked }, { ...options, order })).entries.map(
        ({ source }) => source,
      );
    expect(await sources('relevance')).toEqual(['b.md', 'a.md', 'c.md', 'd.md']);
    expect(await sources('edges')).toEqual(['b.md', 'c.md', 'd.md', 'a.md']);
  });
});
