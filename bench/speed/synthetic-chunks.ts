import { extractIdentifiers } from '../../src/core/analysis/identifiers.js';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import type { ChunkRecord } from '../../src/core/chunk.js';
import { contentHash } from '../../src/core/ids.js';
import { LOCAL_SCOPE, OPEN_ACCESS } from '../../src/core/scope.js';
import { seededRandom } from '../../src/evaluation/random.js';
import { pick } from '../shared/random.js';

export const DIMENSIONS = 384;

/** Share of the words of a copy that are replaced, so that it is another text with the same statistics. */
const REPLACED = 0.3;
const CLUSTERS = 256;
/** Length of the noise beside the unit vector of a cluster's centre: cosines inside a cluster are about .6. */
const NOISE = 0.8;
const CHUNKS_PER_DOCUMENT = 12;

/**
 * As many distinct texts as asked for: real chunks in random order, then copies of them with words replaced by words drawn
 * from all chunks, so that lengths and word frequencies stay those of the corpora.
 */
export function* syntheticTexts(real: readonly string[], count: number): Generator<string> {
  const random = seededRandom(1);
  const order = shuffled(real, random);
  yield* order.slice(0, count);
  for (let made = order.length; made < count; made++) {
    const text = order[made % order.length] ?? '';
    yield text.replaceAll(/\p{L}{3,}/gu, (word) => (random() < REPLACED ? randomWord(order, random) : word));
  }
}

const LETTERS = /\p{L}{3,}/u;

function randomWord(texts: readonly string[], random: () => number): string {
  for (;;) {
    const text = pick(texts, random);
    const word = LETTERS.exec(text.slice(Math.floor(random() * text.length)));
    if (word !== null) return word[0].slice(0, 30);
  }
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const copy = [...values];
  for (let last = copy.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const [a, b] = [copy[last], copy[other]];
    if (a !== undefined && b !== undefined) [copy[last], copy[other]] = [b, a];
  }
  return copy;
}

/** Unit vectors in clusters of very different sizes, as topics are. */
export function vectorGenerator(seed: number): () => Float32Array {
  const random = seededRandom(seed);
  const centreRandom = seededRandom(7);
  const centres = Array.from({ length: CLUSTERS }, () => unit(gaussians(centreRandom)));
  return () => {
    // Squared: the first clusters get most of the vectors.
    const centre = centres[Math.floor(random() ** 2 * CLUSTERS)] ?? new Float32Array(DIMENSIONS);
    const noise = unit(gaussians(random));
    return unit(centre.map((value, i) => value + NOISE * (noise[i] ?? 0)));
  };
}

function gaussians(random: () => number): Float32Array {
  return Float32Array.from(
    { length: DIMENSIONS },
    // Box and Muller 1958; 1 - random() is never 0.
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** A record as the engine would write it. */
export function recordOf(text: string, index: number, vector: Float32Array): ChunkRecord {
  const document = Math.floor(index / CHUNKS_PER_DOCUMENT);
  const documentId = contentHash(`document ${document}`).slice(0, 32);
  const line = (index % CHUNKS_PER_DOCUMENT) * 20 + 1;
  const [heading = ''] = text.split('\n', 1);
  return {
    id: contentHash(`chunk ${index}`).slice(0, 32),
    documentId,
    tenant: LOCAL_SCOPE.tenant,
    source: 'docs',
    access: OPEN_ACCESS,
    content: text,
    searchText: analyzeText(text).join(' '),
    identifiers: extractIdentifiers(text),
    vector,
    metadata: {
      source: `folder-${document % 40}/document-${document}.md`,
      sourceType: 'markdown',
      title: heading.split(' ').slice(0, 8).join(' '),
      headingPath: heading.split(' > ').slice(0, 3),
      lines: { start: line, end: line + 19 },
      offsets: { start: line * 50, end: line * 50 + text.length },
      revision: contentHash(documentId),
      chunkIndex: index % CHUNKS_PER_DOCUMENT,
      chunkTotal: CHUNKS_PER_DOCUMENT,
      updatedAt: '2026-01-31T12:00:00.000Z',
    },
  };
}
