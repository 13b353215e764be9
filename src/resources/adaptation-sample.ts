import { setImmediate as nextTurn } from 'node:timers/promises';
import { compareText } from '../core/filter.js';
import { contentHash } from '../core/ids.js';
import { slicesOf } from '../core/slices.js';
import type { GenerationReader, LedgerDocument } from '../ledger/ledger.js';
import { documentsIn } from './ledger-rows.js';

/** Chunks of a tenant that a model learns from at most: quality hardly rises beyond, and learning takes about half a second. */
export const ADAPTATION_SAMPLE = 1000;

/** With more tenants nothing is learnt: each costs time after every run. */
export const MAX_TENANTS = 32;

const DOCUMENTS_AT_ONCE = 1000;
/** Documents whose chunks are looked up at once. */
const CHUNKS_OF_AT_ONCE = 50;

/** Where a chunk stands, and what decides whether it is chosen. */
interface Place {
  readonly documentId: string;
  readonly ordinal: number;
  /** Hash of title and text of its document. */
  readonly content: string;
  readonly rank: number;
}

export interface TenantSample {
  /** Chunks that a model learns from, in order. */
  readonly ids: readonly string[];
  /** Number of all chunks of the tenant. */
  readonly chunks: number;
}

/**
 * The samples of all tenants, or of the one looked at (the others' are empty); none where there are too many tenants. Chunks are chosen by a hash of their
 * document's content and their place in it, and documents that are equal count once: the sample is the same wherever the sources lie.
 */
export async function takeSamples(
  reader: Pick<GenerationReader, 'documents' | 'chunksOf'>,
  { only, signal }: { readonly only?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<Map<string, TenantSample>> {
  const tenants = new Map<string, LowestPlaces>();
  let read = 0;
  for await (const document of documentsIn(reader, DOCUMENTS_AT_ONCE)) {
    const places = tenants.get(document.tenant) ?? new LowestPlaces();
    tenants.set(document.tenant, places);
    if (tenants.size > MAX_TENANTS) return new Map();
    if (only === undefined || document.tenant === only) places.add(document);
    read += 1;
    // A ledger in this process reads without letting others have a turn.
    if (read % DOCUMENTS_AT_ONCE === 0) await nextTurn();
    signal?.throwIfAborted();
  }
  const samples = new Map<string, TenantSample>();
  for (const [tenant, places] of tenants)
    samples.set(tenant, { ids: await idsAt(places.chosen(), reader), chunks: places.offered });
  return samples;
}

/** The places of lowest rank, each content once. */
class LowestPlaces {
  #places: Place[] = [];
  #highest = Number.POSITIVE_INFINITY;
  offered = 0;

  add({ documentId, title = '', revision, chunkCount }: LedgerDocument): void {
    this.offered += chunkCount;
    const content = contentHash(JSON.stringify([title, revision]));
    const seed = Number.parseInt(content.slice(0, 8), 16);
    for (let ordinal = 0; ordinal < chunkCount; ordinal++) {
      const rank = scattered(seed, ordinal);
      if (rank > this.#highest) continue;
      this.#places.push({ documentId, ordinal, content, rank });
      if (this.#places.length >= 2 * ADAPTATION_SAMPLE) this.#trim();
    }
  }

  chosen(): readonly Place[] {
    this.#trim();
    return this.#places;
  }

  #trim(): void {
    this.#places = this.#places
      .sort((a, b) => a.rank - b.rank || compareText(a.content, b.content) || a.ordinal - b.ordinal)
      .filter(
        ({ content, ordinal }, i, { [i - 1]: before }) =>
          content !== before?.content || ordinal !== before.ordinal,
      )
      .slice(0, ADAPTATION_SAMPLE);
    if (this.#places.length === ADAPTATION_SAMPLE) this.#highest = this.#places.at(-1)?.rank ?? this.#highest;
  }
}

/** A number of 32 bits of a seed and a place, as if drawn by lot (the finalizer of MurmurHash3). */
function scattered(seed: number, ordinal: number): number {
  let bits = seed + Math.imul(ordinal, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

async function idsAt(
  places: readonly Place[],
  reader: Pick<GenerationReader, 'chunksOf'>,
): Promise<string[]> {
  const nameOf = ({ documentId, ordinal }: Pick<Place, 'documentId' | 'ordinal'>): string =>
    `${documentId} ${ordinal}`;
  const ids = new Map<string, string | undefined>(places.map((place) => [nameOf(place), undefined]));
  const documents = [...new Set(places.map(({ documentId }) => documentId))];
  for (const some of slicesOf(documents, CHUNKS_OF_AT_ONCE))
    for (const chunks of (await reader.chunksOf(some)).values())
      for (const chunk of chunks)
        if (chunk.state === 'live' && ids.has(nameOf(chunk))) ids.set(nameOf(chunk), chunk.chunkId);
  return [...ids.values()].flatMap((id) => id ?? []);
}
