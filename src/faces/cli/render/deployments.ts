import type { KnowledgeDeploymentConfig } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { formatTime } from './text.js';

/** Deployments that were configured, in a table. */
export const renderDeployments = (all: readonly KnowledgeDeploymentConfig[], context: CliContext): string =>
  all.length === 0
    ? 'No deployment was configured: every tenant has the shared index.'
    : renderTable(
        ['tenant', 'model', 'index', 'at', 'active', 'moving', 'changed'],
        all.map(({ tenantId, model, indexName, searchEndpoint, isActive, move, updatedAt }) => [
          tenantId,
          model,
          indexName ?? '',
          searchEndpoint ?? '',
          isActive ? 'yes' : 'no',
          move === undefined ? '' : `${move.stage} ${move.model}`,
          updatedAt === undefined ? '' : formatTime(updatedAt),
        ]),
        { context },
      );
