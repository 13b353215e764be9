import { compareText } from '../../core/filter.js';
import type { FactRecord } from '../../relations/graph/facts.js';
import type { WeightedEdge } from './louvain.js';

/** Fewer entities need no summary. */
export const LEAST_ENTITIES = 3;
/** What stands in one passage together hangs together less than what is said to. */
const TOGETHER = 0.2;
/** Of a passage that names more, not every pair is one. */
const MOST_TOGETHER = 12;

/** Facts of documents that have the same readers: nothing of others is ever put beside them. */
export interface Audience {
  readonly key: string;
  readonly project: string | undefined;
  readonly records: readonly FactRecord[];
}

/** Entities that hang together, with the chunks that say so. */
export interface Community {
  readonly audience: Audience;
  /** Keys, in text order. */
  readonly entities: readonly string[];
  /** In the order of documents and chunks. */
  readonly records: readonly FactRecord[];
}

export type FindCommunities = (nodes: readonly string[], edges: readonly WeightedEdge[]) => string[][];

/** Communities of an audience that are large enough for a summary, and how many entities are in none. */
export function communitiesIn(
  audience: Audience,
  find: FindCommunities,
): { readonly communities: readonly Community[]; readonly alone: number } {
  const records = audience.records.toSorted(
    (a, b) => compareText(a.documentId, b.documentId) || compareText(a.chunkId, b.chunkId),
  );
  const nodes = new Set(records.flatMap(({ entities }) => entities.map(({ key }) => key)));
  const sorted = [...nodes].sort(compareText);
  const groups = find(sorted, edgesOf(records));
  const large = groups.filter((group) => group.length >= LEAST_ENTITIES);
  const communities = large.map((group): Community => {
    const members = new Set(group);
    return { audience, entities: group.toSorted(compareText), records: recordsOf(members, records) };
  });
  return {
    communities,
    alone: nodes.size - large.reduce((sum, { length }) => sum + length, 0),
  };
}

function edgesOf(records: readonly FactRecord[]): WeightedEdge[] {
  const weights = new Map<string, WeightedEdge>();
  const add = (from: string, to: string, weight: number): void => {
    const [a, b] = from < to ? [from, to] : [to, from];
    const key = JSON.stringify([a, b]);
    weights.set(key, { a, b, weight: (weights.get(key)?.weight ?? 0) + weight });
  };
  for (const { entities, relations } of records) {
    for (const { from, to } of relations) add(from, to, 1);
    const keys = entities.slice(0, MOST_TOGETHER).map(({ key }) => key);
    for (const [at, from] of keys.entries()) for (const to of keys.slice(at + 1)) add(from, to, TOGETHER);
  }
  return [...weights.keys()].sort(compareText).flatMap((key) => weights.get(key) ?? []);
}

/** Those that name two of the members at least: what names one alone says nothing of how they hang together. */
const recordsOf = (members: ReadonlySet<string>, records: readonly FactRecord[]): FactRecord[] =>
  records.filter(({ entities }) => entities.filter(({ key }) => members.has(key)).length >= 2);
