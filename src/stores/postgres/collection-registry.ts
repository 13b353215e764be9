import { RAGError } from '../../core/errors.js';
import type { RunStatement } from '../../platform/postgres/postgres-database.js';
import type { CollectionSpec } from '../vector-store.js';
import { numberOf, textOf } from './row-reader.js';
import { originalText, storableText } from './storable-json.js';

/**
 * Layout of a collection's rows that this program writes; a newer one is refused. Since 2 their words are beside them; before,
 * they were in a local file of each data folder.
 */
export const COLLECTION_FORMAT = 2;

/** A collection as our schema records it. */
export interface RegisteredCollection {
  readonly id: number;
  readonly format: number;
  readonly spec: CollectionSpec;
}

/** Which collection: names are apart for each layout. */
export interface CollectionKey {
  /** Quoted name of our schema. */
  readonly schema: string;
  readonly layout: string;
  readonly name: string;
}

/** The record of a collection, or undefined. Throws `STORE_SCHEMA_TOO_NEW` for one that a newer program wrote. */
export async function findCollection(
  run: RunStatement,
  { schema, layout, name }: CollectionKey,
): Promise<RegisteredCollection | undefined> {
  const sql = `SELECT id, format, dimensions, fingerprint FROM ${schema}.collection WHERE layout = $1 AND name = $2`;
  const [row] = (await run(sql, [layout, name])).rows;
  if (row === undefined) return undefined;
  const format = numberOf(row, 'format');
  if (format > COLLECTION_FORMAT)
    throw new RAGError(
      'STORE_SCHEMA_TOO_NEW',
      `Collection "${name}" has format ${format}; this Ragstone knows ${COLLECTION_FORMAT}. Upgrade Ragstone, or rebuild it with \`ragstone index --force\`.`,
      { details: { expected: COLLECTION_FORMAT, actual: format } },
    );
  const fingerprint = originalText(textOf(row, 'fingerprint'));
  const spec = Object.freeze({ name, dimensions: numberOf(row, 'dimensions'), fingerprint });
  return { id: numberOf(row, 'id'), format, spec };
}

/** Records a collection; undefined where another process has just done so. */
export async function registerCollection(
  run: RunStatement,
  { schema, layout }: CollectionKey,
  { name, dimensions, fingerprint }: CollectionSpec,
): Promise<number | undefined> {
  const sql = `INSERT INTO ${schema}.collection (layout, name, format, dimensions, fingerprint)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (layout, name) DO NOTHING RETURNING id`;
  const values = [layout, name, COLLECTION_FORMAT, dimensions, storableText(fingerprint)];
  const [row] = (await run(sql, values)).rows;
  return row === undefined ? undefined : numberOf(row, 'id');
}

/** Forgets a collection, of a newer format too; its id, or undefined where there was none. */
export async function unregisterCollection(
  run: RunStatement,
  { schema, layout, name }: CollectionKey,
): Promise<number | undefined> {
  const sql = `DELETE FROM ${schema}.collection WHERE layout = $1 AND name = $2 RETURNING id`;
  const [row] = (await run(sql, [layout, name])).rows;
  return row === undefined ? undefined : numberOf(row, 'id');
}

/**
 * The format of a collection as it is now, which no other session changes before the end of this transaction; undefined where
 * it has just been dropped.
 */
export async function lockFormat(
  run: RunStatement,
  { schema, id }: { readonly schema: string; readonly id: number },
): Promise<number | undefined> {
  const sql = `SELECT format FROM ${schema}.collection WHERE id = $1 FOR UPDATE`;
  const [row] = (await run(sql, [id])).rows;
  return row === undefined ? undefined : numberOf(row, 'format');
}

/** Records that a collection now has this program's format. */
export async function raiseFormat(
  run: RunStatement,
  { schema, id }: { readonly schema: string; readonly id: number },
): Promise<void> {
  await run(`UPDATE ${schema}.collection SET format = $1 WHERE id = $2`, [COLLECTION_FORMAT, id]);
}
