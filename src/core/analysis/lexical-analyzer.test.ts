import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  analyzeQuery,
  analyzeText,
  analyzeWord,
  MAX_QUERY_LENGTH,
  MAX_QUERY_TERMS,
  termsOfName,
} from './lexical-analyzer.js';
import { normaliseText } from './normalise.js';
import { codeName } from './test-names.js';
import { forEachWord, MAX_TERM_LENGTH } from './tokens.js';

describe('analyzeText', () => {
  it.each([
    ['getUserById', ['getuserbyid', 'get', 'user', 'id']],
    ['PPR-9087', ['ppr-9087', 'ppr', '9087']],
    ['max_token_count', ['max_token_count', 'max', 'token', 'count']],
    ['HTTPServer2', ['httpserver2', 'http', 'server', '2']],
    ['release 3.0.0', ['releas', '3.0.0']],
    ['the cats are running', ['cat', 'run']],
    ["the patient's data, don't", ['patient', 'data']],
    ['naïve Café', ['naiv', 'cafe']],
    ['ﬁle Ｔｅｓｔ', ['file', 'test']],
    ['Straße smørrebrød', ['strass', 'smorrebrod']],
    ['Müller', ['mueller', 'muller']],
    ['Kündigungsfrist', ['kuendigungsfrist', 'kuendigung', 'frist', 'kundigungsfrist', 'kundigung', 'frist']],
    ['المكتبة ومكتبه', ['مكتبه', 'ومكتبه', 'مكتبه']],
    ['Ёлка', ['елка']],
    ['İstanbul ısı', ['istanbul', 'isi']],
    ['向量检索', ['向量', '量检', '检索']],
    ['API接口', ['api', '接口']],
    ['データ', ['デー', 'ータ']],
    ['й и', ['й', 'и']],
    ['水', ['水']],
    ['', []],
    ['!? ... --', []],
  ])('%s', (text, terms) => {
    expect(analyzeText(text)).toEqual(terms);
  });

  it('keeps repetitions, which are term frequencies', () => {
    expect(analyzeText('cat cats CAT')).toEqual(['cat', 'cat', 'cat']);
  });

  it('cannot be fooled by an invisible character inside a word', () => {
    expect(analyzeText('pass\u200bword')).toEqual(analyzeText('password'));
  });

  it('yields short terms without white space, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (text) => {
        for (const term of analyzeText(text)) {
          expect(term).not.toMatch(/\s/);
          expect(term.length).toBeGreaterThan(0);
          expect(term.length).toBeLessThanOrEqual(MAX_TERM_LENGTH);
        }
      }),
    );
  });

  it('reads a query and a document alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        const { terms, truncated } = analyzeQuery(text);
        if (!truncated) expect(terms).toEqual([...new Set(analyzeText(text))]);
      }),
    );
  });

  it('finds upper case text by its lower case form, and composed text by its decomposed form', () => {
    const words = fc.array(fc.stringMatching(/^[a-zà-öø-ž]{1,12}$/), { maxLength: 6 });
    fc.assert(
      fc.property(words, (list) => {
        const text = list.join(' ');
        expect(analyzeText(text.normalize('NFD'))).toEqual(analyzeText(text.normalize('NFC')));
      }),
    );
  });
});

describe('analyzeWord', () => {
  it('gives the terms that analyzeText gives for a word of a text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme-ascii' })), (text) => {
        forEachWord(normaliseText(text), (word) => expect(analyzeWord(word)).toEqual(analyzeText(word)));
      }),
      { numRuns: 2_000 },
    );
    for (const word of [
      'getUserById',
      "don't",
      "patient's",
      'PPR-9087',
      'x'.repeat(64),
      'The',
      '3.4.0',
      '日本',
    ])
      expect(analyzeWord(word)).toEqual(analyzeText(word));
  });
});

describe('hostile texts', () => {
  // Each of them took minutes with a quadratic step anywhere, which runs into the test's time limit.
  it.each([
    ['one word', 'a'.repeat(3_000_000)],
    ['joiners', 'a-'.repeat(1_000_000)],
    ['joiners without words', '_-'.repeat(1_000_000)],
    ['dots between digits', '1.'.repeat(1_000_000)],
    ['apostrophes', "a'".repeat(1_000_000)],
    ['case changes', 'aA'.repeat(1_000_000)],
    ['combining marks out of order', `a${'\u0301\u0316'.repeat(400_000)}`],
    ['an expanding ligature', '\ufdfa'.repeat(200_000)],
    ['lone surrogates', '\ud800a'.repeat(500_000)],
    ['ideographs', '水'.repeat(1_000_000)],
  ])('%s', (_name, text) => {
    expect(analyzeText(text).every((term) => term.length <= MAX_TERM_LENGTH)).toBe(true);
  });
});

describe('analyzeQuery', () => {
  it('gives distinct terms, and how often each occurs', () => {
    expect(analyzeQuery('cat dog cats')).toMatchObject({ terms: ['cat', 'dog'], counts: [2, 1] });
    const many = Array.from({ length: MAX_QUERY_TERMS + 1 }, (_, i) => `${1000 + i} ${1000 + i}`).join(' ');
    expect(analyzeQuery(many).counts).toEqual(new Array(MAX_QUERY_TERMS).fill(2));
  });

  it('tells stop words from nothing at all', () => {
    expect(analyzeQuery('what is the').isStopWordsOnly).toBe(true);
    expect(analyzeQuery('what is the cat').isStopWordsOnly).toBe(false);
    expect(analyzeQuery('?!').isStopWordsOnly).toBe(false);
  });

  it('cuts a long query and says so', () => {
    expect(analyzeQuery('word '.repeat(MAX_QUERY_LENGTH)).truncated).toBe(true);
    const manyDistinct = Array.from({ length: MAX_QUERY_TERMS + 1 }, (_, i) => String(i)).join(' ');
    expect(analyzeQuery(manyDistinct)).toMatchObject({ truncated: true });
    expect(analyzeQuery(manyDistinct).terms).toHaveLength(MAX_QUERY_TERMS);
    expect(analyzeQuery('a short one').truncated).toBe(false);
  });

  it('takes operators and quotes for text', () => {
    expect(analyzeQuery('title:"cat" AND -dog OR *; DROP TABLE').terms).toEqual([
      'titl',
      'cat',
      'dog',
      'drop',
      'tabl',
    ]);
  });
});

describe('termsOfName', () => {
  const holds = (text: string, name: string): boolean => {
    const terms = analyzeText(text);
    return termsOfName(name).some((term) => terms.includes(term));
  };

  it('finds a name that a text holds, in its own case and in lower case', () => {
    const place = fc.constantFrom('', ' ', '`', '(', '/', '@', '"', "'");
    fc.assert(
      fc.property(codeName, place, place, (name, before, after) => {
        expect(holds(`Here is ${before}${name}${after} told of.`, name)).toBe(true);
        expect(holds(`Here is ${before}${name.toLowerCase()}${after} told of.`, name)).toBe(true);
      }),
    );
  });

  it.each([
    ['One ProxyAgent is enough.', 'ProxyAgents', true],
    ['The store is MongoDB.', 'DB', true],
    ['A DB is a store.', 'MongoDB', false],
    ['The snapshot of an agent.', 'SnapshotAgent', false],
    ['', '...', false],
  ])('in %j: %s is %j', (text, name, isHeld) => {
    expect(holds(text, name)).toBe(isHeld);
  });
});
