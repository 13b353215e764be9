import type { SqlRow } from '../../platform/postgres/postgres-session.js';
import type { ItemKey } from '../ledger.js';
import { hexOf, storableText } from '../ledger-text.js';
import type { PendingBatch, PendingCount, PendingItem, PendingWorkReader } from '../pending-work.js';
import type { GenerationDatabase, GenerationTransaction } from './generation-database.js';
import { itemKeyOf, sourceKeyOf } from './items.js';
import { numberOf, optionalTextOf, storedTextOf, textOf } from './row.js';

const COLUMNS = 'item_id, version, bytes, processing_key, batch, listed_at, begun';

/** What is listed and not done, for reading. */
export class PostgresPendingWork implements PendingWorkReader {
  readonly #target: GenerationDatabase;

  constructor(target: GenerationDatabase) {
    this.#target = target;
  }

  async items(
    tenant: string,
    source: string,
    {
      batch,
      itemIds,
    }: { readonly batch?: string | undefined; readonly itemIds?: readonly string[] | undefined } = {},
  ): Promise<PendingItem[]> {
    const { database, generation } = this.#target;
    const keys = itemIds?.map((itemId) => itemKeyOf({ tenant, source, itemId }));
    const rows = await database.rows(
      `SELECT ${COLUMNS} FROM ragstone_ledger_owed WHERE generation = $1 AND source_key = $2
         AND ($3::text IS NULL OR batch = $3) AND ($4::bytea[] IS NULL OR item_key = ANY($4::bytea[]))
       ORDER BY item_id`,
      [generation, sourceKeyOf(tenant, source), batch ?? null, keys ?? null],
      { action: 'read what is still to be indexed' },
    );
    return rows.map(readPending);
  }

  async batches(
    limit: number,
    of?: { readonly tenant: string; readonly source: string },
  ): Promise<PendingBatch[]> {
    const { database, generation } = this.#target;
    const rows = await database.rows(
      `SELECT min(tenant) AS tenant, min(source) AS source, min(project) AS project, batch
       FROM ragstone_ledger_owed WHERE generation = $1 AND ($3::bytea IS NULL OR source_key = $3)
       GROUP BY source_key, batch ORDER BY min(listed_at), batch LIMIT $2`,
      [generation, limit, of === undefined ? null : sourceKeyOf(of.tenant, of.source)],
      { action: 'read what is still to be indexed' },
    );
    return rows.map((row) => ({
      tenant: textOf(row, 'tenant'),
      source: textOf(row, 'source'),
      batch: textOf(row, 'batch'),
      ...projectOf(row),
    }));
  }

  async batchCount(): Promise<number> {
    const { database, generation } = this.#target;
    const [row] = await database.rows(
      'SELECT count(DISTINCT (source_key, batch)) AS batches FROM ragstone_ledger_owed WHERE generation = $1',
      [generation],
      { action: 'count what is still to be indexed' },
    );
    return numberOf(row ?? {}, 'batches');
  }

  async counts(): Promise<PendingCount[]> {
    const { database, generation } = this.#target;
    const rows = await database.rows(
      `SELECT min(owed.tenant) AS tenant, min(owed.source) AS source, owed.project, count(*) AS items,
         count(lease.item_key) AS held, count(DISTINCT owed.batch) AS batches, min(owed.listed_at) AS since
       FROM ragstone_ledger_owed AS owed LEFT JOIN ragstone_ledger_lease AS lease
         ON lease.generation = owed.generation AND lease.item_key = owed.item_key
         AND lease.expires_at > (extract(epoch FROM clock_timestamp()) * 1000)::bigint
       WHERE owed.generation = $1 GROUP BY owed.source_key, owed.project ORDER BY 1, 2, 3`,
      [generation],
      { action: 'count what is still to be indexed' },
    );
    return rows.map((row) => ({
      tenant: textOf(row, 'tenant'),
      source: textOf(row, 'source'),
      ...projectOf(row),
      items: numberOf(row, 'items'),
      held: numberOf(row, 'held'),
      batches: numberOf(row, 'batches'),
      since: storedTextOf(row, 'since'),
    }));
  }
}

/** See `OwedWriter.owe`. */
export async function addPending(
  { run, generation }: GenerationTransaction,
  { tenant, source, project }: Omit<PendingBatch, 'batch'>,
  items: readonly Omit<PendingItem, 'begun'>[],
): Promise<void> {
  const distinct = [
    ...new Map(
      items.map((item) => [hexOf(itemKeyOf({ tenant, source, itemId: item.itemId })), item]),
    ).values(),
  ];
  await run(
    `INSERT INTO ragstone_ledger_owed (generation, source_key, tenant, source, project, item_key, item_id, version, bytes,
       processing_key, batch, listed_at)
     SELECT $1, $2, $3, $4, $5, item_key, item_id, version, bytes, processing_key, batch, listed_at
     FROM unnest($6::bytea[], $7::text[], $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[])
       AS named (item_key, item_id, version, bytes, processing_key, batch, listed_at) ORDER BY item_key
     ON CONFLICT (generation, item_key) DO UPDATE SET project = EXCLUDED.project, version = EXCLUDED.version,
       bytes = EXCLUDED.bytes, processing_key = EXCLUDED.processing_key, batch = EXCLUDED.batch,
       listed_at = EXCLUDED.listed_at, begun = 0`,
    [
      generation,
      sourceKeyOf(tenant, source),
      storableText(tenant),
      storableText(source),
      project === undefined ? null : storableText(project),
      distinct.map(({ itemId }) => itemKeyOf({ tenant, source, itemId })),
      distinct.map(({ itemId }) => storableText(itemId)),
      distinct.map(({ version }) => (version === undefined ? null : storableText(version))),
      distinct.map(({ bytes }) => (bytes === undefined ? null : String(Math.round(bytes)))),
      distinct.map(({ processingKey }) => storableText(processingKey)),
      distinct.map(({ batch }) => batch),
      distinct.map(({ listedAt }) => listedAt),
    ],
  );
}

/** Strikes out items in the versions that were dealt with. */
export async function settlePending(
  { run, generation }: GenerationTransaction,
  items: readonly (ItemKey & { readonly version?: string | undefined })[],
): Promise<void> {
  await run(
    `DELETE FROM ragstone_ledger_owed AS owed USING unnest($2::bytea[], $3::text[]) AS done (item_key, version)
     WHERE owed.generation = $1 AND owed.item_key = done.item_key AND owed.version IS NOT DISTINCT FROM done.version`,
    [
      generation,
      items.map(itemKeyOf),
      items.map(({ version }) => (version === undefined ? null : storableText(version))),
    ],
  );
}

/** See `OwedWriter.begin`. */
export async function beginPending(
  { database, generation }: GenerationDatabase,
  items: readonly ItemKey[],
  by: 1 | -1,
): Promise<void> {
  await database.query(
    `UPDATE ragstone_ledger_owed SET begun = greatest(begun + $3, 0)
     WHERE generation = $1 AND item_key = ANY($2::bytea[])`,
    [generation, items.map(itemKeyOf), by],
    { action: 'record what is begun' },
  );
}

/** Of a source that is forgotten nothing is owed. */
export async function forgetPending(
  { database, generation }: GenerationDatabase,
  tenant: string,
  source: string,
): Promise<void> {
  await database.query(
    'DELETE FROM ragstone_ledger_owed WHERE generation = $1 AND source_key = $2',
    [generation, sourceKeyOf(tenant, source)],
    { action: 'forget a source' },
  );
}

function projectOf(row: SqlRow): { readonly project?: string } {
  const project = optionalTextOf(row, 'project');
  return project === undefined ? {} : { project };
}

function readPending(row: SqlRow): PendingItem {
  const version = optionalTextOf(row, 'version');
  return {
    itemId: textOf(row, 'item_id'),
    ...(version === undefined ? {} : { version }),
    ...(row.bytes === null ? {} : { bytes: numberOf(row, 'bytes') }),
    processingKey: textOf(row, 'processing_key'),
    batch: textOf(row, 'batch'),
    listedAt: storedTextOf(row, 'listed_at'),
    begun: numberOf(row, 'begun'),
  };
}
