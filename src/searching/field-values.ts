import { and, exists, not, oneOf } from '../core/filter.js';
import type { MetadataValue } from '../core/metadata.js';
import { scopeCollection } from '../stores/scoped-collection.js';
import type { ScopedRead } from './document-chunks.js';

/** Values of one field that are looked up. */
const MOST_VALUES = 12;

/**
 * Values that a field of the metadata has in what the scope may read, in order; at most a dozen. Each look-up leaves out what is known, so
 * that few records are read. Lists and objects are passed over, and fields of the engine itself are none.
 */
export async function fieldValues(field: string, read: ScopedRead): Promise<readonly string[]> {
  if (field === '' || field.startsWith('$')) return [];
  const { collection, sealing } = await read.resources.stores.collection();
  const scoped = scopeCollection(collection, read.scope, sealing);
  const values: string[] = [];
  while (values.length < MOST_VALUES) {
    const { chunks } = await scoped.list({
      filter: and(exists(field), not(oneOf(field, values))),
      limit: 1,
      ...(read.signal === undefined ? {} : { signal: read.signal }),
    });
    const value: MetadataValue | undefined = chunks[0]?.metadata[field];
    if (typeof value !== 'string' || values.includes(value)) break;
    values.push(value);
  }
  return values.sort();
}
