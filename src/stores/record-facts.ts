import { createHash } from 'node:crypto';
import type { ChunkRecord } from '../core/chunk.js';
import type { MetadataValue } from '../core/metadata.js';
import type { Fact } from './filter-condition.js';
import { isScalar, metadataPaths } from './metadata-paths.js';
import { orderedPieces } from './ordered-pieces.js';
import { fieldLookup, isSystemField, SYSTEM_FIELDS, storedChunkOf } from './record-fields.js';

/** Pieces of 48 bits that are kept of a text: a date to the millisecond has five. Longer texts with the same pieces are read and compared. */
const METADATA_PIECES = 5;
const SYSTEM_PIECES = 2;

/** How many pieces are kept of a text in this field. */
export const piecesKept = (field: string): number => (isSystemField(field) ? SYSTEM_PIECES : METADATA_PIECES);

/** All that filters can ask of a record. */
export interface RecordFacts {
  readonly facts: readonly Fact[];
  /** Numbers by field. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Pieces of texts by field, as many as are kept. */
  readonly texts: ReadonlyMap<string, readonly number[]>;
}

export function factsOf(record: ChunkRecord): RecordFacts {
  const lookup = fieldLookup(storedChunkOf(record));
  const facts: Fact[] = [{ is: 'any' }];
  const numbers = new Map<string, number>();
  const texts = new Map<string, readonly number[]>();
  for (const field of new Set([...SYSTEM_FIELDS, ...metadataPaths(record.metadata)])) {
    // Metadata under the name of a system field are hidden behind it in every filter.
    const value = lookup(field);
    if (value === undefined) continue;
    facts.push(...factsOfValue(field, value));
    // Adding zero turns -0, which equals 0, into it.
    if (typeof value === 'number') numbers.set(field, value + 0);
    if (typeof value === 'string') texts.set(field, orderedPieces(value).slice(0, piecesKept(field)));
  }
  return { facts, numbers, texts };
}

function* factsOfValue(field: string, value: MetadataValue): Generator<Fact> {
  yield { is: 'present', field };
  if (typeof value === 'string') yield { is: 'text', field };
  if (typeof value === 'number') yield { is: 'number', field };
  if (isScalar(value)) yield { is: 'value', field, value };
  else if (Array.isArray(value))
    for (const element of value) if (isScalar(element)) yield { is: 'element', field, value: element };
}

/** Characters of a hash in base64: 132 bits, so that two of them are never the same by chance. */
const HASH_LENGTH = 22;

/** A fact as a short word of plain ASCII, whatever the text in it. */
export function factKey(fact: Fact): string {
  if (fact.is === 'any') return 'any';
  const value = 'value' in fact ? fact.value : null;
  // As text because JSON has no infinity; adding zero makes 0 of -0, which equals it.
  const operand = typeof value === 'number' ? `${value + 0}` : value;
  return shortHash(JSON.stringify([fact.is, fact.field, typeof value, operand]));
}

/** The name of a field as a short word of plain ASCII. */
export const fieldKey = (field: string): string => shortHash(field);

const shortHash = (text: string): string =>
  createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, HASH_LENGTH);
