import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testChunk } from '../../context/test-chunks.js';
import { mergeEvidence } from './agent-run.js';

const passage = (id: string, score = 0.5) => testChunk({ id, document: id.slice(0, 1), content: id, score });

const idsOf = (...args: Parameters<typeof mergeEvidence>) =>
  mergeEvidence(...args).map(({ chunk }) => chunk.id);

describe('evidence of several steps', () => {
  it('is ordered by how often and how high it was found', () => {
    expect(
      idsOf(
        [
          [passage('a1'), passage('b1')],
          [passage('b1'), passage('c1')],
        ],
        3,
      ),
    ).toEqual(['b1', 'a1', 'c1']);
  });

  it('shows other documents before second passages of one', () => {
    expect(idsOf([[passage('a1'), passage('a2'), passage('a3'), passage('b1'), passage('c1')]], 3)).toEqual([
      'a1',
      'b1',
      'c1',
    ]);
  });

  it('keeps the best score of a passage', () => {
    expect(mergeEvidence([[passage('a1', 0.2)], [passage('a1', 0.9)]], 1)[0]?.score).toBe(0.9);
  });

  it('holds each passage once, only what was found, and as many as are wanted', () => {
    const id = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(5)).map(([d, n]) => `${d}${n}`);
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(id), { maxLength: 5 }), fc.nat(12), (lists, topK) => {
        const merged = idsOf(
          lists.map((list) => list.map((each) => passage(each))),
          topK,
        );
        const all = new Set(lists.flat());
        expect(new Set(merged).size).toBe(merged.length);
        expect(merged.every((each) => all.has(each))).toBe(true);
        expect(merged.length).toBe(Math.min(topK, all.size));
      }),
    );
  });
});
