/** What a store needed for so many chunks of 384 dimensions. */
export interface Measurement {
  readonly chunks: number;
  /** Records written in a second. */
  readonly insertRate: number;
  /** Seconds that its index took after that. */
  readonly indexSeconds: number;
  /** Median of a search of the store alone, in milliseconds. */
  readonly searchMs: number;
  readonly diskMiB: number;
  readonly memoryMiB: number;
}

/** `scan`: a search looks at every vector. `graph`: it follows a graph, whose depth grows with the logarithm. */
export type SearchKind = 'scan' | 'graph';

export interface Need {
  readonly chunks: number;
  /** `measured`, or how many times as many chunks as the largest measurement had. */
  readonly basis: 'measured' | number;
  readonly diskGiB: number;
  readonly memoryGiB: number;
  readonly writeHours: number;
  readonly searchMs: number;
}

/** Prices of the reader, in any currency. */
export interface Prices {
  /** A GiB of disk for a month. */
  readonly disk: number;
  /** A GiB of memory for a month, with the machine around it. */
  readonly memory: number;
  /** A million tokens of the embedding model; 0 for one that runs on the machine. */
  readonly tokens: number;
}

const MIB_PER_GIB = 1024;
const SECONDS_PER_HOUR = 3600;

/**
 * What so many chunks need, from two measurements: disk, memory and scans on the line through both, graphs by the logarithm, writing at the rate of the
 * larger one, and building a graph by n log n. @throws Error where the measurements are not of two sizes, the smaller one first
 */
export function needOf(
  chunks: number,
  [small, large]: readonly [Measurement, Measurement],
  kind: SearchKind,
): Need {
  if (small.chunks >= large.chunks) throw new Error('The smaller measurement comes first.');
  const exact = [small, large].find((one) => one.chunks === chunks);
  const line = (of: (one: Measurement) => number): number => {
    if (exact !== undefined) return of(exact);
    const slope = Math.max(0, (of(large) - of(small)) / (large.chunks - small.chunks));
    return Math.max(0, of(large) + slope * (chunks - large.chunks));
  };
  const log = Math.log(chunks) / Math.log(large.chunks);
  const at = exact ?? large;
  const indexSeconds = exact?.indexSeconds ?? large.indexSeconds * (chunks / large.chunks) * log;
  return {
    chunks,
    basis: exact === undefined ? chunks / large.chunks : 'measured',
    diskGiB: line(({ diskMiB }) => diskMiB) / MIB_PER_GIB,
    memoryGiB: line(({ memoryMiB }) => memoryMiB) / MIB_PER_GIB,
    writeHours: (chunks / at.insertRate + indexSeconds) / SECONDS_PER_HOUR,
    searchMs: kind === 'scan' ? line(({ searchMs }) => searchMs) : (exact?.searchMs ?? large.searchMs * log),
  };
}

/** What it costs: once for embedding, and each month for every copy that answers. */
export function costOf(
  { chunks, diskGiB, memoryGiB }: Need,
  {
    prices,
    tokensPerChunk,
    copies = 1,
  }: { readonly prices: Prices; readonly tokensPerChunk: number; readonly copies?: number },
): { readonly once: number; readonly monthly: number } {
  return {
    once: ((chunks * tokensPerChunk) / 1_000_000) * prices.tokens,
    monthly: copies * (diskGiB * prices.disk + memoryGiB * prices.memory),
  };
}
