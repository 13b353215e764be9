import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredChunk } from '../../core/chunk.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { joinAdjacent } from './join-adjacent.js';

/** A document of words, one chunk a word. */
function chunksOf(
  documentId: string,
  words: readonly string[],
  gap: string | undefined = '\n',
): StoredChunk[] {
  let start = 0;
  return words.map((content, index) => {
    const chunk: StoredChunk = {
      id: `${documentId}${index}`,
      documentId,
      tenant: 't',
      source: 's',
      access: OPEN_ACCESS,
      content,
      identifiers: [],
      metadata: {
        offsets: { start, end: start + content.length },
        lines: { start: index + 1, end: index + 1 },
        ...(gap === undefined ? {} : { gap: index === words.length - 1 ? '' : gap }),
      },
    };
    start += content.length + 1;
    return chunk;
  });
}

const found = (chunks: readonly StoredChunk[], ...order: number[]) =>
  order.flatMap((index) => {
    const chunk = chunks[index];
    return chunk === undefined ? [] : [{ chunk }];
  });

describe('joining small chunks', () => {
  const words = chunksOf('d', ['zero', 'one', 'two', 'three', 'four']);

  it('makes one passage of neighbours, at the rank and under the id of the best', () => {
    const joined = joinAdjacent(found(words, 3, 0, 2), 5);
    expect(joined.map(({ chunk }) => [chunk.id, chunk.content])).toEqual([
      ['d3', 'two\nthree'],
      ['d0', 'zero'],
    ]);
    expect(joined[0]?.chunk.metadata).toMatchObject({
      offsets: { start: 9, end: 18 },
      lines: { start: 3, end: 4 },
    });
  });

  it('closes a gap between two passages, which frees a place', () => {
    const joined = joinAdjacent(found(words, 0, 2, 4, 1), 3);
    expect(joined.map(({ chunk }) => chunk.content)).toEqual(['zero\none\ntwo', 'four']);
  });

  it('goes on past a chunk for which there is no place to one that extends a passage', () => {
    const joined = joinAdjacent(found(words, 0, 3, 1), 1);
    expect(joined.map(({ chunk }) => chunk.content)).toEqual(['zero\none']);
  });

  it('stops where the passages are long enough', () => {
    const long = chunksOf(
      'd',
      Array.from({ length: 5 }, (_, i) => String(i).repeat(500)),
    );
    expect(joinAdjacent(found(long, 0, 1, 2, 3), 2).map(({ chunk }) => chunk.content.length)).toEqual([1001]);
  });

  it('leaves chunks of other strategies as they are', () => {
    const plain = chunksOf('d', ['a', 'b', 'c'], undefined).map((chunk) => ({
      ...chunk,
      metadata: { offsets: chunk.metadata.offsets ?? null },
    }));
    expect(joinAdjacent(found(plain, 0, 1, 2), 2)).toEqual(found(plain, 0, 1));
  });

  it('never joins over documents', () => {
    const other = chunksOf('e', ['one', 'two']);
    expect(joinAdjacent([...found(words, 0), ...found(other, 1)], 5)).toHaveLength(2);
  });

  it('passages are exact slices, each chunk is in at most one, and the best stays first', () => {
    const text = words.map(({ content }) => content).join('\n');
    const order = fc.uniqueArray(fc.nat(4), { minLength: 1 });
    fc.assert(
      fc.property(order, fc.integer({ min: 1, max: 5 }), (indexes, passages) => {
        const joined = joinAdjacent(found(words, ...indexes), passages);
        expect(joined.length).toBeLessThanOrEqual(passages);
        expect(joined[0]?.chunk.id).toBe(`d${indexes[0] ?? 0}`);
        const ranges = joined.map(({ chunk }) => {
          const { start, end } = chunk.metadata.offsets as { start: number; end: number };
          expect(chunk.content).toBe(text.slice(start, end));
          return { start, end };
        });
        ranges.sort((a, b) => a.start - b.start);
        ranges.slice(1).forEach(({ start }, i) => {
          expect(start).toBeGreaterThan((ranges[i]?.end ?? 0) + 1);
        });
      }),
    );
  });
});
