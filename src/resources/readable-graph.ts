import { type Notice, noticesOfKind } from '../core/notice.js';
import type { Scope } from '../core/scope.js';
import type { Ledger } from '../ledger/ledger.js';
import { withEntities } from '../relations/graph/entity-graph.js';
import type { GraphReader } from '../relations/graph/graph.js';
import { linkedFrom } from '../relations/graph/linked-from.js';
import { rankDocuments } from '../relations/graph/rank.js';
import { PER_NAME, type WalkOptions, walkGraph } from '../relations/graph/walk.js';
import type { SearchedGraph } from '../retrieval/retriever-options.js';
import type { VectorCollection } from '../stores/vector-store.js';
import type { LiveIndex } from './handles/ledger-handle.js';

/** The graph of an index as one scope sees it. */
export interface ReadableGraph extends SearchedGraph {
  /** Of documents those that the scope may read. */
  readonly readable: (documentIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

export function readableGraph(
  { ledger, facts }: Pick<LiveIndex, 'facts'> & { readonly ledger: Pick<Ledger, 'reader'> },
  scoped: VectorCollection,
  { scope: { tenant }, signal }: { readonly scope: Scope; readonly signal?: AbortSignal | undefined },
): ReadableGraph {
  const reader = ledger.reader(facts.generation);
  const graph = withEntities(reader.graph, reader.facts);
  const readable = readableIn(graph, scoped, signal);
  return {
    readable,
    async around(beginnings, { passages = [], ...options }) {
      const walk = await walkGraph([...beginnings.keys()], { graph, tenant, readable }, options);
      return {
        documents: rankDocuments(walk, beginnings),
        linked: linkedFrom(passages, walk),
        notices: [
          ...noticesOfKind('graph-cut', walk.isCut ? [cutText(options)] : []),
          ...(await unreadUntilRead({ ledger, generation: facts.generation, graph, tenant })),
        ],
      };
    },
  };
}

const cutText = ({ maxDocuments, hops }: WalkOptions): string =>
  `More is connected than was looked at: ${maxDocuments} documents are the most, and ${PER_NAME} of each name.${hops > 1 ? ' Ask with fewer hops.' : ''}`;

/** Told where an older version indexed something, of which the graph knows nothing. */
export async function unreadNotice(graph: GraphReader, tenant: string): Promise<Notice[]> {
  const unread = await graph.unread(tenant, { limit: 1 });
  return unread.length === 0
    ? []
    : [
        {
          kind: 'graph-incomplete',
          text: 'Some documents were indexed by an older version and are not in the graph yet. Run `ragstone index` to complete it; nothing is embedded for that.',
        },
      ];
}

/** Generations and tenants of a ledger of which everything has been read. */
const complete = new WeakMap<object, Set<string>>();

/** The same, asked until there is nothing to tell: whatever is written since is written with its rows. */
async function unreadUntilRead({
  ledger,
  generation,
  graph,
  tenant,
}: {
  readonly ledger: object;
  readonly generation: number;
  readonly graph: GraphReader;
  readonly tenant: string;
}): Promise<readonly Notice[]> {
  const key = `${generation} ${tenant}`;
  const known = complete.get(ledger) ?? new Set();
  if (known.has(key)) return [];
  const notices = await unreadNotice(graph, tenant);
  if (notices.length === 0) complete.set(ledger, known.add(key));
  return notices;
}

/** Of documents those whose first chunk the scope may read: all chunks of a revision have one access. */
export const readableIn =
  (graph: GraphReader, scoped: VectorCollection, signal?: AbortSignal) =>
  async (documentIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const first = await graph.firstChunks(documentIds);
    const chunks = await scoped.get([...first.values()], signal === undefined ? {} : { signal });
    return new Set(chunks.map(({ documentId }) => documentId));
  };
