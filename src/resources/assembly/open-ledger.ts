import type { ResolvedConfig } from '../../config/resolved-config.js';
import { resolveSecrets } from '../../config/secret-resolver.js';
import { RAGError } from '../../core/errors.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { PostgresConnectionOptions } from '../../platform/postgres/connection-settings.js';
import { postgresUrl } from '../../stores/server-address.js';

export interface OpenLedgerForOptions {
  /** File of the ledger, for `rag.ledger.type: sqlite`. */
  readonly path: string;
  /** Open for reading: nothing is made or written, and a missing ledger is `INDEX_EMPTY`. @default false */
  readonly readOnly?: boolean | undefined;
}

/**
 * Opens the ledger that `rag.ledger` names; loads its driver and no other. Throws `CONFIG_INVALID` where a server has no
 * address, and what the ledger's own opening throws.
 */
export async function openLedgerFor(
  config: ResolvedConfig,
  { path, readOnly }: OpenLedgerForOptions,
): Promise<Ledger> {
  const { type } = config.rag.ledger;
  const keepsHistory = config.rag.history.keep !== undefined;
  if (type === 'sqlite') {
    const { openLedger } = await import('../../ledger/sqlite/open-ledger.js');
    return openLedger({ path, readOnly, keepsHistory });
  }
  const connection = await serverOf(config);
  const { openPostgresLedger } = await import('../../ledger/postgres/postgres-ledger.js');
  return openPostgresLedger({ ...connection, readOnly, keepsHistory });
}

/** Makes the ledger that `rag.ledger` names on a server anew and empty. Hold its lock for the whole. */
export async function remakeServerLedger(config: ResolvedConfig): Promise<void> {
  const { remakePostgresLedger } = await import('../../ledger/postgres/postgres-ledger.js');
  await remakePostgresLedger(await serverOf(config));
}

async function serverOf(config: ResolvedConfig): Promise<PostgresConnectionOptions> {
  await resolveSecrets(config.rag.ledger, ['rag', 'ledger'], config);
  const { url, namespace, timeoutMs } = config.rag.ledger;
  if (url === undefined)
    throw new RAGError(
      'CONFIG_INVALID',
      'rag.ledger.type is `postgres`, and rag.ledger.url names no server: state an address like postgres://user@host:5432/database.',
      { details: { key: 'rag.ledger.url' } },
    );
  const connectionString = postgresUrl(url.reveal(), 'rag.ledger.url');
  return { connectionString, schema: namespace, timeoutMs };
}
