import { extractIdentifiers } from '../../analysis/identifiers.js';
import type { StoredChunk } from '../../core/chunk.js';
import { and, contains, type Filter } from '../../core/filter.js';
import type { Hit } from '../candidate.js';
import { identifierRoles } from '../identifier-roles.js';
import { findByText } from './find-chunks.js';
import type { LaneHits, LaneInput } from './lane.js';

/**
 * An identifier in more chunks than this tells them apart no better than a word does (`3.4.0` in release notes), so its
 * hits are ranked as those of any word, unless the query is nothing else. Chunks of documents that are named by it are the
 * exception: a long issue holds its own key in every chunk.
 */
export const MAX_RARE_CHUNKS = 25;

export interface IdentifierHit extends Hit {
  /** How many rare identifiers of the query the chunk holds that put it before everything else, and `NAMED_BY_IT`. */
  readonly decisiveHits: number;
}

export interface IdentifierHits extends LaneHits {
  readonly hits: readonly IdentifierHit[];
}

/**
 * Counted for a document that is named by the identifier (in its title, path or id): an issue comes before those that
 * mention it, and never before what holds one identifier of the query more.
 */
const NAMED_BY_IT = 0.5;

/** Chunks that hold a rare identifier of the query verbatim, each once, by BM25 where the store has it (else score 0). */
export async function searchIdentifiers(input: LaneInput): Promise<IdentifierHits> {
  const { decisive, isAlone } = identifierRoles(input.query);
  const found = await Promise.all(
    input.query.identifiers.map(async (identifier) => {
      const filter = and(contains('$identifiers', identifier), input.filter);
      const found = await searchOne(input, filter, Math.min(input.limit, MAX_RARE_CHUNKS + 1));
      const isDecisive = decisive.has(identifier);
      const named = isDecisive ? await namedBy(identifier, found, input) : new Set<string>();
      const isCommon = !isAlone && found.length > MAX_RARE_CHUNKS;
      const hits = isCommon ? found.filter(({ chunk }) => named.has(chunk.id)) : found;
      return { identifier, hits, isDecisive, named, isCommon: isCommon && hits.length === 0 };
    }),
  );
  const common = found.filter(({ isCommon }) => isCommon);
  const hits = countHits(found);
  return common.length === 0
    ? { hits }
    : { hits, reason: commonReason(common.map((entry) => entry.identifier)) };
}

interface Found {
  readonly hits: readonly Hit[];
  readonly isDecisive: boolean;
  /** Chunks of documents that are named by the identifier. */
  readonly named: ReadonlySet<string>;
}

/** Of hits that would stand side by side, those of documents that are named by the identifier. */
async function namedBy(
  identifier: string,
  hits: readonly Hit[],
  { collection, signal }: LaneInput,
): Promise<ReadonlySet<string>> {
  if (hits.length < 2) return new Set();
  const ids = hits.map(({ chunk }) => chunk.id);
  const chunks = await collection.get(ids, signal === undefined ? {} : { signal });
  const isNamed = ({ metadata: { title, source } }: StoredChunk): boolean =>
    [title, source].some((name) => typeof name === 'string' && extractIdentifiers(name).includes(identifier));
  return new Set(chunks.filter(isNamed).map(({ id }) => id));
}

function countHits(found: readonly Found[]): IdentifierHit[] {
  const byId = new Map<string, IdentifierHit>();
  for (const { hits, isDecisive, named } of found)
    for (const hit of hits) {
      const before = byId.get(hit.chunk.id)?.decisiveHits ?? 0;
      const value = isDecisive ? 1 + (named.has(hit.chunk.id) ? NAMED_BY_IT : 0) : 0;
      byId.set(hit.chunk.id, { ...hit, decisiveHits: before + value });
    }
  return [...byId.values()];
}

const commonReason = (identifiers: readonly string[]): string =>
  `${identifiers.join(', ')}: in more than ${MAX_RARE_CHUNKS} passages, so ranked as a word.`;

async function searchOne(input: LaneInput, filter: Filter, topK: number): Promise<readonly Hit[]> {
  const { collection, query, signal } = input;
  const { terms, counts } = query.lexical;
  if (collection.searchText !== undefined && terms.length > 0)
    return findByText(input, { terms, weights: counts, topK, filter });
  const abort = signal === undefined ? {} : { signal };
  const { chunks } = await collection.list({ filter, limit: topK, ...abort });
  return chunks.map((chunk) => ({ chunk, score: 0 }));
}
