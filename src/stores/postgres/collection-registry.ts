import { RAGError } from '../../core/errors.js';
import type { CollectionSpec } from '../vector-store.js';
import type { RunStatement } from './postgres-database.js';
import { numberOf, textOf } from './row-reader.js';
import { originalText, storableText } from './storable-json.js';

/** Layout of a collection's rows that this program writes; a newer one is refused. */
export const COLLECTION_FORMAT = 1;

/** A collection as our schema records it. */
export interface RegisteredCollection {
  readonly id: number;
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
  return { id: numberOf(row, 'id'), spec };
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
