import { describe, expect, it } from 'vitest';
import { testChunk } from '../../context/test-chunks.js';
import { missingNames } from './follow-rules.js';

describe('names of a question that no passage holds', () => {
  const found = [testChunk({ content: 'The Gateway of SHOP-481 uses maxRetries.' })];
  it.each([
    ['Does the Gateway log to Loki, as SHOP-512 says?', ['Loki', 'SHOP-512']],
    ['What does SHOP-481 say of maxRetries in the Gateway?', []],
    ['Which retention is later?', []],
  ])('%s', (question, names) => expect(missingNames(question, found)).toEqual(names));
});
