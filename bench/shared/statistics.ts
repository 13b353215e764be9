import { mean } from '../../src/evaluation/metrics.js';

/** The value below which a share of the values lies, linear between neighbours. NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const lower = sorted[Math.floor(position)] ?? Number.NaN;
  const upper = sorted[Math.ceil(position)] ?? Number.NaN;
  return lower + (upper - lower) * (position - Math.floor(position));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export interface MeanAndDeviation {
  readonly mean: number;
  readonly deviation: number;
}

/** Mean and standard deviation of all there is; 0 of nothing. */
export function meanAndDeviation(values: readonly number[]): MeanAndDeviation {
  const middle = mean(values);
  return { mean: middle, deviation: Math.sqrt(mean(values.map((value) => (value - middle) ** 2))) };
}

/** To three significant digits: benchmarks know no more. */
export const rounded = (value: number): number => Number(value.toPrecision(3));

/** Smallest and largest of repeated measurements, as `lowest..highest`. */
export const spread = (values: readonly number[]): string =>
  `${rounded(Math.min(...values))}..${rounded(Math.max(...values))}`;

/** `spread`, and how sure that is to hold the median of all such measurements: 1 - 2^(1-n), whatever their distribution (a sign test). */
export const medianInterval = (values: readonly number[]): string =>
  `${spread(values)} at ${Math.round(100 * (1 - 2 ** (1 - values.length)))} %`;

/** How long work took, and what it gave. */
export interface Timed<T> {
  /** Milliseconds on the clock. */
  readonly ms: number;
  /** Milliseconds of all cores together, of every thread of this process. */
  readonly cpuMs: number;
  readonly value: T;
}

export async function timed<T>(work: () => T | Promise<T>): Promise<Timed<T>> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000, value };
}
