import { expect, it } from 'vitest';
import { openUnigram } from './test-unigram-tokenizer.js';

it.each([
  ['one word', 'a'],
  ['unknown letters', 'q'],
  ['blanks', ' '],
  ['line ends', '\r\n'],
  ['accents', '\u0301'],
  ['joined emoji', '👩\u200d'],
  ['flags', '🇩'],
  ['jamo', '\u1112\u1161'],
  ['marks of words', '▁'],
  ['tokens that are almost written out', '<mask'],
  ['tokens that are written out behind blanks', '   <mask>'],
  ['half pairs', '\ud83d'],
])('takes linear time for half a megabyte of %s', (_, unit) => {
  const text = unit.repeat(500_000 / unit.length);
  // Quadratic time would be minutes, so the suite's own time limit is the assertion.
  for (const form of ['words between white space', 'text without blanks at its end'])
    expect(openUnigram(form).countTokens(text)).toBeLessThanOrEqual(text.length + 1);
});
