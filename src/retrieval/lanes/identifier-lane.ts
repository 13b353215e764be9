import { calledKey, extractIdentifiers, isErrorName, isItemKey } from '../../core/analysis/identifiers.js';
import { MAX_QUERY_IDENTIFIERS } from '../../core/analysis/query-text.js';
import type { StoredChunk } from '../../core/chunk.js';
import { and, contains, or } from '../../core/filter.js';
import { withPermit } from '../../core/semaphore.js';
import type { Hit } from '../candidate.js';
import { identifierRoles } from '../prepared-query.js';
import { definitionsOfIdentifier, definitionsOfWord, plainNameIn } from './definitions.js';
import type { LaneHits, LaneInput } from './lane.js';
import { findWithin } from './lane.js';

/**
 * An identifier in more chunks than this tells them apart no better than a word does (`3.4.0` in release notes), so its
 * hits are ranked as those of any word, unless the query is nothing else. Chunks of documents that are named by it are the
 * exception: a long issue holds its own key in every chunk.
 */
export const MAX_RARE_CHUNKS = 25;

export interface IdentifierHit extends Hit {
  /** How many rare identifiers of the query the chunk holds that put it before everything else, and its merits among them. */
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

/** Counted for the first chunk of the document that is called by the identifier, wherever else it stands. */
const CALLED_BY_IT = 0.95;

/** Identifiers that are counted in a store at once. */
const COUNTED_AT_ONCE = 8;

/** A query that is one name and nothing else. */
const ONE_NAME = /^\S{1,100}$/;

/**
 * Chunks that hold a rare identifier of the query verbatim, each once, by BM25 where the store has it (else score 0). Where the
 * query is about a name, the chunk that defines it comes first.
 */
export async function searchIdentifiers(input: LaneInput): Promise<IdentifierHits> {
  const { decisive, isAlone } = identifierRoles(input.query);
  const word = plainNameIn(input.query);
  const identifiers = await rarestOf(input);
  const found = await Promise.all([
    ...identifiers.map((identifier) =>
      findOne(identifier, input, { isDecisive: decisive.has(identifier), isAlone }),
    ),
    ...(word === undefined ? [] : [findWord(word, input)]),
    ...(isOneName(input) ? [findCalled(input)] : []),
  ]);
  const common = found.filter(({ isCommon }) => isCommon);
  const hits = countHits(found, input.query);
  if (common.length > 0) return { hits, reason: commonReason(common.map((entry) => entry.identifier)) };
  return word !== undefined && hits.length === 0
    ? { hits, reason: `No source code defines ${word}.` }
    : { hits };
}

/** Of more identifiers than are looked up those in the fewest passages, names of errors before all others. */
async function rarestOf({ query, collection, filter, signal }: LaneInput): Promise<readonly string[]> {
  const { identifiers, framed } = query;
  if (identifiers.length <= MAX_QUERY_IDENTIFIERS) return identifiers;
  const turn = { owner: identifiers, concurrency: COUNTED_AT_ONCE };
  const count = (identifier: string): Promise<number> =>
    withPermit(
      turn,
      () => collection.count(and(contains('$identifiers', identifier), filter), signal),
      signal,
    );
  const counted = await Promise.all(
    identifiers.map(async (identifier) => ({
      identifier,
      place: isErrorName(identifier) ? 0 : framed.has(identifier) ? 2 : 1,
      count: await count(identifier),
    })),
  );
  return counted
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.place - b.place || a.count - b.count)
    .slice(0, MAX_QUERY_IDENTIFIERS)
    .map(({ identifier }) => identifier);
}

interface Found {
  readonly identifier: string;
  readonly hits: readonly Hit[];
  readonly isDecisive: boolean;
  /** What sets chunks apart from others that hold the identifier, from 0 to below 1. */
  readonly merits: ReadonlyMap<string, number>;
  /** It is in so many chunks that none of them was taken. */
  readonly isCommon: boolean;
}

async function findOne(
  identifier: string,
  input: LaneInput,
  role: { readonly isDecisive: boolean; readonly isAlone: boolean },
): Promise<Found> {
  // Where a document is called so, the query is about that document.
  const called = isItemKey(identifier) ? await calledBy(identifier, input) : [];
  const isDecisive = role.isDecisive || called.length > 0;
  const filter = and(contains('$identifiers', identifier), input.filter);
  const [holders, definitions] = await Promise.all([
    findWithin(input, filter, Math.min(input.limit, MAX_RARE_CHUNKS + 1)),
    isDecisive ? definitionsOfIdentifier(identifier, input) : [],
  ]);
  const named = isDecisive ? await namedBy(identifier, holders, input) : new Set<string>();
  const merits = new Map<string, number>([...named].map((id) => [id, NAMED_BY_IT]));
  for (const { chunk, weight } of definitions) merits.set(chunk.id, weight);
  for (const { chunk } of called) merits.set(chunk.id, CALLED_BY_IT);
  const isTooCommon = !role.isAlone && holders.length > MAX_RARE_CHUNKS;
  const held = isTooCommon ? holders.filter(({ chunk }) => merits.has(chunk.id)) : holders;
  const hits = union(held, [...called, ...definitions]);
  return { identifier, hits, isDecisive, merits, isCommon: isTooCommon && hits.length === 0 };
}

async function findWord(word: string, input: LaneInput): Promise<Found> {
  const hits = await definitionsOfWord(word, input);
  const merits = new Map(hits.map(({ chunk, weight }) => [chunk.id, weight]));
  return { identifier: word, hits, isDecisive: true, merits, isCommon: false };
}

/** The query is the name of a document, perhaps, and no key that is looked up as such. */
const isOneName = ({ query: { text, identifiers } }: LaneInput): boolean =>
  ONE_NAME.test(text) && !identifiers.some(isItemKey);

async function findCalled(input: LaneInput): Promise<Found> {
  const { text } = input.query;
  const hits = await calledBy(text, input);
  const merits = new Map(hits.map(({ chunk }) => [chunk.id, CALLED_BY_IT]));
  return { identifier: text, hits, isDecisive: true, merits, isCommon: false };
}

/** First chunks of documents with that name: they may hold no word of the query, so they are not ranked by words. */
async function calledBy(name: string, { collection, filter, signal }: LaneInput): Promise<Hit[]> {
  // Services number their items, and people write `#297`.
  const keys = [name, name.replace(/^#(?=\d)/, '')].map(calledKey);
  const { chunks } = await collection.list({
    filter: and(or(...[...new Set(keys)].map((key) => contains('$identifiers', key))), filter),
    limit: MAX_RARE_CHUNKS,
    ...(signal === undefined ? {} : { signal }),
  });
  return chunks.map((chunk) => ({ chunk, score: 0 }));
}

function union(holders: readonly Hit[], definitions: readonly Hit[]): Hit[] {
  const held = new Set(holders.map(({ chunk }) => chunk.id));
  return [...holders, ...definitions.filter(({ chunk }) => !held.has(chunk.id))];
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

/** In what was pasted, where nobody chose the names, one that is held more often counts less. */
function countHits(found: readonly Found[], { isPasted }: LaneInput['query']): IdentifierHit[] {
  const byId = new Map<string, IdentifierHit>();
  for (const { hits, isDecisive, merits } of found)
    for (const hit of hits) {
      const before = byId.get(hit.chunk.id)?.decisiveHits ?? 0;
      const value = isDecisive ? (1 + (merits.get(hit.chunk.id) ?? 0)) / (isPasted ? hits.length : 1) : 0;
      byId.set(hit.chunk.id, { ...hit, decisiveHits: before + value });
    }
  return [...byId.values()];
}

/** Hits of both, of a chunk in both as one. */
export function joinIdentifierHits(
  hits: readonly IdentifierHit[],
  others: readonly IdentifierHit[],
): readonly IdentifierHit[] {
  if (others.length === 0) return hits;
  const byId = new Map(hits.map((hit) => [hit.chunk.id, hit]));
  for (const other of others) {
    const decisiveHits = (byId.get(other.chunk.id)?.decisiveHits ?? 0) + other.decisiveHits;
    byId.set(other.chunk.id, { ...other, decisiveHits });
  }
  return [...byId.values()];
}

const commonReason = (identifiers: readonly string[]): string =>
  `${identifiers.join(', ')}: in more than ${MAX_RARE_CHUNKS} passages, so ranked as a word.`;
