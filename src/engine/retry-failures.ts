import { withoutUndefined } from '../core/without-undefined.js';
import { readFailures } from '../features/maintenance/read-failures.js';
import { readFailingSources } from '../features/maintenance/read-source-states.js';
import { configuredSources } from '../indexing/configured-sources.js';
import { isPathSource } from '../indexing/folder-names.js';
import { type EngineHost, indexedSources } from '../indexing/select-sources.js';
import type { IndexResult, RetryRequest } from '../operations/engine.js';
import { type HeldIndex, type RunContext, runIndexRequest } from './index-requests.js';

/** Tries failed items and failing sources again and brings their sources in step; says which of them nobody can read any more. Hold the writer lock. */
export async function retryFailures(
  { sources, items, onProgress, signal }: RetryRequest,
  parts: Pick<RunContext, 'scope'> & HeldIndex,
  host: EngineHost,
): Promise<IndexResult> {
  const failed = await readFailures({ sources, items }, host.resources, parts.scope);
  const retried = new Map<string, Set<string>>();
  for (const { source, item } of failed) retried.set(source, (retried.get(source) ?? new Set()).add(item));
  const failing = items === undefined ? await readFailingSources(host.resources, parts.scope) : [];
  for (const source of failing)
    if (sources?.includes(source) !== false && !retried.has(source)) retried.set(source, new Set());
  const configured = new Set((await configuredSources(host.config)).map(({ source }) => source.name));
  const names = [...retried.keys()];
  const ledger = await host.resources.ledger.writing({ check: false });
  const { folders } = await indexedSources(ledger, parts.scope.tenant, host);
  const paths: string[] = [];
  for (const { name, root, presentName } of folders) {
    const items = retried.get(name);
    if (items === undefined || root === undefined) continue;
    paths.push(root);
    retried.set(presentName, items);
  }
  const request = {
    sources: names.filter((name) => configured.has(name)),
    paths,
    ...withoutUndefined({ onProgress, signal }),
  };
  const result = await runIndexRequest(request, 'failures retry', { ...parts, retried }, host);
  const unread = names.filter((name) => !configured.has(name) && !isPathSource(name));
  const notices = unread.map(
    (name) =>
      `What failed of "${name}" is not tried again: no source of the configuration reads it. Hand it in again, or configure the source.`,
  );
  return { ...result, notices: [...notices, ...result.notices] };
}
