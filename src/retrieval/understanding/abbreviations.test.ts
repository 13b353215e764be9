import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAbbreviations } from './abbreviations.js';

describe('findAbbreviations', () => {
  it.each([
    ['A Pod Disruption Budget (PDB) limits evictions.', 'PDB', 'Pod Disruption Budget'],
    ['the PDB (Pod Disruption Budget) limits', 'PDB', 'Pod Disruption Budget'],
    ['we use Container Storage Interfaces (CSIs) here', 'CSI', 'Container Storage Interfaces'],
    ['messenger ribonucleic acid (mRNA)', 'mRNA', 'messenger ribonucleic acid'],
    ['(see Service Level Objective (SLO, or target))', 'SLO', 'Service Level Objective'],
  ])('%s', (text, short, long) => {
    expect(findAbbreviations(text)).toEqual([{ short, long }]);
  });

  it.each([
    'Pods are evicted (PDB) at once.',
    'See the notes (below) and the figure (Figure 2).',
    'Call fetch(URL) now',
    'nothing (IN BRACKETS THAT ARE FAR TOO LONG FOR A SHORT FORM)',
    '',
  ])('finds none in: %s', (text) => {
    expect(findAbbreviations(text)).toEqual([]);
  });

  it('gives only words of the text, and letters of the short form in the order of the long one', () => {
    const word = fc.constantFrom(
      'Pod',
      'disruption',
      'budget',
      '(PDB)',
      '(DB',
      ')',
      '(',
      'P',
      '\n',
      'pdb',
      '(A1)',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), (words) => {
        const text = words.join(' ');
        for (const { short, long } of findAbbreviations(text)) {
          expect(text).toContain(long);
          expect(text).toContain(short);
          const letters = long.toLowerCase();
          let at = -1;
          for (const letter of short.toLowerCase()) {
            at = letters.indexOf(letter, at + 1);
            expect(at).toBeGreaterThanOrEqual(0);
          }
        }
      }),
    );
  });

  it('reads a hundred thousand brackets in linear time', () => {
    const text = 'Pod Disruption Budget (PDB) and ( '.repeat(20_000);
    expect(findAbbreviations(text)).toHaveLength(1);
  });
});
