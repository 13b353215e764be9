import type { ApiKey } from '../../service/authentication/key-store.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { formatTime } from './text.js';

/** A table, oldest first. */
export const renderKeys = (keys: readonly ApiKey[], context: CliContext): string =>
  keys.length === 0
    ? 'There is no key: the service answers this machine alone, without one.'
    : renderTable(
        ['key', 'for', 'tenant', 'project', 'groups', 'clearance', 'allows', 'made', 'expires', 'revoked'],
        keys.map(
          ({
            id,
            name,
            tenant,
            project,
            groups,
            clearance,
            permissions,
            createdAt,
            expiresAt,
            revokedAt,
          }) => [
            id,
            name ?? '',
            tenant,
            project ?? '',
            groups.join(', '),
            String(clearance),
            permissions.join(', '),
            formatTime(createdAt),
            expiresAt === undefined ? '' : formatTime(expiresAt),
            revokedAt === undefined ? '' : formatTime(revokedAt),
          ],
        ),
        { context, numeric: [5] },
      );
