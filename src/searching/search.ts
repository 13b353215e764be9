import { RAGError } from '../core/errors.js';
import { madeWhenAsked } from '../core/made-once.js';
import type { Scope } from '../core/scope.js';
import type { ContextQuery, ContextResponse, SearchQuery, SearchResponse } from '../operations/engine.js';
import type { EngineResources } from '../resources/engine-resources.js';
import { runSearch } from './run-search.js';

// A search of the present does without them.
const contexts = madeWhenAsked(() => import('./run-context.js'));
const past = madeWhenAsked(() => import('./as-of/past-resources.js'));

/** A search of the index as it is, or as it was where the query says when. Throws `QUERY_INVALID` where that cannot be answered. */
export async function search(
  { asOf, ...query }: SearchQuery,
  scope: Scope,
  present: EngineResources,
): Promise<SearchResponse> {
  if (asOf === undefined) return runSearch(query, scope, present);
  const { options, signal } = query;
  if (options?.mode === 'graph')
    throw new RAGError(
      'QUERY_INVALID',
      'The graph of earlier times is not kept: leave out asOf, or the mode "graph".',
    );
  if (options?.deadlineMs !== undefined)
    throw new RAGError(
      'QUERY_INVALID',
      'A search in the past is not planned to end in time: leave out asOf, or deadlineMs.',
    );
  const { resourcesAsOf } = await past();
  const { resources, report } = await resourcesAsOf(asOf, { scope, signal }, present);
  return { ...(await runSearch(query, scope, resources)), asOf: report };
}

/** The same of a context. */
export async function context(
  { asOf, ...query }: ContextQuery,
  scope: Scope,
  present: EngineResources,
): Promise<ContextResponse> {
  const { runContext } = await contexts();
  if (asOf === undefined) return runContext(query, scope, present);
  const { resourcesAsOf } = await past();
  const { resources, report } = await resourcesAsOf(asOf, { scope, signal: query.signal }, present);
  return { ...(await runContext(query, scope, resources)), asOf: report };
}
