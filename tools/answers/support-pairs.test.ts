import { expect, test } from 'vitest';
import { checkSupport, SUPPORT_THRESHOLD } from '../../src/answering/check-support.js';
import { readEvidence } from '../../src/answering/support-features.js';
import { pairsOf, readSampleBugs, readSupportPassages } from './support-pairs.js';

test.each([
  ['passages that nothing was fitted on', () => readSupportPassages('reporting')],
  ['the sample bugs', readSampleBugs],
])(
  'of sentences about %s most right ones stand, hardly one is removed, and most wrong ones are found',
  async (_, read) => {
    const judged = (await read()).flatMap(pairsOf).map(({ sentence, passage, isRight }) => {
      const { score, contradiction } = checkSupport(sentence, readEvidence([passage]));
      return { isRight, isFound: score < SUPPORT_THRESHOLD, isRemoved: contradiction !== undefined };
    });
    const share = (of: boolean, is: 'isFound' | 'isRemoved'): number => {
      const those = judged.filter(({ isRight }) => isRight === of);
      return those.filter((each) => each[is]).length / those.length;
    };
    expect(share(true, 'isRemoved')).toBeLessThanOrEqual(0.03);
    expect(share(true, 'isFound')).toBeLessThanOrEqual(0.4);
    expect(share(false, 'isFound')).toBeGreaterThanOrEqual(0.75);
  },
);
