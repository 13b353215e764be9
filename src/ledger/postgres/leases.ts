import { RAGError } from '../../core/errors.js';
import type { PostgresDatabase, RunStatement } from '../../platform/postgres/postgres-database.js';
import type { SqlRow } from '../../platform/postgres/postgres-session.js';
import { hexOf, storableText } from '../ledger-text.js';
import { generationLost } from '../still-live.js';
import { bytesOf, numberOf, textOf } from './row.js';

/** Leases that ended this long ago are forgotten, in milliseconds: no process sleeps that long and then goes on writing. */
const FORGET_AFTER_MS = 7 * 24 * 3_600_000;

/**
 * Milliseconds since 1970 by the clock of the server, which all hosts share, unless a clock was handed in as the parameter of
 * this number.
 */
const nowSql = (parameter: number): string =>
  `coalesce($${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;

/** Who writes a generation, and which tokens it was given. */
export interface LeaseHolder {
  readonly generation: number;
  readonly holder: string;
  /** Milliseconds since 1970; absent: the server's clock. */
  readonly now: (() => number) | undefined;
  /** Fencing tokens of the items that were claimed, by the key of the item. */
  readonly tokens: Map<string, number>;
}

const timeOf = ({ now }: LeaseHolder): string | null => (now === undefined ? null : String(now()));

/** Keys in the one order in which all writers lock them, each once. */
export function inLockOrder(keys: readonly Buffer[]): Buffer[] {
  return [...new Map(keys.map((key) => [hexOf(key), key])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, key]) => key);
}

/** Takes items for the holder; the keys of those that are now held by it. */
export async function claimItems(
  run: RunStatement,
  by: LeaseHolder,
  { keys, forMs }: { readonly keys: readonly Buffer[]; readonly forMs: number },
): Promise<ReadonlySet<string>> {
  await assertGeneration(run, by.generation);
  const { rows } = await run(
    `INSERT INTO ragstone_ledger_lease AS lease (generation, item_key, holder, token, expires_at)
     SELECT $1, item_key, $3, 1, ${nowSql(5)} + $4::bigint FROM unnest($2::bytea[]) AS item_key ORDER BY item_key
     ON CONFLICT (generation, item_key) DO UPDATE SET holder = EXCLUDED.holder, expires_at = EXCLUDED.expires_at,
       token = lease.token + (lease.holder <> EXCLUDED.holder OR lease.expires_at <= ${nowSql(5)})::integer
     WHERE lease.holder = EXCLUDED.holder OR lease.expires_at <= ${nowSql(5)}
     RETURNING item_key, token`,
    [by.generation, inLockOrder(keys), storableText(by.holder), Math.round(forMs), timeOf(by)],
  );
  const tokens = rows.map((row) => [hexOf(bytesOf(row, 'item_key')), numberOf(row, 'token')] as const);
  for (const [key, token] of tokens) by.tokens.set(key, token);
  return new Set(tokens.map(([key]) => key));
}

/** Makes leases longer that are still held by the tokens they were claimed by; the keys of those that are. */
export async function renewItems(
  database: PostgresDatabase,
  by: LeaseHolder,
  { keys, forMs }: { readonly keys: readonly Buffer[]; readonly forMs: number },
): Promise<ReadonlySet<string>> {
  const held = inLockOrder(keys).filter((key) => by.tokens.has(hexOf(key)));
  if (held.length === 0) return new Set();
  const rows = await database.rows(
    `UPDATE ragstone_ledger_lease AS lease SET expires_at = ${nowSql(6)} + $5::bigint
     FROM (SELECT item_key FROM ragstone_ledger_lease JOIN unnest($2::bytea[], $3::bigint[]) AS held (key, held_by)
         ON item_key = key AND token = held_by
       WHERE generation = $1 AND holder = $4 ORDER BY item_key FOR UPDATE OF ragstone_ledger_lease) AS own
     WHERE lease.generation = $1 AND lease.item_key = own.item_key RETURNING lease.item_key`,
    [
      by.generation,
      held,
      held.map((key) => by.tokens.get(hexOf(key)) ?? 0),
      storableText(by.holder),
      Math.round(forMs),
      timeOf(by),
    ],
    { action: 'claim items for longer' },
  );
  return new Set(rows.map((row) => hexOf(bytesOf(row, 'item_key'))));
}

/** Ends leases before their time; their tokens stay known. */
export async function releaseItems(
  database: PostgresDatabase,
  by: LeaseHolder,
  keys: readonly Buffer[],
): Promise<void> {
  await database.query(
    `UPDATE ragstone_ledger_lease AS lease SET expires_at = 0
     FROM (SELECT item_key FROM ragstone_ledger_lease
       WHERE generation = $1 AND item_key = ANY($2::bytea[]) AND holder = $3 ORDER BY item_key FOR UPDATE) AS own
     WHERE lease.generation = $1 AND lease.item_key = own.item_key`,
    [by.generation, inLockOrder(keys), storableText(by.holder)],
    { action: 'give back what it had claimed' },
  );
  for (const key of keys) by.tokens.delete(hexOf(key));
}

/** Drops leases that nobody can remember, so that they do not pile up. */
export async function forgetOldLeases(run: RunStatement): Promise<void> {
  await run(
    `DELETE FROM ragstone_ledger_lease
     WHERE expires_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1::bigint`,
    [FORGET_AFTER_MS],
  );
}

/**
 * Locks items until the transaction ends, in the one order in which all writers do. Throws `INDEX_LEASE_LOST` where somebody
 * else holds one, or has held it since it was claimed by a token (the fencing token of M. Kleppmann, "How to do
 * distributed locking", 2016), and where the generation was dropped. Without a token an item that nobody holds is free.
 *
 * What is written is read after this: only then does a statement see what the writer before has done.
 */
export async function fence(run: RunStatement, by: LeaseHolder, keys: readonly Buffer[]): Promise<void> {
  // Every part is in the answer, because a part that nothing asks for is not run and locks nothing.
  const { rows } = await run(
    `WITH generations AS MATERIALIZED (${SHARE_GENERATION}),
     items AS MATERIALIZED (SELECT item_key FROM ragstone_ledger_item
       WHERE generation = $1 AND item_key = ANY($2::bytea[]) ORDER BY item_key FOR UPDATE),
     leases AS MATERIALIZED (SELECT item_key, holder, token, expires_at <= ${nowSql(3)} AS is_over
       FROM ragstone_ledger_lease WHERE generation = $1 AND item_key = ANY($2::bytea[]) ORDER BY item_key FOR UPDATE)
     SELECT (SELECT count(*) FROM generations) AS generations, (SELECT count(*) FROM items) AS items, leases.*
     FROM (VALUES (1)) AS always LEFT JOIN leases ON true`,
    [by.generation, inLockOrder(keys), timeOf(by)],
  );
  if (rows[0] === undefined || numberOf(rows[0], 'generations') === 0) throw generationLost(by.generation);
  const leases = new Map(
    rows.filter((row) => row.item_key !== null).map((row) => [hexOf(bytesOf(row, 'item_key')), row]),
  );
  for (const key of keys.map(hexOf)) if (!isHeld(by, key, leases.get(key))) throw leaseLost();
}

/** Throws `INDEX_LEASE_LOST` where anything that the holder has claimed was taken over. */
export async function assertLeases(run: RunStatement, by: LeaseHolder): Promise<void> {
  const keys = [...by.tokens.keys()];
  const { rows } = await run(
    `SELECT item_key, holder, token, expires_at <= ${nowSql(3)} AS is_over FROM ragstone_ledger_lease
     WHERE generation = $1 AND item_key = ANY($2::bytea[])`,
    [by.generation, keys.map((key) => Buffer.from(key, 'hex')), timeOf(by)],
  );
  const leases = new Map(rows.map((row) => [hexOf(bytesOf(row, 'item_key')), row]));
  for (const key of keys) if (!isHeld(by, key, leases.get(key))) throw leaseLost();
}

function isHeld({ tokens, holder }: LeaseHolder, key: string, lease: SqlRow | undefined): boolean {
  const token = tokens.get(key);
  if (lease === undefined) return token === undefined;
  if (textOf(lease, 'holder') === holder) return token === undefined || numberOf(lease, 'token') === token;
  return token === undefined && lease.is_over === true;
}

/** A share of the lock keeps `drop` waiting until this transaction has ended. */
const SHARE_GENERATION =
  'SELECT generation FROM ragstone_ledger_generation WHERE generation = $1 FOR KEY SHARE';

async function assertGeneration(run: RunStatement, generation: number): Promise<void> {
  if ((await run(SHARE_GENERATION, [generation])).count === 0) throw generationLost(generation);
}

const leaseLost = (): RAGError =>
  new RAGError(
    'INDEX_LEASE_LOST',
    'Another process took over what was being written here, because this one was silent for too long. The other one finishes it; nothing is lost.',
  );
