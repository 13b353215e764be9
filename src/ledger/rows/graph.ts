import type { GraphFilling, GraphReader, GraphReference, GraphRows } from '../../relations/graph/graph.js';
import { codeOf } from '../chunk-states.js';
import { NO_ROWS, nameKeyOf, sameRows } from '../graph-rows.js';
import { bigint, text, word } from './columns.js';
import {
  addRows,
  fillable,
  forgetRows,
  found,
  type GenerationRows,
  GRAPH_NAMES,
  GRAPH_REFERENCES,
  rows,
  setMark,
  unmarked,
} from './document-rows.js';
import { each, type Program, select } from './program.js';
import { DOCUMENT_KEY, GIVEN, oneOf, sql } from './sql.js';
import { readKind } from './stored-words.js';

interface GraphOfDocument {
  /** Number of the document's row. */
  readonly document: number;
  readonly tenant: string;
  readonly graph?: GraphRows | undefined;
}

/** Rows of documents, in place of those that they had; without any they are to be made later. */
export function* saveGraphs(generation: number, documents: readonly GraphOfDocument[]): Program<void> {
  for (const value of [0, 1] as const) {
    const marked = documents.filter(({ graph }) => (graph === undefined ? 0 : 1) === value);
    yield* setMark('graph', numbersOf(marked), value);
  }
  const before = yield* graphRows(numbersOf(documents));
  const changed = documents.filter(
    ({ document, graph = NO_ROWS }) => !sameRows(graph, before.get(document) ?? NO_ROWS),
  );
  yield* forgetRows(numbersOf(changed), [GRAPH_NAMES, GRAPH_REFERENCES]);
  yield* addRows(
    GRAPH_NAMES,
    changed.flatMap(({ document, tenant, graph = NO_ROWS }) =>
      graph.names.map((name) => ({ document, generation, name, key: nameKeyOf(tenant, name) })),
    ),
  );
  yield* addRows(
    GRAPH_REFERENCES,
    changed.flatMap(({ document, tenant, graph = NO_ROWS }) =>
      graph.references.map(({ kind, target }) => ({
        document,
        generation,
        kind,
        name: target,
        key: nameKeyOf(tenant, target),
      })),
    ),
  );
}

const numbersOf = (documents: readonly { readonly document: number }[]): number[] =>
  documents.map(({ document }) => document);

/** See `GenerationWriter.fillGraph`. */
export function* fillGraph(generation: number, filling: GraphFilling): Program<boolean> {
  const filled = yield* fillable('graph', generation, [filling]);
  yield* saveGraphs(generation, filled);
  return filled.length > 0;
}

/** By the numbers of the documents. */
function* graphRows(documents: readonly number[]): Program<Map<number, GraphRows>> {
  const graphs = new Map(
    documents.map((document) => [document, { names: [] as string[], references: [] as GraphReference[] }]),
  );
  if (documents.length === 0) return graphs;
  for (const { document, name } of yield* rows(GRAPH_NAMES, documents))
    graphs.get(document)?.names.push(name);
  for (const { document, kind, name } of yield* rows(GRAPH_REFERENCES, documents))
    graphs.get(document)?.references.push({ kind: readKind(kind), target: name });
  return graphs;
}

const FOUND = { document: bigint('id'), documentId: text('document_id') };

function* graphsOf(generation: number, documentIds: readonly string[]): Program<Map<string, GraphRows>> {
  const known = yield* select(
    FOUND,
    sql`FROM @document WHERE generation = ${generation} AND ${DOCUMENT_KEY} ${oneOf('key', documentIds)} AND graph = 1`,
  );
  const graphs = yield* graphRows(numbersOf(known));
  const byId = new Map(known.map(({ document, documentId }) => [documentId, graphs.get(document)]));
  return new Map(
    documentIds.flatMap((id) => {
      const graph = byId.get(id);
      return graph === undefined ? [] : [[id, graph] as const];
    }),
  );
}

const FIRST_CHUNK = { chunkId: text('chunk_id') };

/** Of each document the first chunk that the store holds for certain. */
const firstChunks = (generation: number, documentIds: readonly string[]) =>
  each(
    documentIds,
    FIRST_CHUNK,
    sql`FROM @document AS documents JOIN @chunk AS chunks ON chunks.document = documents.id
      WHERE documents.generation = ${generation} AND ${DOCUMENT_KEY} = ${GIVEN} AND state = ${codeOf('live')}
      ORDER BY ordinal, chunk_id LIMIT 1`,
  );

const HIT = { documentId: text('document_id') };
const REFERENCE_HIT = { ...HIT, kind: word('kind') };

/** The graph of one generation. */
export const graphReader = ({ programs, generation }: GenerationRows): GraphReader => ({
  rows: (documentIds) => programs.snapshot('read its graph', () => graphsOf(generation, documentIds)),
  named: async (tenant, names, page) => {
    const keys = names.map((name) => nameKeyOf(tenant, name));
    const hits = await programs.read('walk through its graph', () =>
      found(GRAPH_NAMES, HIT, keys, { generation, page }),
    );
    return hits.map(({ place, documentId }) => ({ name: names[place] ?? '', documentId }));
  },
  referring: async (tenant, names, page) => {
    const keys = names.map((name) => nameKeyOf(tenant, name));
    const hits = await programs.read('walk through its graph', () =>
      found(GRAPH_REFERENCES, REFERENCE_HIT, keys, { generation, page }),
    );
    return hits.map(({ place, documentId, kind }) => ({
      name: names[place] ?? '',
      documentId,
      kind: readKind(kind),
    }));
  },
  firstChunks: async (documentIds) => {
    const first = await programs.read('read first chunks', () => firstChunks(generation, documentIds));
    return new Map(first.map(({ place, chunkId }) => [documentIds[place] ?? '', chunkId]));
  },
  unread: (tenant, page) =>
    programs.read('list what has no graph yet', () => unmarked('graph', tenant, { generation, page })),
});
