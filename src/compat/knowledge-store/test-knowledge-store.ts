import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RAGError } from '../../core/errors.js';
import { createHashEmbedder } from '../../testing/index.js';
import {
  Document,
  DocumentNotFoundError,
  IndexingError,
  type KnowledgeStore,
  KnowledgeStoreError,
  SearchError,
} from './index.js';

export const LONG = Array.from(
  { length: 60 },
  (_, i) => `## Part ${i}\n\n${`Paragraph ${i} about topic${i} and its many details. `.repeat(12)}\n\n`,
).join('');

/** What every knowledge store does, whatever keeps its documents. `open` gives an empty one over `createHashEmbedder()`. */
export const testKnowledgeStore = (name: string, open: () => Promise<KnowledgeStore>): void => {
  describe(`KnowledgeStore contract: ${name}`, () => {
    let store: KnowledgeStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    test('refuses an option that it does not know, in place of ignoring a filter', async () => {
      const bareFilter = { type: 'spec' };
      await expect(store.search('login', bareFilter as object)).rejects.toMatchObject({
        name: 'SearchError',
        reason: 'QUERY_INVALID',
        message: expect.stringContaining('"type"'),
      });
    });

    test('says of itself that it is closed', async () => {
      await store.close();
      await expect(store.search('login')).rejects.toMatchObject({ reason: 'USAGE' });
      await expect(store.indexDocument('a', 'text')).rejects.toBeInstanceOf(KnowledgeStoreError);
      expect(await store.healthCheck()).toBe(false);
    });

    test('gives a document back as it was indexed', async () => {
      const metadata = { type: 'spec', epic: 7, ratio: 0.5, draft: false, 'a.b': 'dotted' };
      expect(await store.indexDocument('spec/a.md', '# Login\n\nUsers log in.', metadata)).toBe(true);
      const document = await store.getById('spec/a.md');
      expect(document).toBeInstanceOf(Document);
      expect(document).toMatchObject({ docId: 'spec/a.md', content: '# Login\n\nUsers log in.', metadata });
      expect(document?.doc_id).toBe('spec/a.md');
      expect(document?.embedding).toHaveLength(createHashEmbedder().dimensions);
      expect(await store.getById('spec/b.md')).toBeNull();
    });

    test('keeps a long document whole, cuts it inside, and shows it once', async () => {
      await store.indexDocument('long.md', LONG);
      await store.indexDocument('short.md', 'A note about topic9.');
      expect((await store.getById('long.md'))?.content).toBe(LONG);
      expect((await store.getById('long.md'))?.embedding).toBeNull();
      const results = await store.search('topic41 details', 10);
      expect(results.map(({ docId }) => docId).sort()).toEqual(['long.md', 'short.md']);
      expect(results[0]?.content).toBe(LONG);
      expect(results[0]?.passage).toContain('topic41');
      expect(results[0]?.passage.length).toBeLessThan(LONG.length / 4);
    });

    test('finds as many documents as asked for, though one has very many chunks', async () => {
      await store.indexDocument('long.md', LONG.replaceAll(/topic\d+/g, 'subject'));
      await store.indexDocuments(
        Array.from({ length: 20 }, (_, i) => ({ docId: `d${i}`, content: `subject ${'x'.repeat(i)} other` })),
      );
      for (const topK of [1, 5, 20]) expect(await store.search('subject', topK)).toHaveLength(topK);
      const scores = (await store.search('subject', 20)).map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    });

    test('indexing again replaces the document, its facts and all of its chunks', async () => {
      await store.indexDocument('a', LONG, { state: 'old' });
      await store.indexDocument('a', 'Short now.', { state: 'new' });
      expect(await store.getById('a')).toMatchObject({ content: 'Short now.', metadata: { state: 'new' } });
      expect(await store.search('topic30', 5, { state: 'old' })).toEqual([]);
      await Promise.all([store.indexDocument('a', LONG), store.indexDocument('a', 'The last one.')]);
      expect((await store.getById('a'))?.content).toBe('The last one.');
    });

    test('deletes a document once, and only that one', async () => {
      await store.indexDocuments([
        { docId: 'a', content: LONG },
        { docId: 'b', content: 'Stays.' },
      ]);
      expect(await store.delete('a')).toBe(true);
      expect(await store.delete('a')).toBe(false);
      expect(await store.getById('a')).toBeNull();
      expect((await store.search('topic3 stays')).map(({ docId }) => docId)).toEqual(['b']);
    });

    test('filters by scalars, by type and value, all of them', async () => {
      await store.indexDocuments([
        { docId: 'one', content: 'A text.', metadata: { n: 1, ok: true, kind: 'x' } },
        { docId: 'text', content: 'A text.', metadata: { n: '1', ok: true, kind: 'x' } },
        { docId: 'none', content: 'A text.' },
      ]);
      const find = async (filters: Record<string, string | number | boolean>) =>
        (await store.search('text', { filters })).map(({ docId }) => docId);
      expect(await find({ n: 1 })).toEqual(['one']);
      expect(await find({ n: '1' })).toEqual(['text']);
      expect((await find({ ok: true, kind: 'x' })).sort()).toEqual(['one', 'text']);
      expect(await find({ ok: true, kind: 'y' })).toEqual([]);
      expect(await find({ n: 1.5 })).toEqual([]);
    });

    test('the names of the seed do the same', async () => {
      expect(
        await store.index_document({ doc_id: 'a', content: 'Alpha.', metadata: { source: 'wiki/a' } }),
      ).toBe(true);
      expect(await store.index_documents([{ doc_id: 'b', content: 'Beta.' }])).toBe(1);
      const [result] = await store.search({ query: 'alpha', top_k: 1, filters: { source: 'wiki/a' } });
      expect(result).toMatchObject({ docId: 'a', content: 'Alpha.', passage: 'Alpha.', source: 'wiki/a' });
      expect(result?.doc_id).toBe('a');
      expect((await store.search('beta', 5)).find(({ docId }) => docId === 'b')?.source).toBe('b');
      expect((await store.get_by_id('b'))?.doc_id).toBe('b');
      expect((await store.require_by_id('b')).docId).toBe('b');
      expect(await store.health_check()).toBe(true);
    });

    test('refuses what is wrong, with its own error classes, and writes nothing', async () => {
      const cases: [() => Promise<unknown>, new (...parts: never[]) => Error, string][] = [
        [() => store.indexDocument('', 'text'), IndexingError, 'DOCUMENT_INVALID'],
        [() => store.indexDocument('a', '  '), IndexingError, 'DOCUMENT_INVALID'],
        [() => store.indexDocument('a', 'half \ud800'), IndexingError, 'DOCUMENT_INVALID'],
        [() => store.indexDocument('a', 'text', { $tenant: 'x' }), IndexingError, 'DOCUMENT_INVALID'],
        [() => store.indexDocument('a', 'text', { n: Number.NaN }), IndexingError, 'DOCUMENT_INVALID'],
        [() => store.indexDocument('a', 'text', { n: [1] as never }), IndexingError, 'DOCUMENT_INVALID'],
        [
          () =>
            store.indexDocuments([
              { docId: 'good', content: 'Good.' },
              { docId: 'bad', content: '' },
            ]),
          IndexingError,
          'DOCUMENT_INVALID',
        ],
        [() => store.search(' '), SearchError, 'QUERY_EMPTY'],
        [() => store.search('x', 0), SearchError, 'QUERY_INVALID'],
        [() => store.search('x', 101), SearchError, 'QUERY_INVALID'],
        [() => store.search('x', 5, { $tenant: 'other' }), SearchError, 'QUERY_INVALID'],
        [() => store.search('x', 5, { a: null as never }), SearchError, 'QUERY_INVALID'],
        [() => store.requireById('nobody'), DocumentNotFoundError, 'DOCUMENT_NOT_FOUND'],
      ];
      for (const [call, errorClass, reason] of cases) {
        const error = await call().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(errorClass);
        expect(error).toBeInstanceOf(KnowledgeStoreError);
        expect(RAGError.isInstance(error) && error.reason).toBe(reason);
      }
      expect(await store.getById('good')).toBeNull();
    });

    test('any text comes back unchanged', async () => {
      const line = fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(
          '# Title',
          '',
          '- item',
          '```',
          '| a | b |',
          '|---|---|',
          '---',
          'key: value',
          '\ufeff',
          '\r',
          '   ',
        ),
      );
      const text = fc
        .array(line, { minLength: 1, maxLength: 40 })
        .map((lines) => lines.join('\n'))
        .filter((content) => content.trim() !== '' && content.isWellFormed() && !content.includes('\0'));
      const texts = fc.array(text, { minLength: 40, maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(texts, async (contents) => {
          await store.indexDocuments(contents.map((content, i) => ({ docId: `${i}`, content })));
          for (const [i, content] of contents.entries())
            expect((await store.getById(`${i}`))?.content).toBe(content);
        }),
        { numRuns: 4 },
      );
    });
  });
};
