import { throwIfAborted } from '../../core/errors.js';
import type { EntitySummary, SummariesRequest, SummaryPage } from '../../operations/extraction-types.js';
import { FIELDS } from '../../operations/fields.js';
import type { CommunitySummary } from '../../relations/graph/facts.js';
import { readableIn } from '../../resources/readable-graph.js';
import { scopeCollection } from '../../stores/scoped-collection.js';
import { entityKey } from './entity-key.js';
import { type FactHost, openFacts } from './fact-host.js';
import { summaryPages } from './summary-pages.js';

/** Summaries of which the scope may read every document that they were made of; of others nothing is told, not even that they exist. */
export async function listSummaries(
  { entity, limit = FIELDS.summaries.limit.preset, cursor }: SummariesRequest,
  host: FactHost,
): Promise<SummaryPage> {
  const { scope, resources, signal } = host;
  const { reader, facts, collection } = await openFacts(host);
  const readable = readableIn(
    reader.graph,
    scopeCollection(collection, scope, await resources.stores.sealing.open()),
    signal,
  );
  const key = entity === undefined ? undefined : entityKey(entity);
  const found: CommunitySummary[] = [];
  for await (const page of summaryPages(facts, scope.tenant, cursor)) {
    throwIfAborted(signal);
    const wanted = page.filter(
      ({ entities }) => key === undefined || entities.some((one) => one.key === key),
    );
    const seen = await readable([...new Set(wanted.flatMap(idsOf))]);
    found.push(...wanted.filter((summary) => idsOf(summary).every((id) => seen.has(id))));
    if (found.length > limit) break;
  }
  const told = found.slice(0, limit);
  const externalIds = new Map<string, string>();
  for (const id of new Set(told.flatMap(idsOf)))
    externalIds.set(id, (await reader.document(id))?.externalId ?? id);
  const last = found.length > limit ? told.at(-1)?.id : undefined;
  return {
    summaries: told.map((summary) => toldSummary(summary, externalIds)),
    ...(last === undefined ? {} : { cursor: last }),
  };
}

const idsOf = ({ sources }: CommunitySummary): string[] => [
  ...new Set(sources.map(({ documentId }) => documentId)),
];

function toldSummary(summary: CommunitySummary, externalIds: ReadonlyMap<string, string>): EntitySummary {
  const placeOf = (documentId: string) => ({
    documentId,
    externalId: externalIds.get(documentId) ?? documentId,
  });
  const { id, title, sentences, entities, model, at } = summary;
  return {
    id,
    title,
    sentences: sentences.map(({ text, documentIds }) => ({ text, documents: documentIds.map(placeOf) })),
    entities: entities.map(({ name }) => name),
    documents: idsOf(summary).map(placeOf),
    model,
    at,
  };
}
