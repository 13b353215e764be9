import { describe, expect, it } from 'vitest';
import { shortExplanation, wholeExplanation } from './score-explanation.js';

const contributions = [
  { signal: 'dense', value: 0.36 },
  { signal: 'lexical', value: 0.513 },
  { signal: 'rerank', value: -0.11 },
  { signal: 'calibration', value: -0.05 },
];

describe('explanations of a score', () => {
  it('name what found the passage, the larger share first, and what changed its score by how much', () => {
    expect(shortExplanation({ contributions })).toBe('why: matching words, similar meaning, reranker -0.11');
  });

  it('leave out what changed nothing, and give no figure for an exact identifier', () => {
    const exact = [
      { signal: 'lexical', value: 0.002 },
      { signal: 'identifier', value: 1 },
      { signal: 'recency', value: -0.004 },
    ];
    expect(shortExplanation({ contributions: exact })).toBe('why: exact identifier');
    expect(shortExplanation({ contributions: [] })).toBe('why: no single signal stands out');
  });

  it('show the whole sum and the figures behind it', () => {
    expect(
      wholeExplanation({ contributions, semanticScore: 0.278, keywordScore: 9.55, rerankScore: 0.28 }),
    ).toEqual([
      'why: 0.513 matching words + 0.360 similar meaning - 0.110 reranker - 0.050 calibration = 0.713',
      'raw: cosine 0.278, BM25 9.55, reranker 0.280',
    ]);
    expect(wholeExplanation({ contributions })).toHaveLength(1);
  });
});
