import type { StoredChunk } from '../core/chunk.js';
import { compareText } from '../core/filter.js';
import type { GraphStep } from '../relations/graph/walk.js';
import type { Contribution, MorePassages, RankedCandidate } from './retriever.js';

/** A chunk that was found and perhaps not read yet: where finding is all that a step needs, the record stays in the store. */
export type FoundChunk = Pick<StoredChunk, 'id'>;

/** A found chunk with a lane's score; higher is better. */
export interface Hit<Chunk extends FoundChunk = FoundChunk> {
  readonly chunk: Chunk;
  readonly score: number;
}

/** A chunk on its way through the steps of retrieval. Steps make new candidates, they do not change them. */
export interface Candidate<Chunk extends FoundChunk = StoredChunk> {
  readonly chunk: Chunk;
  /** Cosine, where the dense lane saw the chunk. */
  readonly semanticScore?: number;
  /** BM25, where a lexical search saw the chunk. */
  readonly keywordScore?: number;
  readonly rerankScore?: number;
  /** Cosine of the reader, where it read the passage. */
  readonly reading?: number;
  /** How many identifiers of the query the chunk holds, of those that put it before everything else. */
  readonly identifierHits: number;
  /** The chunk holds a rare identifier of the query, decisive or not. */
  readonly holdsIdentifier: boolean;
  /** Calibrated probability of relevance, once it is known. */
  readonly probability?: number;
  /** The graph gave it a better place than its text would. */
  readonly isConnected?: boolean;
  /** Variety gave it another place than its score would. */
  readonly isMoved?: boolean;
  readonly contributions: readonly Contribution[];
  /** Sum of the contributions. */
  readonly score: number;
  /** What it stands for beside itself. */
  readonly more?: MorePassages;
}

/** A candidate whose record need not have been read. */
export type FoundCandidate = Candidate<FoundChunk>;

/** Decisive identifier hits first, then the score, then holders of an identifier, then the id: the one order of retrieval. */
export function compareCandidates(a: FoundCandidate, b: FoundCandidate): number {
  return (
    b.identifierHits - a.identifierHits ||
    b.score - a.score ||
    Number(b.holdsIdentifier) - Number(a.holdsIdentifier) ||
    compareText(a.chunk.id, b.chunk.id)
  );
}

/** The candidate with one more summand; a summand of nothing is left out. */
export function withContribution<Chunk extends FoundChunk>(
  candidate: Candidate<Chunk>,
  signal: string,
  value: number,
): Candidate<Chunk> {
  if (value === 0) return candidate;
  return {
    ...candidate,
    contributions: [...candidate.contributions, { signal, value }],
    score: candidate.score + value,
  };
}

/** The candidate without what a signal gave it. */
export function withoutContribution<Chunk extends FoundChunk>(
  candidate: Candidate<Chunk>,
  signal: string,
): Candidate<Chunk> {
  const contributions = candidate.contributions.filter((contribution) => contribution.signal !== signal);
  return { ...candidate, contributions, score: contributions.reduce((sum, { value }) => sum + value, 0) };
}

/** The candidate with its score set to `score`; the contribution named `signal` closes the sum. */
export const withScore = (candidate: Candidate, score: number, signal: string): Candidate => ({
  ...withContribution(candidate, signal, score - candidate.score),
  score,
});

/** What leaves retrieval: contributions of the same signal are added up, `calibration` last. */
export function rankedCandidateOf(candidate: Candidate, path?: readonly GraphStep[]): RankedCandidate {
  const {
    chunk,
    score,
    probability = 0,
    isMoved = false,
    semanticScore,
    keywordScore,
    rerankScore,
    more,
  } = candidate;
  return {
    chunk,
    score,
    probability,
    ...(more === undefined ? {} : { more }),
    ...(isMoved ? { movedBy: 'variety' as const } : {}),
    explanation: {
      ...(semanticScore === undefined ? {} : { semanticScore }),
      ...(keywordScore === undefined ? {} : { keywordScore }),
      ...(rerankScore === undefined ? {} : { rerankScore }),
      ...(path === undefined ? {} : { path }),
      contributions: summed(candidate.contributions),
    },
  };
}

function summed(contributions: readonly Contribution[]): Contribution[] {
  const values = new Map<string, number>();
  for (const { signal, value } of contributions) values.set(signal, (values.get(signal) ?? 0) + value);
  return Array.from(values, ([signal, value]) => ({ signal, value })).sort(
    (a, b) => Number(a.signal === 'calibration') - Number(b.signal === 'calibration'),
  );
}
