import { and, contains, type Filter } from '../../core/filter.js';
import type { Hit } from '../candidate.js';
import { identifierRoles } from '../identifier-roles.js';
import { findByText } from './find-chunks.js';
import type { LaneHits, LaneInput } from './lane.js';

/**
 * An identifier in more chunks than this tells them apart no better than a word does (`3.4.0` in release notes), so its
 * hits are ranked as those of any word, unless the query is nothing else.
 */
export const MAX_RARE_CHUNKS = 25;

export interface IdentifierHit extends Hit {
  /** How many rare identifiers of the query the chunk holds that put it before everything else. */
  readonly decisiveHits: number;
}

export interface IdentifierHits extends LaneHits {
  readonly hits: readonly IdentifierHit[];
}

/** Chunks that hold a rare identifier of the query verbatim, each once, by BM25 where the store has it (else score 0). */
export async function searchIdentifiers(input: LaneInput): Promise<IdentifierHits> {
  const { decisive, isAlone } = identifierRoles(input.query);
  const found = await Promise.all(
    input.query.identifiers.map(async (identifier) => {
      const filter = and(contains('$identifiers', identifier), input.filter);
      const hits = await searchOne(input, filter, Math.min(input.limit, MAX_RARE_CHUNKS + 1));
      return { identifier, hits, isDecisive: decisive.has(identifier) };
    }),
  );
  const common = isAlone ? [] : found.filter((entry) => entry.hits.length > MAX_RARE_CHUNKS);
  const hits = countHits(found.filter((entry) => !common.includes(entry)));
  return common.length === 0
    ? { hits }
    : { hits, reason: commonReason(common.map((entry) => entry.identifier)) };
}

interface Found {
  readonly hits: readonly Hit[];
  readonly isDecisive: boolean;
}

function countHits(found: readonly Found[]): IdentifierHit[] {
  const byId = new Map<string, IdentifierHit>();
  for (const { hits, isDecisive } of found)
    for (const hit of hits) {
      const before = byId.get(hit.chunk.id)?.decisiveHits ?? 0;
      byId.set(hit.chunk.id, { ...hit, decisiveHits: before + (isDecisive ? 1 : 0) });
    }
  return [...byId.values()];
}

const commonReason = (identifiers: readonly string[]): string =>
  `${identifiers.join(', ')}: in more than ${MAX_RARE_CHUNKS} passages, so ranked as a word.`;

async function searchOne(input: LaneInput, filter: Filter, topK: number): Promise<readonly Hit[]> {
  const { collection, query, signal } = input;
  const { terms } = query.lexical;
  if (collection.searchText !== undefined && terms.length > 0)
    return findByText(input, { terms, topK, filter });
  const abort = signal === undefined ? {} : { signal };
  const { chunks } = await collection.list({ filter, limit: topK, ...abort });
  return chunks.map((chunk) => ({ chunk, score: 0 }));
}
