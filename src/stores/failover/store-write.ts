import type { ChunkRecord } from '../../core/chunk.js';
import type { Filter } from '../../core/filter.js';
import type { CollectionSpec, VectorCollection, VectorStore } from '../vector-store.js';

/** A change of a store, as the journal keeps it. Done twice it changes nothing more. */
export type StoreWrite =
  | { readonly kind: 'create'; readonly spec: CollectionSpec }
  | { readonly kind: 'upsert'; readonly spec: CollectionSpec; readonly records: readonly ChunkRecord[] }
  | { readonly kind: 'delete'; readonly spec: CollectionSpec; readonly filter: Filter }
  | { readonly kind: 'purge'; readonly spec: CollectionSpec; readonly thorough: boolean }
  | { readonly kind: 'drop'; readonly name: string };

/** The collection that a write is about. */
export const collectionOfWrite = (write: StoreWrite): string =>
  write.kind === 'drop' ? write.name : write.spec.name;

/** Does it; returns how many chunks a deletion deleted, else 0. */
export async function applyWrite(
  write: StoreWrite,
  store: VectorStore,
  open: (spec: CollectionSpec) => Promise<VectorCollection>,
): Promise<number> {
  if (write.kind === 'drop') {
    await store.drop(write.name);
    return 0;
  }
  const collection = await open(write.spec);
  switch (write.kind) {
    case 'create':
      return 0;
    case 'upsert':
      await collection.upsert(write.records);
      return 0;
    case 'delete':
      return collection.delete(write.filter);
    case 'purge':
      await collection.purge?.(undefined, { thorough: write.thorough });
      return 0;
    default:
      return write satisfies never;
  }
}

const LENGTH_BYTES = 4;
const COMPONENT_BYTES = 4;

/** As bytes: the length of a JSON text, that text, and the vectors of its records. */
export function encodeWrite(write: StoreWrite): Buffer {
  const records = write.kind === 'upsert' ? write.records : [];
  const bare =
    write.kind === 'upsert'
      ? { ...write, records: records.map(({ vector, ...rest }) => ({ ...rest, vector: vector.length })) }
      : write;
  const text = Buffer.from(JSON.stringify(bare, infinityAsText));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, ...records.map(({ vector }) => bytesOf(vector))]);
}

/** What `encodeWrite` made of it. */
export function decodeWrite(bytes: Buffer): StoreWrite {
  const end = LENGTH_BYTES + bytes.readUInt32LE(0);
  const write = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end), textAsInfinity) as StoreWrite;
  if (write.kind !== 'upsert') return write;
  let offset = end;
  const records = write.records.map((record) => {
    const components = record.vector as unknown as number;
    const vector = vectorFrom(bytes, offset, components);
    offset += components * COMPONENT_BYTES;
    return { ...record, vector };
  });
  return { ...write, records };
}

function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * COMPONENT_BYTES);
  vector.forEach((component, index) => void bytes.writeFloatLE(component, index * COMPONENT_BYTES));
  return bytes;
}

function vectorFrom(bytes: Buffer, offset: number, components: number): Float32Array {
  const vector = new Float32Array(components);
  for (let index = 0; index < components; index++)
    vector[index] = bytes.readFloatLE(offset + index * COMPONENT_BYTES);
  return vector;
}

/** No value of a filter is an object, and records hold finite numbers alone, so that this stands for nothing else. */
const INFINITE = '$infinite';

const infinityAsText = (_: string, value: unknown): unknown =>
  value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
    ? { [INFINITE]: value > 0 ? 1 : -1 }
    : value;

const textAsInfinity = (_: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, INFINITE)) return value;
  const sign = (value as Record<string, unknown>)[INFINITE];
  const isOurs = Object.keys(value).length === 1 && (sign === 1 || sign === -1);
  return isOurs ? Number(sign) * Number.POSITIVE_INFINITY : value;
};
