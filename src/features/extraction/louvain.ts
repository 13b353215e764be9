// All that is used of graphology, and the only file that imports it: the build puts what it needs into this one file.
import { UndirectedGraph } from 'graphology';
import louvain from 'graphology-communities-louvain';

// Its types say that the function is a member, and its module is the function itself.
const communities = louvain as unknown as typeof louvain.default;

/** An edge of a graph without directions. */
export interface WeightedEdge {
  readonly a: string;
  readonly b: string;
  readonly weight: number;
}

/** Groups of nodes that hang together more among themselves than with others. The same graph has the same groups. */
export function communitiesOf(nodes: readonly string[], edges: readonly WeightedEdge[]): string[][] {
  const graph = new UndirectedGraph();
  for (const node of nodes) graph.addNode(node);
  for (const { a, b, weight } of edges)
    graph.updateEdge(a, b, (known) => ({ weight: Number(known.weight ?? 0) + weight }));
  const groups = new Map<number, string[]>();
  const found = communities(graph, { getEdgeWeight: 'weight', rng: seededRandom() });
  for (const [node, group] of Object.entries(found)) {
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [node]);
    else members.push(node);
  }
  return [...groups.values()];
}

const SEED = 0x9e3779b9;

/** Mulberry32: chance that comes out alike each time. */
function seededRandom(): () => number {
  let state = SEED;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
