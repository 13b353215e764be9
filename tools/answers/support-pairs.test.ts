import { expect, test } from 'vitest';
import { checkSupport, SUPPORT_THRESHOLD } from '../../src/answering/check-support.js';
import { readEvidence } from '../../src/answering/support-features.js';
import { loadTextMeaning } from '../../src/embedding/static/text-meaning.js';
import { pairsOf, readBlindPassages, readSampleBugs, readSupportPassages } from './support-pairs.js';

test.each([
  ['passages that nothing was fitted on', () => readSupportPassages('reporting')],
  ['the sample bugs', readSampleBugs],
  ['steps, lists, roles and opposites', () => readBlindPassages('kinds', 'reporting')],
])(
  'of sentences about %s most right ones stand, hardly one is removed, and most wrong ones are found',
  async (_, read) => {
    const meaning = await loadTextMeaning();
    const judged = read()
      .flatMap(pairsOf)
      .map(({ sentence, passage, isRight }) => {
        const { score, contradiction } = checkSupport(sentence, readEvidence([passage], meaning));
        const isRemoved = contradiction !== undefined;
        return { isRight, isFound: isRemoved || score < SUPPORT_THRESHOLD, isRemoved };
      });
    const share = (of: boolean, is: 'isFound' | 'isRemoved'): number => {
      const those = judged.filter(({ isRight }) => isRight === of);
      return those.filter((each) => each[is]).length / those.length;
    };
    expect(share(true, 'isRemoved')).toBeLessThanOrEqual(0.03);
    expect(share(true, 'isFound')).toBeLessThanOrEqual(0.25);
    expect(share(false, 'isFound')).toBeGreaterThanOrEqual(0.75);
  },
);

test('of invented sentences that take half of their words from a passage every second one is not supported', async () => {
  const meaning = await loadTextMeaning();
  const invented = readBlindPassages('invented-sentences', 'reporting')
    .flatMap(pairsOf)
    .filter(({ isRight }) => !isRight);
  const found = invented.filter(
    ({ sentence, passage }) =>
      checkSupport(sentence, readEvidence([passage], meaning)).score < SUPPORT_THRESHOLD,
  );
  expect(found.length / invented.length).toBeGreaterThanOrEqual(0.5);
});
