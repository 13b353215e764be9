import { expect, test } from 'vitest';
import { exactPartsOf, mayMeanTheSame, SemanticIndex } from './semantic-index.js';

const vector = (...numbers: readonly number[]): Float32Array => Float32Array.from(numbers);
const index = (threshold = 0.9, maxEntries = 10): SemanticIndex =>
  new SemanticIndex({ threshold, maxEntries, ttl: 60 });

test('the nearest question of the same group is found, whatever the lengths of the vectors', () => {
  const questions = index();
  questions.add('far', { group: 'g', text: 'a', vector: vector(0, 1) });
  questions.add('near', { group: 'g', text: 'b', vector: vector(10, 1) });
  questions.add('nearer', { group: 'g', text: 'c', vector: vector(5, 0) });
  const asked = { group: 'g', text: 'd', vector: vector(1, 0) };
  expect(questions.nearest(asked)).toEqual({ key: 'nearer', similarity: 1 });
  questions.remove('nearer');
  expect(questions.nearest(asked)?.key).toBe('near');
  expect(questions.nearest({ ...asked, group: 'other' })).toBeUndefined();
  expect(questions.nearest({ ...asked, vector: vector(1, 1) })).toBeUndefined();
  expect(questions.nearest({ ...asked, vector: vector(1, 0, 0) })).toBeUndefined();
  questions.clear();
  expect(questions.nearest(asked)).toBeUndefined();
});

test('the oldest questions are forgotten', () => {
  const questions = index(0.9, 2);
  for (const key of ['a', 'b', 'c']) questions.add(key, { group: key, text: 'x', vector: vector(1) });
  const known = ['a', 'b', 'c'].filter((group) => questions.nearest({ group, text: 'x', vector: vector(1) }));
  expect(known).toEqual(['b', 'c']);
});

test.each([
  ['What changed in version 1.2?', 'What changed in version 1.3?'],
  ['status of SHOP-481', 'status of SHOP-482'],
  ['what does maxRetries do', 'what does maxDelay do'],
  ['search for "red fox"', 'search for "red dog"'],
  ['Which browsers are supported?', 'Which browsers are not supported?'],
  ['deploy with a downtime', 'deploy without a downtime'],
  ['Who may merge?', "Who can't merge?"],
  ['Which region serves customers in Asia?', 'Which region serves customers in Europe?'],
])('%s is not %s, however near they are', (one, other) => {
  const questions = index();
  const question = { group: 'g', text: one, vector: vector(1) };
  questions.add('one', question);
  expect(questions.nearest({ ...question, text: other })).toBeUndefined();
  expect(questions.nearest({ ...question, text: `Please: ${one}` })?.key).toBe('one');
});

test('words in another order, and other words, leave the exact parts as they are', () => {
  const same = [
    ['Does SHOP-1 block v2.0.1?', 'Is v2.0.1 blocked by SHOP-1?'],
    ['Which region do customers in Asia have?', 'Asia: which region? I ask for customers.'],
    ['Kafka retention', 'What is the retention of Kafka?'],
  ] as const;
  for (const [one, other] of same)
    expect([one, mayMeanTheSame(exactPartsOf(one), exactPartsOf(other))]).toEqual([one, true]);
});
