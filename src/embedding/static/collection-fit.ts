import { endianness } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inverseOf } from './positive-definite.js';

/** How queries are read over one collection. */
export interface CollectionFit {
  /** Factor on each word piece of a query: above 1 where it is rarer in the collection than in general. */
  readonly pieceFactors: Float32Array;
  /** Row-major map of a query's vector that turns down what all texts of the collection have in common. */
  readonly map: Float32Array;
}

export interface CollectionSample {
  /** Distinct word pieces of each text. */
  readonly pieces: readonly Iterable<number>[];
  /** Vector of each text, unit length or zero. */
  readonly vectors: readonly Float32Array[];
  readonly dimensions: number;
  /** How rare each word piece is in general: ln(1 + (N - df + .5) / (df + .5)). */
  readonly backgroundIdf: Float32Array;
}

/** Grows with every change of what is computed below. */
export const COLLECTION_FIT_VERSION = 1;

// Chosen on SciFact train claims, six Jira projects, six documentation packages and two libraries of functions that the model
// never saw (tools/distill/README.md): dense nDCG@10 rises on all four kinds, and is flat around these values.
/** Power of the ratio of idf here to idf in general. */
const IDF_POWER = 0.5;
/** No word counts more than this many times as much as in general, before the power. */
const MAX_RATIO = 2;
/** Added to the covariance, in units of its mean variance. */
const RIDGE = 4;
/** What is believed without any text weighs as much as this many texts. */
const PRIOR_TEXTS = 200;

/**
 * Fits the reading of queries to a collection. Word pieces are weighed by their idf in the collection (as BM25 does), and the
 * vector is multiplied by the inverse of the texts' covariance plus a ridge, both held towards no change by a prior: few texts
 * change little. It is some hundred milliseconds of work, in turns that leave the event loop to others.
 */
export async function learnCollectionFit(sample: CollectionSample): Promise<CollectionFit> {
  const trust = sample.pieces.length / (sample.pieces.length + PRIOR_TEXTS);
  return { pieceFactors: pieceFactorsOf(sample, trust), map: await mapOf(sample, trust) };
}

function pieceFactorsOf({ pieces, backgroundIdf }: CollectionSample, trust: number): Float32Array {
  const frequency = new Uint32Array(backgroundIdf.length);
  for (const text of pieces) for (const piece of text) frequency[piece] = (frequency[piece] ?? 0) + 1;
  const idf = (df: number): number => Math.log1p((pieces.length - df + 0.5) / (df + 0.5));
  // A small sample cannot show how rare a rare word is: in general it counts as no rarer than unseen here.
  const unseen = idf(0);
  return backgroundIdf.map((general, piece) => {
    const ratio = idf(frequency[piece] ?? 0) / Math.max(Math.min(general, unseen), 0.05);
    return Math.min(MAX_RATIO, Math.max(1 / MAX_RATIO, ratio)) ** (IDF_POWER * trust);
  });
}

async function mapOf({ vectors, dimensions: size }: CollectionSample, trust: number): Promise<Float32Array> {
  const covariance = await covarianceOf(vectors, size);
  let trace = 0;
  for (let i = 0; i < size; i++) trace += covariance[i * size + i] ?? 0;
  const variance = trace / size;
  // Texts that are all the same say nothing of directions.
  const scale = variance > 1e-12 ? trust / variance : 0;
  for (let i = 0; i < covariance.length; i++) covariance[i] = (covariance[i] ?? 0) * scale;
  const ridge = RIDGE + (scale === 0 ? 1 : 1 - trust);
  for (let i = 0; i < size; i++) covariance[i * size + i] = (covariance[i * size + i] ?? 0) + ridge;
  await nextTurn();
  return Float32Array.from(inverseOf(covariance, size));
}

/** Vectors that are added up in one turn of the event loop. */
const VECTORS_PER_TURN = 200;

async function covarianceOf(vectors: readonly Float32Array[], size: number): Promise<Float64Array> {
  const mean = new Float64Array(size);
  for (const vector of vectors) for (let i = 0; i < size; i++) mean[i] = (mean[i] ?? 0) + (vector[i] ?? 0);
  for (let i = 0; i < size; i++) mean[i] = (mean[i] ?? 0) / Math.max(1, vectors.length);
  const covariance = new Float64Array(size * size);
  const centred = new Float64Array(size);
  for (const [number, vector] of vectors.entries()) {
    if (number % VECTORS_PER_TURN === 0) await nextTurn();
    for (let i = 0; i < size; i++) centred[i] = (vector[i] ?? 0) - (mean[i] ?? 0);
    for (let i = 0; i < size; i++) {
      const value = (centred[i] ?? 0) / vectors.length;
      for (let j = 0; j <= i; j++)
        covariance[i * size + j] = (covariance[i * size + j] ?? 0) + value * (centred[j] ?? 0);
    }
  }
  for (let i = 0; i < size; i++)
    for (let j = 0; j < i; j++) covariance[j * size + i] = covariance[i * size + j] ?? 0;
  return covariance;
}

/** The vector as the collection's texts make it read, unit length; zero stays zero. */
export function mapQuery(vector: Float32Array, { map }: CollectionFit): Float32Array {
  const size = vector.length;
  const mapped = new Float32Array(size);
  let squares = 0;
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let j = 0; j < size; j++) sum += (map[i * size + j] ?? 0) * (vector[j] ?? 0);
    mapped[i] = sum;
    squares += sum * sum;
  }
  return squares === 0 ? mapped : mapped.map((value) => value / Math.sqrt(squares));
}

/** Little-endian 32-bit numbers: the factors, then the map. */
export function encodeCollectionFit({ pieceFactors, map }: CollectionFit): Uint8Array {
  const numbers = new Float32Array(pieceFactors.length + map.length);
  numbers.set(pieceFactors);
  numbers.set(map, pieceFactors.length);
  return littleEndian(new Uint8Array(numbers.buffer));
}

/** Undefined where the bytes do not fit the model or hold a number that is not finite. */
export function decodeCollectionFit(
  bytes: Uint8Array,
  { pieces, dimensions }: { readonly pieces: number; readonly dimensions: number },
): CollectionFit | undefined {
  const count = pieces + dimensions * dimensions;
  if (bytes.length !== count * Float32Array.BYTES_PER_ELEMENT) return undefined;
  const numbers = new Float32Array(littleEndian(Uint8Array.from(bytes)).buffer);
  if (!numbers.every(Number.isFinite)) return undefined;
  return { pieceFactors: numbers.subarray(0, pieces), map: numbers.subarray(pieces) };
}

function littleEndian(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (endianness() === 'BE') Buffer.from(bytes.buffer).swap32();
  return bytes;
}
