import type { AgentNarrowing, AgentToolResult, AgentTools } from '../answering/agentic/agent.js';
import { linkedIds } from '../answering/agentic/passage-links.js';
import { eq, type Filter, oneOf, or } from '../core/filter.js';
import { documentIdOf } from '../core/ids.js';
import type { Scope } from '../core/scope.js';

/** A search through the scope of the asker, narrowed by a filter beside those of the question. */
export type NarrowedSearch = (
  query: string,
  options: { readonly topK: number; readonly filter: Filter | undefined; readonly signal: AbortSignal },
) => Promise<AgentToolResult>;

/**
 * The filter that a tool's narrowing means. Documents are named in the tenant of the asker alone, whatever a passage or a model says, and
 * the scope holds beside it.
 */
export function narrowingFilter(
  { linked, documentId, where }: AgentNarrowing,
  { tenant }: Pick<Scope, 'tenant'>,
): Filter | undefined {
  if (documentId !== undefined) return eq('$documentId', documentId);
  if (where !== undefined) return eq(where.field, where.value);
  if (linked === undefined) return undefined;
  const { from, href } = linked;
  const path = typeof from.metadata.source === 'string' ? from.metadata.source : '';
  const ids = linkedIds(path, href).map((id) => documentIdOf(tenant, from.source, id));
  return or(oneOf('$documentId', ids), eq('url', href));
}

/** What a run may call, over the searches of an engine. */
export const agentTools = (
  search: NarrowedSearch,
  scope: Pick<Scope, 'tenant'>,
  others: Omit<AgentTools, 'search'>,
): AgentTools => ({
  ...others,
  search: (query, { topK, signal, ...narrowing }) =>
    search(query, { topK, filter: narrowingFilter(narrowing, scope), signal }),
});
