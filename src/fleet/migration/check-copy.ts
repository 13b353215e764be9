import type { StoredChunk } from '../../core/chunk.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { compareChunks } from '../../indexing/compare-chunks.js';
import type { GenerationReader } from '../../ledger/ledger.js';
import type { CopyPair } from './copy-documents.js';
import type { CopyCheck } from './migration-types.js';

/** Vectors that are compared at least, where there are so many. */
const VECTORS = 2_000;
/** Chunks whose vectors are read in one call. */
const AT_ONCE = 500;
/** Least cosine of a vector and its copy: a store may halve the precision of vectors. */
const LEAST_COSINE = 0.999;
const PAGE = 500;
/** Differences that a message names. */
const SHOWN = 3;

export interface CheckOptions {
  /** Chunks of the copy, as its ledger says. */
  readonly total: number;
  readonly onChecked: (chunks: number) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Compares the copy with what was copied: every chunk that its store holds with the hash of it that the ledger took over, every stored text,
 * vectors of a sample; and asks its store what a search asks.
 *
 * @throws RAGError `MIGRATION_FAILED` naming what differs; `STORE_DAMAGED`
 */
export async function checkCopy(
  pair: CopyPair,
  reader: GenerationReader,
  { total, onChecked, signal }: CheckOptions,
): Promise<CopyCheck> {
  const differences: string[] = [];
  const sample: string[] = [];
  const every = Math.max(1, Math.floor(total / VECTORS));
  let chunks = 0;
  let vectors = 0;
  const compareSample = async (): Promise<void> => {
    vectors += sample.length;
    differences.push(...(await compareVectors(sample.splice(0), pair, signal)));
  };
  for await (const { actual, difference } of compareChunks(reader, pair.to.collection, signal)) {
    throwIfAborted(signal);
    if (difference !== undefined) differences.push(difference.detail);
    if (actual === undefined) continue;
    if (chunks % every === 0) sample.push(actual.id);
    chunks += 1;
    if (sample.length >= AT_ONCE) await compareSample();
    if (chunks % AT_ONCE === 0) onChecked(AT_ONCE);
  }
  await compareSample();
  const texts = await compareTexts(pair.from.reader, reader, signal);
  differences.push(...texts.differences);
  if (differences.length > 0) throw notTheSame(differences);
  return { documents: texts.documents, chunks, vectors };
}

async function compareVectors(
  ids: readonly string[],
  { from, to }: CopyPair,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const options = { includeVectors: true, ...(signal === undefined ? {} : { signal }) };
  const [before, after] = await Promise.all([from, to].map(({ collection }) => collection.get(ids, options)));
  const copies = byId(after ?? []);
  return (before ?? []).flatMap(({ id, vector }) => {
    const copy = copies.get(id)?.vector;
    // One that has been deleted since is found by its document.
    if (vector === undefined || copy === undefined) return [];
    return isSameVector(vector, copy) ? [] : [`The vector of chunk ${id} is another one in the copy.`];
  });
}

const byId = (chunks: readonly StoredChunk[]): ReadonlyMap<string, StoredChunk> =>
  new Map(chunks.map((chunk) => [chunk.id, chunk]));

function isSameVector(a: Float32Array, b: Float32Array): boolean {
  if (a.length !== b.length) return false;
  let product = 0;
  let squaresOfA = 0;
  let squaresOfB = 0;
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? 0;
    product += value * other;
    squaresOfA += value * value;
    squaresOfB += other * other;
  }
  if (squaresOfA === 0 || squaresOfB === 0) return squaresOfA === squaresOfB;
  return product / Math.sqrt(squaresOfA * squaresOfB) >= LEAST_COSINE;
}

/** Texts are what citations quote: each must have the hash of its revision, or be what it is in the index that was copied. */
async function compareTexts(
  from: GenerationReader,
  to: GenerationReader,
  signal: AbortSignal | undefined,
): Promise<{ readonly documents: number; readonly differences: string[] }> {
  const differences: string[] = [];
  let documents = 0;
  for (let after: string | undefined; ; ) {
    throwIfAborted(signal);
    const page = await to.documents(after, PAGE);
    for (const { documentId, externalId, revision } of page) {
      const text = await to.text(documentId);
      if (text !== undefined && contentHash(text) === revision) continue;
      if (text !== (await from.text(documentId)))
        differences.push(`The text of ${JSON.stringify(externalId)} is another one in the copy.`);
    }
    documents += page.length;
    after = page.at(-1)?.documentId;
    if (page.length < PAGE) return { documents, differences };
  }
}

const notTheSame = (differences: readonly string[]): RAGError =>
  new RAGError(
    'MIGRATION_FAILED',
    `The copy is not what was copied, and is not switched to; the old index is live and as it was. ${differences.slice(0, SHOWN).join(' ')}${differences.length > SHOWN ? ` And ${differences.length - SHOWN} more.` : ''} \`ragstone generations drop\` with the configuration of the copy removes it, and \`ragstone migrate\` makes it anew.`,
    { details: { differences: differences.length } },
  );
