import { packConfig } from '../../config/packed-config.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import { SearchProcesses } from '../../resources/processes/search-processes.js';

/**
 * So many processes for an engine of a configuration.
 *
 * @throws RAGError `USAGE` where its index is in this process alone
 */
export function openSearchProcesses(count = 0, config: ResolvedConfig): SearchProcesses | undefined {
  if (count === 0) return undefined;
  const { provider, storage, server } = config.rag;
  if (packConfig(config) === undefined || provider === 'memory' || !storage.local.persist)
    throw new RAGError(
      'USAGE',
      'Other processes cannot search this index: it is kept in memory, or the program hands in parts of it as objects. Leave `searchProcesses` (`rag.server.searchProcesses`) at 0.',
    );
  return new SearchProcesses({ count, maxDelayMs: server.maxDelayMs });
}
