import { createHash } from 'node:crypto';
import type { ChunkRecord } from '../../core/chunk.js';
import type { MetadataScalar, MetadataValue } from '../../core/metadata.js';
import { isScalar, metadataPaths } from '../metadata-paths.js';
import { fieldLookup, SYSTEM_FIELDS, storedChunkOf } from '../record-fields.js';

/*
 * Every filterable fact of a chunk is a key in one of two lists, so that any metadata can be filtered exactly without a schema
 * of its own and no hostile text reaches the query language.
 *
 * `facts` holds hashes of "the field is present", "is a text", "is a number", "is this value" and "is a list with this
 * element". `ordered` holds texts and numbers in a form whose prefixes are ranges: four digits from 0 to 3 for each byte, the
 * bytes of texts (UTF-8) and numbers (IEEE 754, sign turned) being in the order of the values.
 */

/** Bytes of a text in one ordered key; longer ones go on at the next level. */
const SEGMENT_BYTES = 64;
/** Of a hash in an ordered key, in characters of base64: 132 bits. */
const HASH_LENGTH = 22;

type Kind = 'present' | 'text' | 'number' | 'value' | 'element';

/** The key that every chunk has. */
export const ANY_CHUNK = 'any';

export const presenceKey = (field: string): string => factKey('present', field);
export const textKey = (field: string): string => factKey('text', field);
export const numberKey = (field: string): string => factKey('number', field);
export const valueKey = (field: string, value: MetadataScalar): string => factKey('value', field, value);
export const elementKey = (field: string, value: MetadataScalar): string => factKey('element', field, value);

function factKey(kind: Kind, field: string, value?: MetadataScalar): string {
  // As text because JSON has no infinity; adding zero makes 0 of -0, which equals it.
  const operand = typeof value === 'number' ? `${value + 0}` : (value ?? null);
  return sha256(JSON.stringify([kind, field, typeof value, operand]));
}

/** One ordered key of a value, without its digits, and the digits. */
export interface OrderedPart {
  readonly level: string;
  readonly digits: string;
}

/** The ordered keys of a value: one for a number, one for each segment of a text. */
export function orderedParts(field: string, value: number | string): OrderedPart[] {
  const start = sha256(field).slice(0, HASH_LENGTH);
  if (typeof value === 'number') return [{ level: `${start}:n:`, digits: digitsOf(numberBytes(value)) }];
  const bytes = Buffer.from(value, 'utf8');
  const before = createHash('sha256');
  const parts: OrderedPart[] = [];
  for (let offset = 0; offset === 0 || offset < bytes.length; offset += SEGMENT_BYTES) {
    const segment = bytes.subarray(offset, offset + SEGMENT_BYTES);
    const path = offset === 0 ? '' : before.copy().digest('base64url').slice(0, HASH_LENGTH);
    parts.push({ level: `${start}:s${offset}${path}:`, digits: digitsOf(segment) });
    before.update(segment);
  }
  return parts;
}

export interface FilterKeys {
  readonly facts: readonly string[];
  readonly ordered: readonly string[];
}

/** Every key of a record; ordered ones only where `isKeptElsewhere` does not say that the value has a property of its own. */
export function filterKeys(
  record: ChunkRecord,
  isKeptElsewhere: (field: string, value: number | string) => boolean,
): FilterKeys {
  const lookup = fieldLookup(storedChunkOf(record));
  const facts = new Set([ANY_CHUNK]);
  const ordered = new Set<string>();
  for (const field of new Set([...SYSTEM_FIELDS, ...metadataPaths(record.metadata)])) {
    // Metadata under the name of a system field are hidden behind it in every filter.
    const value = lookup(field);
    if (value === undefined) continue;
    for (const key of factsOf(field, value)) facts.add(key);
    if ((typeof value === 'number' || typeof value === 'string') && !isKeptElsewhere(field, value))
      for (const { level, digits } of orderedParts(field, value)) ordered.add(level + digits);
  }
  return { facts: [...facts], ordered: [...ordered] };
}

function* factsOf(field: string, value: MetadataValue): Generator<string> {
  yield presenceKey(field);
  if (typeof value === 'string') yield textKey(field);
  if (typeof value === 'number') yield numberKey(field);
  if (isScalar(value)) yield valueKey(field, value);
  else if (Array.isArray(value))
    for (const element of value) if (isScalar(element)) yield elementKey(field, element);
}

const BYTE_DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(4).padStart(4, '0'));

const digitsOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => BYTE_DIGITS[byte] ?? '').join('');

// IEEE 754 doubles order as unsigned integers once the sign bit is flipped, negative ones with all other bits too.
function numberBytes(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value + 0);
  const isNegative = bytes.readUInt8(0) >= 0x80;
  return bytes.map((byte, i) => (isNegative ? ~byte & 0xff : i === 0 ? byte | 0x80 : byte));
}

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64url');
