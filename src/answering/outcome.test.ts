import { expect, test } from 'vitest';
import { type OutcomeEvidence, outcomeOf, withheldFor } from './outcome.js';

const evidence: OutcomeEvidence = {
  ...{ hasPassages: true, missing: [], confidence: 0.5, abstainBelow: undefined, hasModel: false },
};

test.each([
  [0.5, 'answer'],
  [0.22, 'answer'],
  [0.21, 'perhaps'],
  [0.01, 'not-found'],
])('without a model a confidence of %j is %s', (confidence, outcome) => {
  expect(outcomeOf(withheldFor({ ...evidence, confidence }), confidence)).toBe(outcome);
});

test('a model may still say itself that it knows none, and whoever asks may set the limit', () => {
  expect(withheldFor({ ...evidence, confidence: 0.16, hasModel: true })).toBeUndefined();
  expect(withheldFor({ ...evidence, confidence: 0.16, abstainBelow: 0.15 })).toBeUndefined();
});
