import type { FactReader, FactRecord } from './facts.js';
import type { GraphReader, GraphReference, GraphRows, NameHit, ReferenceHit } from './graph.js';
import { entityKeyOf, entityName } from './names.js';

/** Of more, a document is a list of names, which connects everything with everything. */
const MOST_ENTITIES = 100;

/**
 * The graph with the entities of facts as further shared names: documents that name the same one are neighbours. Facts are kept apart from
 * the rows of documents, because those are made of the text alone and these cost money.
 */
export function withEntities(graph: GraphReader, facts: FactReader | undefined): GraphReader {
  if (facts === undefined) return graph;
  return {
    rows: async (documentIds) => {
      const [rows, records] = await Promise.all([graph.rows(documentIds), facts.facts(documentIds)]);
      return new Map([...rows].map(([id, own]) => [id, withReferences(own, records.get(id) ?? [])]));
    },
    named: (tenant, names, page) => graph.named(tenant, names, page),
    referring: async (tenant, names, page) => {
      const keys = names.flatMap((name) => entityKeyOf(name) ?? []);
      const others = names.filter((name) => entityKeyOf(name) === undefined);
      const [found, naming] = await Promise.all([
        others.length === 0 ? [] : graph.referring(tenant, others, page),
        keys.length === 0 ? [] : facts.naming(tenant, keys, page),
      ]);
      return [...found, ...naming.map(toReference)];
    },
    firstChunks: (documentIds) => graph.firstChunks(documentIds),
    unread: (tenant, page) => graph.unread(tenant, page),
  };
}

const toReference = ({ name: key, documentId }: NameHit): ReferenceHit => ({
  name: entityName(key),
  documentId,
  kind: 'entity',
});

const withReferences = (rows: GraphRows, records: readonly FactRecord[]): GraphRows => ({
  names: rows.names,
  references: [
    ...rows.references,
    ...entityKeysOf(records).map((key): GraphReference => ({ kind: 'entity', target: entityName(key) })),
  ],
});

/** Those first that most chunks name. */
function entityKeysOf(records: readonly FactRecord[]): string[] {
  const chunks = new Map<string, number>();
  for (const { entities } of records)
    for (const key of new Set(entities.map((entity) => entity.key)))
      chunks.set(key, (chunks.get(key) ?? 0) + 1);
  return [...chunks]
    .sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1))
    .slice(0, MOST_ENTITIES)
    .map(([key]) => key);
}
