import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLabelledLines, readMarkedLines } from '../../../tools/redaction/labelled-texts.js';
import { scoreDetections } from '../../../tools/redaction/score-detections.js';
import { detectSensitive } from './detect.js';
import { REDACTION_TYPES } from './detection.js';

const ALL = new Set(REDACTION_TYPES);
const FLOOR = 0.95;
const labelled = readLabelledLines();

describe('what is found', () => {
  it('an address whose sign Markdown escapes', () => {
    const text = String.raw`Mail ops\@example.org.`;
    expect(detectSensitive(text, new Set(['EMAIL'] as const))).toMatchObject([
      { start: 5, end: text.length - 1 },
    ]);
  });

  it.each(readMarkedLines())('$id: $text', ({ text, spans }) => {
    expect(detectSensitive(text, ALL)).toEqual(spans);
  });

  it('keeps to the types that are asked for', () => {
    const text = 'jane@acme.example on 192.0.2.7';
    expect(detectSensitive(text, new Set(['EMAIL'] as const)).map(({ type }) => type)).toEqual(['EMAIL']);
  });

  it('does not take a value of a type that is left out for another', () => {
    // The IBAN's digits are a phone number to whoever does not know that they are an IBAN.
    const text = 'IBAN: DE89 3704 0044 0532 0130 00';
    expect(detectSensitive(text, new Set(['PHONE'] as const))).toEqual([]);
  });

  const measured = labelled === undefined ? it.skip : it;
  if (labelled === undefined) console.log('skipped: no labelled lines beside the repository');
  measured('reaches precision and recall of 0.95 in each type on labelled lines', () => {
    const scores = scoreDetections(labelled ?? []);
    expect(scores.filter(({ precision, recall }) => precision < FLOOR || recall < FLOOR)).toEqual([]);
    expect(Math.min(...scores.map(({ found }) => found))).toBeGreaterThan(0);
  });
});

describe('hostile text', () => {
  it('gives ordered, separate ranges inside any text', () => {
    const pieces = fc.constantFrom(
      ...readMarkedLines().map(({ text }) => text),
      '@',
      '://',
      '+',
      '-----BEGIN ',
      '"',
      '\n',
      '🧵',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let from = 0;
        for (const { start, end } of detectSensitive(text, ALL)) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          from = end;
        }
        expect(from).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 300 },
    );
  });

  // Each would take minutes where time grew with the square of the length.
  const repeated = [
    ...[
      'a',
      '1',
      '@',
      'a@',
      'a.',
      '0 ',
      '12-',
      '+1',
      ':',
      '://',
      '://a:',
      'f:',
      '=',
      '"',
      'eyJa.',
      '-',
      'A1 ',
      '(',
      '.1',
    ],
    ...[
      'password',
      'password=',
      'token: ',
      'token="',
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA',
      'xoxb-',
      'mysql a',
      'curl ',
      '--pass',
      '0123 ',
      '%40',
      'sk-a',
      ' ',
      '\n',
    ],
  ];
  it.each(repeated.map((unit) => ({ unit })))(
    'reads 200,000 characters of $unit before anybody gives up',
    ({ unit }) => {
      // Linear time takes seconds on the slowest machine, quadratic time many minutes: the limit lies far from both.
      expect(detectSensitive(unit.repeat(200_000 / unit.length), ALL)).toBeDefined();
    },
    120_000,
  );
});
