import type { CompletedItem, ItemKey } from '../ledger.js';
import { hexOf, keyOf, storableText } from '../ledger-text.js';
import type { LedgerFailure } from '../source-state.js';
import type { GenerationTransaction } from './generation-database.js';

export const sourceKeyOf = (tenant: string, source: string): Buffer => keyOf(tenant, source);

export const itemKeyOf = ({ tenant, source, itemId }: ItemKey): Buffer => keyOf(tenant, source, itemId);

/** Makes items known, and `pending`. */
export async function setItemsPending(
  { run, generation }: GenerationTransaction,
  items: readonly ItemKey[],
): Promise<void> {
  const distinct = distinctItems(items);
  await run(
    `INSERT INTO ragstone_ledger_item (generation, item_key, source_key, tenant, source, item_id, status)
     SELECT $1, item_key, source_key, tenant, source, item_id, 'pending'
     FROM ${NAMES} ORDER BY item_key
     ON CONFLICT (generation, item_key) DO UPDATE SET status = 'pending'`,
    [generation, ...namesOf(distinct)],
  );
}

/** Makes items known, and `pending`, that are not known yet. */
export async function announceItems(
  { run, generation }: GenerationTransaction,
  items: readonly ItemKey[],
): Promise<void> {
  await run(
    `INSERT INTO ragstone_ledger_item (generation, item_key, source_key, tenant, source, item_id, status)
     SELECT $1, item_key, source_key, tenant, source, item_id, 'pending' FROM ${NAMES} ORDER BY item_key
     ON CONFLICT DO NOTHING`,
    [generation, ...namesOf(distinctItems(items))],
  );
}

/** Items were read completely, and everything of them is in the store. */
export async function completeItems(
  { run, generation }: GenerationTransaction,
  items: readonly CompletedItem[],
): Promise<void> {
  const distinct = distinctItems(items);
  await run(
    `INSERT INTO ragstone_ledger_item (generation, item_key, source_key, tenant, source, item_id, version, processing_key,
       status)
     SELECT $1, item_key, source_key, tenant, source, item_id, version, processing_key, 'indexed'
     FROM unnest($2::bytea[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       AS named (item_key, source_key, tenant, source, item_id, version, processing_key) ORDER BY item_key
     ON CONFLICT (generation, item_key) DO UPDATE SET version = EXCLUDED.version,
       processing_key = EXCLUDED.processing_key, status = 'indexed', attempts = 0, error = NULL, error_version = NULL`,
    [
      generation,
      ...namesOf(distinct),
      distinct.map(({ version }) => storableText(version)),
      distinct.map(({ processingKey }) => storableText(processingKey)),
    ],
  );
}

/** Counts the attempt, from one again where another version failed before. */
export async function failItem(
  { run, generation }: GenerationTransaction,
  item: ItemKey,
  failure: LedgerFailure,
): Promise<void> {
  await run(
    `INSERT INTO ragstone_ledger_item AS item (generation, item_key, source_key, tenant, source, item_id, status, attempts,
       error, error_version)
     SELECT $1, item_key, source_key, tenant, source, item_id, 'failed', 1, $7, $8 FROM ${NAMES}
     ON CONFLICT (generation, item_key) DO UPDATE SET status = 'failed', error = EXCLUDED.error,
       error_version = EXCLUDED.error_version,
       attempts = 1 + CASE WHEN item.error_version IS NOT DISTINCT FROM EXCLUDED.error_version THEN item.attempts ELSE 0 END`,
    [
      generation,
      ...namesOf([item]),
      JSON.stringify(failure),
      failure.version === undefined ? null : storableText(failure.version),
    ],
  );
}

export async function forgetItems(
  { run, generation }: GenerationTransaction,
  items: readonly ItemKey[],
): Promise<void> {
  await run('DELETE FROM ragstone_ledger_item WHERE generation = $1 AND item_key = ANY($2::bytea[])', [
    generation,
    items.map(itemKeyOf),
  ]);
}

const NAMES = `unnest($2::bytea[], $3::bytea[], $4::text[], $5::text[], $6::text[])
  AS named (item_key, source_key, tenant, source, item_id)`;

/** Parameters of `NAMES`. */
const namesOf = (items: readonly ItemKey[]) =>
  [
    items.map(itemKeyOf),
    items.map(({ tenant, source }) => sourceKeyOf(tenant, source)),
    items.map(({ tenant }) => storableText(tenant)),
    items.map(({ source }) => storableText(source)),
    items.map(({ itemId }) => storableText(itemId)),
  ] as const;

/** The last of each item: one statement cannot write a row twice. */
const distinctItems = <T extends ItemKey>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [hexOf(itemKeyOf(item)), item])).values(),
];
