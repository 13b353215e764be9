import type { LedgerDocument } from '../../ledger/ledger.js';
import type { EntityReport } from '../../operations/extraction-types.js';
import type { FactRecord } from '../../relations/graph/facts.js';
import { readableIn } from '../../resources/readable-graph.js';
import { scopeCollection } from '../../stores/scoped-collection.js';
import { entityKey } from './entity-key.js';
import { type FactHost, openFacts } from './fact-host.js';

/** Documents that are looked at, and those of them that are told. */
const MOST_LOOKED_AT = 2_000;
const MOST_TOLD = 100;
const PAGE = 200;
/** UTF-16 code units on either side of a name. */
const AROUND = 80;

/** What documents that the scope may read say of an entity; undefined where none of them names it, as for one that does not exist. */
export async function reportEntity(name: string, host: FactHost): Promise<EntityReport | undefined> {
  const { scope, resources, signal } = host;
  const { reader, facts, collection } = await openFacts(host);
  const scoped = scopeCollection(collection, scope, await resources.stores.sealing.open());
  const readable = readableIn(reader.graph, scoped, signal);
  const key = entityKey(name);
  const ids: string[] = [];
  let isCut = false;
  for (let after: string | undefined, looked = 0; key !== ''; ) {
    const page = await facts.naming(scope.tenant, [key], { limit: PAGE, after });
    const seen = await readable(page.map(({ documentId }) => documentId));
    ids.push(...page.flatMap(({ documentId }) => (seen.has(documentId) ? [documentId] : [])));
    looked += page.length;
    isCut = ids.length > MOST_TOLD;
    if (page.length < PAGE || isCut || looked >= MOST_LOOKED_AT) break;
    after = page.at(-1)?.documentId;
  }
  const told = ids.slice(0, MOST_TOLD);
  const records = await facts.facts(told);
  const names = new Map<string, number>();
  const types = new Map<string, number>();
  const mentions: EntityReport['mentions'][number][] = [];
  const relations: EntityReport['relations'][number][] = [];
  for (const id of told) {
    const document = await reader.document(id);
    const found = (records.get(id) ?? []).filter(({ entities }) =>
      entities.some((entity) => entity.key === key),
    );
    if (document === undefined) continue;
    const chunks = await scoped.get(
      found.map(({ chunkId }) => chunkId),
      { signal },
    );
    const texts = new Map(chunks.map((chunk) => [chunk.id, chunk.content]));
    for (const record of found) {
      const text = texts.get(record.chunkId);
      const entity = record.entities.find((one) => one.key === key);
      if (text === undefined || entity === undefined) continue;
      names.set(entity.name, (names.get(entity.name) ?? 0) + 1);
      types.set(entity.type, (types.get(entity.type) ?? 0) + 1);
      mentions.push({
        ...placeOf(document),
        description: entity.description,
        evidence: around(text, entity),
      });
      relations.push(...relationsOf(key, record).map((relation) => ({ ...relation, ...placeOf(document) })));
    }
  }
  if (mentions.length === 0) return undefined;
  return { names: mostUsual(names), types: mostUsual(types), mentions, relations, isCut };
}

const placeOf = ({ documentId, externalId }: LedgerDocument) => ({ documentId, externalId });

function around(text: string, { start, end }: { readonly start: number; readonly end: number }): string {
  const from = Math.max(0, start - AROUND);
  const part = text
    .slice(from, end + AROUND)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .trim();
  return `${from > 0 ? '… ' : ''}${part}${end + AROUND < text.length ? ' …' : ''}`;
}

function relationsOf(key: string, { entities, relations }: FactRecord) {
  const names = new Map(entities.map((entity) => [entity.key, entity.name]));
  return relations
    .filter(({ from, to }) => from === key || to === key)
    .map(({ from, to, label, evidence }) => ({
      from: names.get(from) ?? from,
      label,
      to: names.get(to) ?? to,
      evidence,
    }));
}

const mostUsual = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
