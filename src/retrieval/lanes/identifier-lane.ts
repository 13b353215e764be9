import { analyzeText } from '../../analysis/lexical-analyzer.js';
import type { ScoredChunk } from '../../core/chunk.js';
import { and, contains, type Filter } from '../../core/filter.js';
import type { PreparedQuery } from '../prepared-query.js';
import type { LaneHits, LaneInput } from './lane.js';

/**
 * An identifier in more chunks than this tells topics apart no better than a word does (`IL-6` in medicine, `JavaScript`
 * in a front end), so it does not decide the order, unless the query is nothing else.
 */
export const MAX_DECISIVE_CHUNKS = 25;

/** A chunk and how many decisive identifiers of the query it holds. */
export interface IdentifierHit extends ScoredChunk {
  readonly identifierHits: number;
}

export interface IdentifierHits extends LaneHits {
  readonly hits: readonly IdentifierHit[];
}

/**
 * Chunks that hold a decisive identifier of the query verbatim, each once, by BM25 where the store has it (else score 0).
 */
export async function searchIdentifiers(input: LaneInput): Promise<IdentifierHits> {
  const { query } = input;
  const found = await Promise.all(
    query.identifiers.map(async (identifier) => {
      const filter = and(contains('$identifiers', identifier), input.filter);
      const hits = await searchOne(input, filter, Math.min(input.limit, MAX_DECISIVE_CHUNKS + 1));
      return { identifier, hits };
    }),
  );
  const isCommon = ({ hits }: { hits: readonly ScoredChunk[] }): boolean => hits.length > MAX_DECISIVE_CHUNKS;
  const decisive = isIdentifierAlone(query) ? found : found.filter((entry) => !isCommon(entry));
  const common = found.filter((entry) => isCommon(entry) && !decisive.includes(entry));
  const hits = countHits(decisive.flatMap((entry) => entry.hits));
  return common.length === 0
    ? { hits }
    : { hits, reason: commonReason(common.map((entry) => entry.identifier)) };
}

function countHits(hits: readonly ScoredChunk[]): IdentifierHit[] {
  const byId = new Map<string, IdentifierHit>();
  for (const hit of hits) {
    const identifierHits = (byId.get(hit.chunk.id)?.identifierHits ?? 0) + 1;
    byId.set(hit.chunk.id, { ...hit, identifierHits });
  }
  return [...byId.values()];
}

const commonReason = (identifiers: readonly string[]): string =>
  `${identifiers.join(', ')}: in more than ${MAX_DECISIVE_CHUNKS} passages, so ranked as a word.`;

function isIdentifierAlone({ identifiers, lexical }: PreparedQuery): boolean {
  const [identifier] = identifiers;
  return (
    identifier !== undefined &&
    identifiers.length === 1 &&
    lexical.terms.length <= new Set(analyzeText(identifier)).size
  );
}

async function searchOne(input: LaneInput, filter: Filter, topK: number): Promise<readonly ScoredChunk[]> {
  const { collection, query, includeVectors, signal } = input;
  const abort = signal === undefined ? {} : { signal };
  const { terms } = query.lexical;
  if (collection.searchText !== undefined && terms.length > 0)
    return collection.searchText({ terms, topK, filter, includeVectors, ...abort });
  const { chunks } = await collection.list({ filter, limit: topK, ...abort });
  return chunks.map((chunk) => ({ chunk, score: 0 }));
}
