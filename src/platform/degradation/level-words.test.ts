import { expect, it } from 'vitest';
import { expectedLossAt } from './degradation-report.js';
import type { PartName } from './level.js';
import { type DegradedResponse, levelWords } from './level-words.js';

const atLevelOne = (parts: readonly PartName[], more: Partial<DegradedResponse> = {}): string =>
  levelWords({ degradationLevel: 1, degradation: { parts, expectedLoss: expectedLossAt(1) }, ...more });
const UNSUPPORTED = { fallback: { reason: 'UNSUPPORTED_ANSWER' } };

it.each([
  ['without the reranker', [], {}],
  ['without the reranker', ['reranker'], { stages: { rerank: 3 } }],
  ['without the reranker', [], { stages: { rerank: 3 }, lanes: [{ lane: 'rerank', status: 'failed' }] }],
  ['without the lexical lane', [], { lanes: [{ lane: 'lexical', status: 'failed' }] }],
  ["the language model's answer was removed", [], { ...UNSUPPORTED, stages: { rerank: 3 } }],
  ["without the reranker, the language model's answer was removed", ['reranker'], UNSUPPORTED],
  ['without the language model', [], { fallback: { reason: 'CHAT_UNAVAILABLE' } }],
  ['a part did not answer', ['ledger'], { stages: { rerank: 3 } }],
] as const)('level 1 is told by its cause: %s', (words, parts, more) => {
  expect(atLevelOne(parts, more)).toBe(words);
});

it('any other level has words of its own', () => {
  const told = ([2, 3, 4, 5] as const).map((degradationLevel) =>
    levelWords({ degradationLevel, ...UNSUPPORTED }),
  );
  expect(told).toEqual(['as it was found before', 'by words alone', 'static texts alone', 'switched off']);
});
