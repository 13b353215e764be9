import type { Scope } from '../core/scope.js';
import { withEntities } from '../graph/entity-graph.js';
import { rankDocuments } from '../graph/rank.js';
import { walkGraph } from '../graph/walk.js';
import type { WalkFrom } from '../retrieval/retriever-options.js';
import type { VectorCollection } from '../stores/vector-store.js';
import { readableIn, unreadNotice } from './related.js';
import type { SearchedIndex } from './searched-index.js';

/** Documents that a search looks at around its first hits. */
const MOST_DOCUMENTS = 150;

/** Walks through the graph of what is searched, as one scope sees it. */
export const walkIn =
  (
    { ledger, facts }: Pick<SearchedIndex, 'ledger' | 'facts'>,
    scoped: VectorCollection,
    scope: Scope,
  ): WalkFrom =>
  async (beginnings, { hops, signal }) => {
    const reader = ledger.reader(facts.generation);
    const graph = withEntities(reader.graph, reader.facts);
    const ports = { graph, tenant: scope.tenant, readable: readableIn(graph, scoped, signal) };
    const walk = await walkGraph([...beginnings.keys()], ports, { hops, maxDocuments: MOST_DOCUMENTS });
    return {
      documents: rankDocuments(walk, beginnings),
      notices: await unreadNotice(graph, scope.tenant),
    };
  };
