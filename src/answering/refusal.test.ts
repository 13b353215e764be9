import { expect, test } from 'vitest';
import { isRefusal } from './refusal.js';

test.each([
  'NO_ANSWER',
  'N/A',
  'Not specified in the documents.',
  "I'm sorry, but I cannot answer this question from the passages.",
  'I could not find any information about this.',
  'There is no information about this.',
  'The passages do not say which models are supported, so I cannot answer this question.',
  'Unfortunately, the sources do not mention a price. I cannot tell.',
  "The provided context doesn't contain that information.",
  'Die Passagen enthalten keine Angaben dazu.',
  'Leider kann ich das nicht beantworten.',
])('a refusal in own words is one: %s', (text) => {
  expect(isRefusal(text)).toBe(true);
});

test.each([
  'The passages do not say when; logs are kept for 30 days [1].',
  'Unfortunately the export fails for projects above 500 layers.',
  'There is no limit on the number of projects.',
  'Not specified in the handbook, but the FAQ says 30 days.',
  'No. A key is needed.',
  'I cannot find the price. The plan is billed monthly, and it ends with the year.',
  'No documents are kept after 30 days.',
  'Das Passwort ist nicht in der Konfiguration.',
])('an answer is none: %s', (text) => {
  expect(isRefusal(text)).toBe(false);
});
