import type { ChunkRecord } from '../../core/chunk.js';
import { lookupPath } from '../../core/filter.js';
import type { Metadata, MetadataScalar, MetadataValue } from '../../core/metadata.js';
import { orderedPieces, UNORDERED_PIECE } from '../ordered-pieces.js';
import { isSystemField, type SystemField } from '../record-fields.js';

/**
 * A record in Chroma's flat metadata, so that every filter runs exactly.
 *
 * Chroma's upsert merges: a key that the new record lacks keeps its old value. So nothing may be read from the mere presence of
 * a key. The list `facts`, which every write replaces as a whole, says which fields the last writer set, and a comparison
 * counts only together with its fact.
 */
export type FlatValue = string | number | string[];

/** The key of the list of facts. */
export const FACTS = 'facts';
/** The fact that every record has. */
export const ANY_RECORD = '[]';
/** The fact that a field is present. */
export const presenceFact = (field: string): string => JSON.stringify([field]);
/** The fact that a list holds this scalar. */
export const elementFact = (field: string, value: MetadataScalar): string => JSON.stringify([field, value]);

/** Where a field lies in the flat metadata, and how. */
export interface FieldKeys {
  /** The key of the whole value. */
  readonly value: string;
  /** The value as it lies there; undefined where no value of the field can equal it. */
  readonly encode: (value: MetadataScalar) => string | undefined;
  /** The text there, from what lies there; undefined for another type. */
  readonly decodeText: (stored: string) => string | undefined;
  /** The fact without which the keys say nothing; absent for a field that every write sets. */
  readonly fact?: string;
  /** Ordered pieces that are kept at most; what is longer is compared by its whole value. */
  readonly pieces: number;
  readonly isList: boolean;
}

/** Covers a date to the second; each piece is one more row in the server's database. */
const METADATA_PIECES = 3;
const SYSTEM_PIECES = 2;

const TEXT_KEYS: Partial<Readonly<Record<SystemField, string>>> = {
  $tenant: 'tenant',
  $project: 'project_id',
  $documentId: 'source_id',
  $source: 'source',
  $chunkId: 'chunk_id',
};

/** How the filter field lies in the flat metadata. */
export function fieldKeys(field: string): FieldKeys {
  const json = {
    value: `v:${field}`,
    encode: encodeScalar,
    decodeText: decodeJsonText,
    pieces: METADATA_PIECES,
    isList: false,
  };
  if (!isSystemField(field)) return { ...json, fact: presenceFact(field) };
  const key = TEXT_KEYS[field];
  if (key === undefined) return { ...json, pieces: SYSTEM_PIECES, isList: field !== '$level' };
  return {
    value: key,
    encode: (value) => (typeof value === 'string' ? value : undefined),
    decodeText: (stored) => stored,
    pieces: SYSTEM_PIECES,
    isList: false,
    ...(field === '$project' ? { fact: presenceFact(field) } : {}),
  };
}

/**
 * The access level rounded up, and kept within what JSON carries exactly. A level is at most a whole number exactly if it is
 * so rounded up: the comparison of every scope in one step, where pieces need three.
 */
export const LEVEL_CEILING = 'level';
const levelCeiling = (level: number): number => Math.max(-(2 ** 53), Math.min(2 ** 53, Math.ceil(level) + 0));

/** The key of the field's n-th ordered piece. */
export const pieceKey = (field: string, index: number): string => `o${index}:${field}`;

/** Everything that filters read of a record. */
export function filterKeys(record: ChunkRecord): Record<string, FlatValue> {
  const keys: Record<string, FlatValue> = {};
  const facts = new Set([ANY_RECORD]);
  const texts = {
    $tenant: record.tenant,
    $project: record.project,
    $documentId: record.documentId,
    $source: record.source,
    $chunkId: record.id,
  };
  for (const [field, text] of Object.entries(texts)) addSystemText(keys, facts, field, text);
  addScalar(keys, '$level', record.access.level);
  keys[LEVEL_CEILING] = levelCeiling(record.access.level);
  addElements(facts, '$groups', record.access.groups);
  addElements(facts, '$identifiers', record.identifiers);
  for (const { path, value } of metadataPaths(record.metadata)) {
    facts.add(presenceFact(path));
    if (isScalar(value)) addScalar(keys, path, value);
    else addComposite(keys, facts, path, value);
  }
  keys[FACTS] = [...facts];
  return keys;
}

function addSystemText(
  keys: Record<string, FlatValue>,
  facts: Set<string>,
  field: string,
  text: string | undefined,
): void {
  if (text !== undefined) facts.add(presenceFact(field));
  keys[fieldKeys(field).value] = text ?? '';
  addPieces(keys, field, orderedPieces(text ?? ''));
}

function addScalar(keys: Record<string, FlatValue>, field: string, value: MetadataScalar): void {
  keys[fieldKeys(field).value] = encodeScalar(value);
  const isOrdered = typeof value === 'string' || typeof value === 'number';
  addPieces(keys, field, isOrdered ? orderedPieces(value) : [UNORDERED_PIECE]);
}

function addComposite(
  keys: Record<string, FlatValue>,
  facts: Set<string>,
  path: string,
  value: Exclude<MetadataValue, MetadataScalar>,
): void {
  // No scalar's JSON is one bracket.
  keys[fieldKeys(path).value] = Array.isArray(value) ? '[' : '{';
  addPieces(keys, path, [UNORDERED_PIECE]);
  if (Array.isArray(value)) addElements(facts, path, value);
}

function addPieces(keys: Record<string, FlatValue>, field: string, pieces: readonly number[]): void {
  for (const [index, piece] of pieces.slice(0, fieldKeys(field).pieces).entries())
    keys[pieceKey(field, index)] = piece;
}

function addElements(facts: Set<string>, field: string, values: readonly MetadataValue[]): void {
  for (const value of values) if (isScalar(value)) facts.add(elementFact(field, value));
}

/** Every path that `lookupPath` resolves, with its value. Names of system fields cannot be asked for, so they are left out. */
function metadataPaths(metadata: Metadata): { readonly path: string; readonly value: MetadataValue }[] {
  return [...new Set(candidatePaths(metadata))].flatMap((path) => {
    const value = lookupPath(metadata, path);
    return value === undefined || isSystemField(path) ? [] : [{ path, value }];
  });
}

function* candidatePaths(metadata: Metadata, prefix = ''): Generator<string> {
  for (const [key, value] of Object.entries(metadata)) {
    yield prefix + key;
    if (isRecord(value)) yield* candidatePaths(value, `${prefix}${key}.`);
  }
}

// JSON tells types apart and writes equal numbers alike (-0 as 0).
const encodeScalar = (value: MetadataScalar): string => JSON.stringify(value);

function decodeJsonText(stored: string): string | undefined {
  if (!stored.startsWith('"')) return undefined;
  const value: unknown = JSON.parse(stored);
  return typeof value === 'string' ? value : undefined;
}

const isScalar = (value: MetadataValue): value is MetadataScalar =>
  typeof value !== 'object' || value === null;

const isRecord = (value: MetadataValue): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
