import { compareText } from '../../core/filter.js';
import { groupedBy } from '../../core/grouped-by.js';
import type { ReferenceKind } from './graph.js';
import { type GraphStep, reversed, type Walk } from './walk.js';

/** How much an edge of each kind says that both documents belong together. What is shared by many says less of each. */
const WEIGHTS: Readonly<Record<ReferenceKind, number>> = {
  relation: 1,
  mention: 1,
  link: 1,
  import: 0.5,
  symbol: 0.5,
  commit: 0.2,
  component: 0.2,
  person: 0.2,
  entity: 0.2,
};

/** Chance of going on along an edge, as Brin and Page chose it. */
const DAMPING = 0.85;
/** What is left of the error is below a thousandth of the mass. */
const ITERATIONS = 40;

export interface RankedDocument {
  readonly documentId: string;
  /** Share of the walks that came there along an edge, in [0, 1): what only begins there has none. */
  readonly score: number;
  /** From the nearest beginning; none for a beginning itself. */
  readonly path: readonly GraphStep[];
}

/**
 * Documents of a walk, the most connected first, by personalised PageRank: walks begin at the given documents, in proportion to their
 * weights, and begin again there. Power iteration over edges in both directions. (Page, Brin, Motwani and Winograd, "The PageRank Citation
 * Ranking", 1999; Haveliwala, "Topic-Sensitive PageRank", WWW 2002.)
 */
export function rankDocuments(walk: Walk, beginnings: ReadonlyMap<string, number>): RankedDocument[] {
  const places = new Map(walk.documents.map((id, place) => [id, place]));
  const edges = edgesOf(walk, places);
  const total = [...beginnings.values()].reduce((sum, weight) => sum + weight, 0);
  const restart = walk.documents.map((id) => (beginnings.get(id) ?? 0) / total);
  const leaving = new Float64Array(places.size);
  for (const { from, weight } of edges) leaving[from] = (leaving[from] ?? 0) + weight;
  let scores = Float64Array.from(restart);
  let arrived = new Float64Array(places.size);
  for (let i = 0; i < ITERATIONS; i++) {
    const next = new Float64Array(places.size);
    arrived = new Float64Array(places.size);
    // What nothing leaves begins again.
    let begun = 1 - DAMPING;
    scores.forEach((score, place) => {
      if (leaving[place] === 0) begun += DAMPING * score;
    });
    for (const { from, to, weight } of edges)
      arrived[to] = (arrived[to] ?? 0) + (DAMPING * (scores[from] ?? 0) * weight) / (leaving[from] ?? 1);
    restart.forEach((share, place) => {
      next[place] = begun * share + (arrived[place] ?? 0);
    });
    scores = next;
  }
  const paths = pathsOf(walk, beginnings);
  return walk.documents
    .map((documentId, place) => ({
      documentId,
      score: arrived[place] ?? 0,
      path: paths.get(documentId) ?? [],
    }))
    .sort((a, b) => b.score - a.score || compareText(a.documentId, b.documentId));
}

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

function edgesOf({ steps }: Walk, places: ReadonlyMap<string, number>): Edge[] {
  const sharers = new Map<string, Set<string>>();
  for (const { from, to, via } of steps) {
    if (via === undefined) continue;
    const documents = sharers.get(via) ?? new Set();
    sharers.set(via, documents.add(from).add(to));
  }
  return steps.flatMap(({ from, to, kind, via }) => {
    const [a, b] = [places.get(from), places.get(to)];
    if (a === undefined || b === undefined) return [];
    const others = via === undefined ? 1 : Math.max(1, (sharers.get(via)?.size ?? 2) - 1);
    const weight = WEIGHTS[kind] / others;
    return [
      { from: a, to: b, weight },
      { from: b, to: a, weight },
    ];
  });
}

/** The shortest path to each document, of those the one that the walk took first. */
function pathsOf(
  { steps }: Walk,
  beginnings: ReadonlyMap<string, number>,
): Map<string, readonly GraphStep[]> {
  const leaving = groupedBy(
    steps.flatMap((step) => [step, reversed(step)]),
    ({ from }) => from,
  );
  const paths = new Map<string, readonly GraphStep[]>([...beginnings.keys()].map((id) => [id, []]));
  for (const [id, path] of paths)
    for (const step of leaving.get(id) ?? []) if (!paths.has(step.to)) paths.set(step.to, [...path, step]);
  return paths;
}
