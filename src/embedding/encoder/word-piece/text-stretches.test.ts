import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadBuiltinTokenizer } from '../../static/static-embedder.js';
import { sumOverStretches } from './text-stretches.js';
import type { WordPieceTokenizer } from './word-piece-tokenizer.js';

describe('counting a long text stretch by stretch', () => {
  let tokenizer: WordPieceTokenizer;
  beforeAll(async () => {
    tokenizer = await loadBuiltinTokenizer();
  });

  it('gives what counting each slice alone gives, wherever stretches end', () => {
    const unit = fc.constantFrom(
      'a',
      'B',
      'é',
      'Σ',
      '中',
      '😀',
      '\u0301',
      '\u200d',
      '.',
      '[UNK]',
      ' ',
      '\n',
      '\t',
    );
    const cuts = fc.array(fc.tuple(fc.nat(120), fc.nat(120)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 100 }),
        cuts,
        fc.integer({ min: 1, max: 20 }),
        (text, ranges, length) => {
          const count = sumOverStretches(text, (stretch) => tokenizer.countSlices(stretch), length);
          for (const [start, end] of [...ranges, [0, text.length] as const])
            expect(count(start, end)).toBe(tokenizer.countTokens(text.slice(start, end)));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('reads each stretch once when slices are asked for in order', () => {
    const text = 'some words of a text '.repeat(1000);
    let read = 0;
    const countIn = (stretch: string): ((start: number, end: number) => number) => {
      read += stretch.length;
      return (start, end) => end - start;
    };
    const count = sumOverStretches(text, countIn, 100);
    for (let start = 0; start < text.length; start += 30) count(Math.max(0, start - 60), start + 30);
    expect(read).toBe(text.length);
  });
});
