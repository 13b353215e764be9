import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyText, idsOf, openTokenizers } from './test-reference-tokenizer.js';
import type { WordPieceTokenizer } from './word-piece-tokenizer.js';

const SHARED = join(import.meta.dirname, '../../../../../shared');
const TOKENIZER_FILE = join(SHARED, 'models/all-MiniLM-L6-v2/tokenizer.json');
const DATA = join(SHARED, 'data');

let ours: WordPieceTokenizer;
let reference: (text: string) => number[];

beforeAll(async () => {
  ({ ours, reference } = await openTokenizers());
});

describe('WordPieceTokenizer', () => {
  it('has the ids of the reference tokenizer for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect([...ours.encode(text)]).toEqual(reference(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('counts slices of a text as if they stood alone', () => {
    const plain = fc.string({
      unit: fc.constantFrom(
        'a',
        'B',
        'é',
        'ß',
        'я',
        '.',
        '-',
        ' ',
        '\n',
        '—',
        '😀',
        '[',
        'Σ',
        '中',
        '\u200d',
      ),
      maxLength: 60,
    });
    const cuts = fc.array(fc.tuple(fc.nat(90), fc.nat(90)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.oneof(plain, anyText, fc.lorem({ maxCount: 12 })), cuts, (text, ranges) => {
        const count = ours.countSlices(text);
        for (const [start, end] of [...ranges, [0, text.length] as const]) {
          expect(count(start, end)).toBe(ours.countTokens(text.slice(start, end)));
        }
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['one word', 'a'.repeat(5_000_000), 1],
    ['accents in an order that canonical ordering must reverse', `a${'\u0301\u0323'.repeat(2_500_000)}`, 1],
    ['spacing marks of two classes', `a${'\u302e\u1b44'.repeat(2_500_000)}`, 1],
    ['accents between joiners', '\u0301\u200d'.repeat(2_500_000), 0],
    ['brackets', '['.repeat(1_000_000), 1_000_000],
    ['ideographs', '中'.repeat(1_000_000), 1_000_000],
  ])('takes linear time for megabytes of %s', (_, text, expected) => {
    // Quadratic time would be hours, so the suite's own time limit is the assertion.
    expect(ours.countTokens(text)).toBe(expected);
  });

  const files = corpusFiles();
  const missing = [TOKENIZER_FILE, ...files].find((file) => !existsSync(file));
  if (missing !== undefined) console.warn(`skipped: id equality over corpora, because ${missing} is absent`);
  it.skipIf(missing !== undefined)(
    'has the ids of MiniLM over megabytes of prose, code and issues in many languages',
    () => {
      const miniLm = idsOf(JSON.parse(readFileSync(TOKENIZER_FILE, 'utf8')) as object);
      let characters = 0;
      for (const file of files) {
        // In pieces, so that a failure shows where it is.
        for (const text of readFileSync(file, 'utf8').match(/.{1,4000}/gs) ?? []) {
          characters += text.length;
          expect([...ours.encode(text)], file).toEqual(miniLm(text));
        }
      }
      expect(characters).toBeGreaterThan(5_000_000);
    },
    300_000,
  );
});

function corpusFiles(): string[] {
  const playbook = join(DATA, 'corpora/ise-playbook');
  const markdown = existsSync(playbook)
    ? readdirSync(playbook, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
    : [];
  return [
    ...markdown.map((name) => join(playbook, name)),
    join(DATA, 'fixtures/bugs/multilingual-vscode/multilingual_bug_reports_vscode.csv'),
    join(DATA, 'fixtures/bugs/multilingual-vscode/multilingual_labelled_translated.csv'),
    ...['de', 'es', 'zh'].map((language) => join(DATA, `retrieval/xquad-en/queries-${language}.jsonl`)),
  ];
}
