import type { ChunkRecord, ScoredChunk, StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import { and, type Filter, matchesFilter } from '../core/filter.js';
import type { MetadataValue } from '../core/metadata.js';
import { type Scope, scopeFilter } from '../core/scope.js';
import { type MetadataSealing, NO_SEALING } from '../platform/security/sealed-metadata.js';
import { collectionOf } from './collection-members.js';
import type { TextQuery, VectorCollection } from './vector-store.js';

/** Told of fields of a chunk that cannot be decrypted, and are left out of it. */
export type OnUndecryptable = (chunk: StoredChunk, fields: readonly string[]) => void;

/**
 * The collection as one scope may see it: every read, count and delete is narrowed by the scope's filter, words are weighed by
 * the statistics of the scope's tenant, and a batch with
 * a record of another tenant or project is refused before anything is written (`STORE_INVALID_RECORD`).
 *
 * Written member by member on purpose, optional ones too: a member that `VectorCollection` gains later does not compile here
 * until someone has decided how it is scoped. `optimize`, `purge` and `stats` concern the collection as a whole and show no record;
 * `enlist` belongs to the write path, which does not go through a scope. Upsert replaces by id without asking whose record
 * it was: ids are hashes over the tenant (`core/ids.ts`), so none is shared.
 *
 * What is encrypted in the metadata of a chunk is decrypted here, once the scope was found to admit it, and nowhere else. What cannot be
 * decrypted, as nothing can without `sealing`, is left out of the chunk, and no filter admits a chunk for it.
 */
export function scopeCollection(
  collection: VectorCollection,
  scope: Scope,
  sealing: MetadataSealing = NO_SEALING,
  onUndecryptable: OnUndecryptable = () => undefined,
): VectorCollection {
  const admitted = scopeFilter(scope);
  const narrow = (filter: Filter): Filter => {
    assertStated(filter);
    sealing.assertFilterable(filter);
    return and(admitted, sealing.storable(filter));
  };
  const open = <Chunk extends StoredChunk>(chunk: Chunk): Chunk => {
    const { metadata, undecryptable } = sealing.show(chunk.metadata, chunk);
    if (undecryptable.length > 0) onUndecryptable(chunk, undecryptable);
    return metadata === chunk.metadata ? chunk : { ...chunk, metadata };
  };
  const openFound = (hits: readonly ScoredChunk[]): ScoredChunk[] =>
    hits.map((hit) => ({ ...hit, chunk: open(hit.chunk) }));
  return collectionOf({
    spec: collection.spec,
    upsert: async (records, signal) => {
      for (const record of records) assertOwn(record, scope);
      await collection.upsert(records, signal);
    },
    get: async (ids, options) => {
      const chunks = await collection.get(ids, options);
      return chunks
        .filter((chunk) => matchesFilter(admitted, (field) => ownershipField(chunk, field)))
        .map(open);
    },
    delete: async (filter, signal) => collection.delete(narrow(filter), signal),
    list: async (query) => {
      const page = await collection.list({ ...query, filter: narrow(query.filter) });
      return { ...page, chunks: page.chunks.map(open) };
    },
    count: async (filter, signal) => collection.count(narrow(filter), signal),
    searchVector: async (query) =>
      openFound(await collection.searchVector({ ...query, filter: narrow(query.filter) })),
    searchText: opening(
      openFound,
      narrowing(narrow, weighedFor(scope, collection.searchText?.bind(collection))),
    ),
    rankVector: narrowing(narrow, collection.rankVector?.bind(collection)),
    rankText: narrowing(narrow, weighedFor(scope, collection.rankText?.bind(collection))),
    termsBeginning: narrowing(narrow, collection.termsBeginning?.bind(collection)),
    enlist: undefined,
    optimize: (signal) => collection.optimize(signal),
    purge: collection.purge?.bind(collection),
    stats: () => collection.stats(),
  });
}

/** The search over a narrowed filter, where the collection has it. */
const narrowing = <Query extends { readonly filter: Filter }, Found>(
  narrow: (filter: Filter) => Filter,
  search: ((query: Query) => Promise<Found[]>) | undefined,
): ((query: Query) => Promise<Found[]>) | undefined =>
  search === undefined ? undefined : async (query) => search({ ...query, filter: narrow(query.filter) });

/** The search with what it finds opened, where the collection has it. */
const opening = <Query>(
  open: (hits: readonly ScoredChunk[]) => ScoredChunk[],
  search: ((query: Query) => Promise<ScoredChunk[]>) | undefined,
): ((query: Query) => Promise<ScoredChunk[]>) | undefined =>
  search === undefined ? undefined : async (query) => open(await search(query));

/** The search for words by the statistics of the scope's tenant alone: those of others would show in the scores. */
const weighedFor = <Hit>(
  { tenant }: Scope,
  search: ((query: TextQuery) => Promise<Hit[]>) | undefined,
): ((query: TextQuery) => Promise<Hit[]>) | undefined =>
  search === undefined ? undefined : (query) => search({ ...query, tenant });

// Callers in plain JavaScript can leave the filter out; it must not come to mean everything the scope may see.
function assertStated(filter: Filter | undefined): void {
  if (filter === undefined || filter === null)
    throw new RAGError('QUERY_INVALID', 'A filter is required; pass EVERYTHING to mean every chunk.');
}

function assertOwn(record: ChunkRecord, scope: Scope): void {
  const isOwn =
    record.tenant === scope.tenant && (scope.project === undefined || record.project === scope.project);
  if (isOwn) return;
  throw new RAGError(
    'STORE_INVALID_RECORD',
    `Chunk ${JSON.stringify(record.id)} belongs to another tenant or project than the scope that writes it; nothing was written.`,
  );
}

/** The fields that `scopeFilter` reads. An unknown one fails loudly, for taking it as missing could admit a record. */
function ownershipField(chunk: StoredChunk, field: string): MetadataValue | undefined {
  switch (field) {
    case '$tenant':
      return chunk.tenant;
    case '$project':
      return chunk.project;
    case '$level':
      return chunk.access.level;
    case '$groups':
      return chunk.access.groups;
    default:
      throw new RAGError('INTERNAL', `The scope filter reads ${field}, which get() cannot check.`);
  }
}
