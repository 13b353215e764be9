import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinedText } from './pushed-document.js';

describe('pieces of a document', () => {
  it('that overlap stand once, whatever was cut where', () => {
    // Words that do not repeat, so that the overlap is the one that was cut.
    const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 30, maxLength: 60 });
    fc.assert(
      fc.property(
        words,
        fc.integer({ min: 60, max: 120 }),
        fc.integer({ min: 20, max: 50 }),
        (list, size, overlap) => {
          const text = list.join(' ');
          const pieces: string[] = [];
          for (let start = 0; start + overlap < text.length; start += size - overlap)
            pieces.push(text.slice(start, start + size));
          expect(joinedText(pieces)).toBe(text);
        },
      ),
    );
  });

  it('that do not are parted, and a letter in common is no overlap', () => {
    expect(joinedText(['One sentence.', '. And another.'])).toBe('One sentence.\n\n. And another.');
    expect(joinedText([])).toBe('');
    expect(joinedText(['alone'])).toBe('alone');
  });

  it('of one letter over and over are joined without taking long', () => {
    const piece = 'x'.repeat(100_000);
    expect(joinedText([piece, piece]).length).toBeGreaterThan(100_000);
  });
});
