import { type Candidate, withContribution } from '../candidate.js';

/** Largest share of a score that age can take away: recency reorders what is relevant, it does not replace relevance. */
export const RECENCY_SHARE = 0.5;

const MILLISECONDS_PER_DAY = 86_400_000;

export interface RecencyOptions {
  /** Above 0. */
  readonly halfLifeDays: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Scores with the share that age takes away: score * (1 - RECENCY_SHARE * (1 - 2^(-age / halfLife))), by `updatedAt`, else
 * `createdAt`. A chunk without either counts as one half-life old, neither new nor outdated. The order is the caller's to
 * restore.
 */
export function applyRecency(candidates: readonly Candidate[], options: RecencyOptions): Candidate[] {
  return candidates.map((candidate) => {
    const decay = decayOf(candidate, options);
    return withContribution(candidate, 'recency', -candidate.score * RECENCY_SHARE * (1 - decay));
  });
}

function decayOf({ chunk }: Candidate, { halfLifeDays, now }: RecencyOptions): number {
  const time = timeOf(chunk.metadata.updatedAt) ?? timeOf(chunk.metadata.createdAt);
  if (time === undefined) return 0.5;
  // A date in the future is a clock's mistake, not a merit.
  const ageDays = Math.max(0, now - time) / MILLISECONDS_PER_DAY;
  return 2 ** (-ageDays / halfLifeDays);
}

function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}
