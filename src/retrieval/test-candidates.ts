import fc from 'fast-check';
import type { ScoredChunk, StoredChunk } from '../core/chunk.js';
import type { Metadata } from '../core/metadata.js';
import type { Candidate } from './candidate.js';

/** A stored chunk for tests; what a test is about is given in `changes`. */
export function chunk(id: string, changes: Partial<StoredChunk> = {}): StoredChunk {
  return {
    id,
    documentId: 'd',
    tenant: 'default',
    source: 'docs',
    access: { groups: ['*'], level: 0 },
    content: `Content of ${id}`,
    identifiers: [],
    metadata: {},
    ...changes,
  };
}

/** A candidate with one contribution, so that its sum is right. */
export function candidate(
  id: string,
  score: number,
  changes: { metadata?: Metadata; content?: string; vector?: Float32Array; identifierHits?: number } = {},
): Candidate {
  const { identifierHits = 0, ...ofChunk } = changes;
  return {
    chunk: chunk(id, ofChunk),
    score,
    identifierHits,
    holdsIdentifier: identifierHits > 0,
    contributions: [{ signal: 'dense', value: score }],
  };
}

export const idsOf = (list: readonly { readonly chunk: Pick<StoredChunk, 'id'> }[]): string[] =>
  list.map((entry) => entry.chunk.id);

export const sumOf = ({ contributions }: { contributions: readonly { value: number }[] }): number =>
  contributions.reduce((sum, { value }) => sum + value, 0);

// Steps of a thousandth: min-max normalisation of scores nearer than rounding may tie them.
const scores = fc.integer({ min: -1000, max: 1000 }).map((value) => value / 1000);

/** Hits of a lane: distinct ids out of a small set, best first. */
export const laneHits: fc.Arbitrary<ScoredChunk[]> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 15 }), scores), { selector: ([id]) => id, maxLength: 12 })
  .map((rows) =>
    rows
      .map(([id, score]) => ({ chunk: chunk(`c${id}`), score }))
      .sort((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1)),
  );

/** Candidates in ranking order, with unit vectors and contents that repeat. */
export const candidates: fc.Arbitrary<Candidate[]> = fc
  .array(
    fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(5),
      fc.double({ min: 0, max: 6, noNaN: true }),
    ),
    {
      maxLength: 12,
    },
  )
  .map((rows) =>
    rows
      .map(([score, text, angle], i) =>
        candidate(`c${i}`, score, {
          content: `The same words in text number ${text} of a few`,
          vector: Float32Array.of(Math.cos(angle), Math.sin(angle)),
        }),
      )
      .sort((a, b) => b.score - a.score),
  );
