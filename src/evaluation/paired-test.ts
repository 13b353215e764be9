import { RAGError } from '../core/errors.js';
import { mean } from './metrics.js';
import { seededRandom } from './random.js';

export interface PairedTestResult {
  /** Mean of `b - a` over the queries. */
  readonly difference: number;
  /** Two-sided: how often chance alone gives a difference at least as large. */
  readonly pValue: number;
  /** Whether every assignment of signs was tried; otherwise a sample of them. */
  readonly exact: boolean;
}

export interface PairedTestOptions {
  /** Sampled assignments; where no more than that exist, all are tried instead. Default 100,000. */
  readonly permutations?: number;
  /** Default 1: the same figures each time. */
  readonly seed?: number;
}

// Two assignments with the same sum in exact arithmetic may differ in the last bits.
const ROUNDING = 1e-12;

/**
 * Fisher's paired randomisation test on the mean difference of two systems over the same queries, the test that
 * Smucker, Allan and Carterette (CIKM 2007) recommend for retrieval over the sign and Wilcoxon tests. Under the null
 * hypothesis each query's two values could as well be swapped. A sampled p-value is (count + 1) / (samples + 1), which
 * is never 0 (Phipson and Smyth 2010).
 *
 * @throws RAGError `USAGE` where the lists differ in length, are empty or hold what is not a finite number.
 */
export function pairedRandomisationTest(
  a: readonly number[],
  b: readonly number[],
  { permutations = 100_000, seed = 1 }: PairedTestOptions = {},
): PairedTestResult {
  const differences = differencesOf(a, b);
  const difference = mean(differences);
  // A query without a difference is the same under both signs.
  const signed = differences.filter((value) => value !== 0);
  const observed = Math.abs(signed.reduce((sum, value) => sum + value, 0)) - ROUNDING;
  const exact = signed.length < 31 && 2 ** signed.length <= permutations;
  const pValue = exact
    ? countExactly(signed, observed) / 2 ** signed.length
    : (countSampled(signed, observed, { permutations, seed }) + 1) / (permutations + 1);
  return { difference, pValue, exact };
}

function countExactly(differences: readonly number[], observed: number): number {
  let count = 0;
  for (let signs = 0; signs < 2 ** differences.length; signs++) {
    const sum = differences.reduce((total, value, i) => total + ((signs >> i) & 1 ? -value : value), 0);
    if (Math.abs(sum) >= observed) count++;
  }
  return count;
}

function countSampled(
  differences: readonly number[],
  observed: number,
  { permutations, seed }: Required<PairedTestOptions>,
): number {
  const random = seededRandom(seed);
  let count = 0;
  for (let i = 0; i < permutations; i++) {
    let sum = 0;
    for (const value of differences) sum += random() < 0.5 ? value : -value;
    if (Math.abs(sum) >= observed) count++;
  }
  return count;
}

export interface BootstrapOptions {
  /** Resamples of the queries. Default 10,000. */
  readonly samples?: number;
  /** Share of resamples inside the interval. Default 0.95. */
  readonly confidence?: number;
  /** Default 1. */
  readonly seed?: number;
}

/**
 * Percentile bootstrap interval of the mean of `b - a` (Efron and Tibshirani 1993, chapter 13; for retrieval
 * Sakai, SIGIR 2006): queries are drawn again with replacement.
 *
 * @throws RAGError `USAGE` where the lists differ in length, are empty or hold what is not a finite number.
 */
export function bootstrapInterval(
  a: readonly number[],
  b: readonly number[],
  { samples = 10_000, confidence = 0.95, seed = 1 }: BootstrapOptions = {},
): { readonly low: number; readonly high: number } {
  const differences = differencesOf(a, b);
  const random = seededRandom(seed);
  const means = Float64Array.from({ length: samples }, () => resampledMean(differences, random)).sort();
  const tail = (1 - confidence) / 2;
  const at = (share: number): number => means[Math.min(samples - 1, Math.floor(share * samples))] ?? 0;
  return { low: at(tail), high: at(1 - tail) };
}

function resampledMean(values: readonly number[], random: () => number): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[Math.floor(random() * values.length)] ?? 0;
  return sum / values.length;
}

function differencesOf(a: readonly number[], b: readonly number[]): number[] {
  if (a.length !== b.length || a.length === 0) {
    throw new RAGError(
      'USAGE',
      `A paired comparison needs two values for each query: got ${a.length} and ${b.length}. Evaluate both systems on the same queries.`,
    );
  }
  const differences = a.map((value, i) => (b[i] ?? value) - value);
  if (differences.every((value) => Number.isFinite(value))) return differences;
  throw new RAGError('USAGE', 'A paired comparison needs finite numbers; at least one value is not.');
}
