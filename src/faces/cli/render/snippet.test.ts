import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeQuery, analyzeText } from '../../../index.js';
import { bestSnippet, type Snippet } from './snippet.js';

const snippetOf = (content: string, query: string, maxLength = 120): Snippet =>
  bestSnippet(content, { terms: new Set(analyzeQuery(query).terms), termsOf: analyzeText, maxLength });

const marked = ({ text, matches }: Snippet): string[] =>
  matches.map(({ start, end }) => text.slice(start, end));

describe('bestSnippet', () => {
  test('marks words of the query in any inflection, and no others', () => {
    const snippet = snippetOf('Retries are retried by the retrying client; tries are not.', 'retry');
    expect(marked(snippet)).toEqual(['Retries', 'retried', 'retrying']);
  });

  test('marks a part of a compound name', () => {
    expect(marked(snippetOf('call getUserById() now', 'user'))).toEqual(['getUserById']);
  });

  test('shows the window with the most distinct terms, wherever it is', () => {
    const filler = 'Nothing of interest stands here at all. '.repeat(20);
    const content = `alpha ${filler}alpha alpha alpha ${filler}alpha beats beta here. ${filler}`;
    const snippet = snippetOf(content, 'alpha beta');
    expect(new Set(marked(snippet))).toEqual(new Set(['alpha', 'beta']));
    expect(snippet).toMatchObject({ isCutBefore: true, isCutAfter: true });
  });

  test('begins at the start where nothing matches', () => {
    const snippet = snippetOf(`First words. ${'More words. '.repeat(50)}`, 'zebra');
    expect(snippet.text.startsWith('First words.')).toBe(true);
    expect(snippet).toMatchObject({ isCutBefore: false, isCutAfter: true, matches: [] });
  });

  test('a short passage is shown whole', () => {
    expect(snippetOf('  short  ', 'x')).toEqual({
      text: 'short',
      matches: [],
      isCutBefore: false,
      isCutAfter: false,
    });
  });

  test('is part of the passage, no longer than asked for, with matches that are words of the query', () => {
    const word = fc.constantFrom(
      'alpha',
      'beta',
      'gammas',
      'x',
      '\n',
      '😀'.repeat(99),
      'ß',
      'a'.repeat(90),
      '`code`',
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 200 }),
        fc.integer({ min: 50, max: 300 }),
        (words, maxLength) => {
          const content = words.join(' ');
          const snippet = snippetOf(content, 'alpha gamma', maxLength);
          expect(content).toContain(snippet.text);
          expect(snippet.text.length).toBeLessThanOrEqual(maxLength);
          expect(Buffer.from(snippet.text).toString()).toBe(snippet.text);
          for (const text of marked(snippet)) expect(['alpha', 'gammas']).toContain(text);
          const hasMatch = words.some((text) => text === 'alpha' || text === 'gammas');
          expect(snippet.matches.length > 0).toBe(hasMatch);
        },
      ),
    );
  });

  test('ends soon on a passage of a megabyte', () => {
    const content = 'alpha beta '.repeat(100_000);
    expect(marked(snippetOf(content, 'alpha beta')).length).toBeGreaterThan(0);
  });
});
