import { createHash } from 'node:crypto';
import type { ChunkRecord } from '../../core/chunk.js';
import type { MetadataScalar, MetadataValue } from '../../core/metadata.js';
import { isScalar, metadataPaths } from '../metadata-paths.js';
import { fieldLookup, isSystemField, SYSTEM_FIELDS, storedChunkOf } from '../record-fields.js';

/*
 * Every filterable fact of a chunk is one key in one keyword field: path, type and value in a form whose order by UTF-8
 * bytes (Lucene's) is the order of the values. So any metadata can be filtered exactly without a mapping of its own, a
 * hostile key cannot become a field, and no index ever runs out of fields.
 *
 *   m5:state=?            the path is present
 *   m5:state=s0:open      it holds this text (see `textSegments` for long ones)
 *   m5:state=n<16 hex>    it holds this number
 *   m5:state=b1, =z       it holds true, null
 *   m4:tags=eso           it is a list with the text "o"; `e` and then a type as above
 *   $7:$tenant=s0:acme    a system field: no metadata key can forge the first letter
 */

/**
 * Code points of a text in one key. Lucene compiles a range to an automaton, a state a byte, and OpenSearch refuses one of
 * more than 1,000: 512 bytes here, 300 of the path and 60 of the level stay below.
 */
export const SEGMENT_CODE_POINTS = 128;
/** Longer paths, in UTF-16 units, are hashed. */
const MAX_PLAIN_PATH = 100;

/** The key of every chunk whose vector is all zero, which has no direction to index. */
export const ZERO_VECTOR_KEY = 'v0';

/** One key holds at most this part of a long text. */
export interface TextSegment {
  /** Position and, from the second on, the hash of everything before it. */
  readonly level: string;
  /** Exactly `SEGMENT_CODE_POINTS` code points, or fewer (perhaps none) in the last segment of a text. */
  readonly text: string;
}

/**
 * Cuts a text so that comparisons of any length are exact in an index of short keys: two texts with the same level agree
 * before it, and there the order of the segments is the order of the texts, because only a last segment is short.
 */
export function textSegments(text: string): TextSegment[] {
  const before = createHash('sha256');
  const segments: TextSegment[] = [];
  let start = 0;
  for (;;) {
    const end = segmentEnd(text, start);
    const level = start === 0 ? '0' : `${segments.length}${before.copy().digest('base64url')}`;
    const segment = text.slice(start, end ?? text.length);
    segments.push({ level, text: segment });
    if (end === undefined) return segments;
    before.update(segment, 'utf8');
    start = end;
  }
}

/** The offset after a full segment, or undefined where fewer code points are left. */
function segmentEnd(text: string, start: number): number | undefined {
  if (text.length - start < SEGMENT_CODE_POINTS) return undefined;
  let offset = start;
  for (let count = 0; count < SEGMENT_CODE_POINTS; count++) {
    if (offset >= text.length) return undefined;
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset;
}

/** Start of all keys of a filter field. No path's start is the start of another's. */
export function fieldStart(field: string): string {
  const namespace = isSystemField(field) ? '$' : 'm';
  return field.length <= MAX_PLAIN_PATH
    ? `${namespace}${field.length}:${field}=`
    : `${namespace}#${sha256(field)}=`;
}

/** The key of a field that is present. */
export const presenceKey = (field: string): string => `${fieldStart(field)}?`;

/** Start of the keys of texts at one level, and the first key after them all. */
export const textLevel = (field: string, level: string): { readonly from: string; readonly to: string } => {
  const start = `${fieldStart(field)}s${level}`;
  // The semicolon follows the colon.
  return { from: `${start}:`, to: `${start};` };
};

/** Start of the keys of numbers, and the first key after them all. */
export const numberKeys = (field: string): { readonly from: string; readonly to: string } => ({
  from: `${fieldStart(field)}n`,
  to: `${fieldStart(field)}o`,
});

/** The key of a number, in the order of numbers. */
export const numberKey = (field: string, value: number): string => `${fieldStart(field)}${numberCode(value)}`;

/** The one key of a field that holds this value. */
export function valueKey(field: string, value: MetadataScalar): string {
  if (typeof value !== 'string') return `${fieldStart(field)}${codeOf(value)}`;
  const { level, text } = textSegments(value).at(-1) ?? { level: '0', text: '' };
  return textLevel(field, level).from + text;
}

/** The key of a list with this element. */
export function elementKey(field: string, element: MetadataScalar): string {
  if (typeof element !== 'string') return `${fieldStart(field)}e${codeOf(element)}`;
  const isShort = element.length < SEGMENT_CODE_POINTS;
  return `${fieldStart(field)}e${isShort ? `s${element}` : `h${sha256(element)}`}`;
}

/** Every key of a record. */
export function facetKeys(record: ChunkRecord): string[] {
  const lookup = fieldLookup(storedChunkOf(record));
  const keys = new Set<string>();
  for (const field of [...SYSTEM_FIELDS, ...metadataPaths(record.metadata)]) {
    // Such a key of the metadata is hidden behind the system field in every filter.
    const value = lookup(field);
    if (value !== undefined) for (const key of keysOf(field, value)) keys.add(key);
  }
  if (record.vector.every((component) => component === 0)) keys.add(ZERO_VECTOR_KEY);
  return [...keys];
}

function* keysOf(field: string, value: MetadataValue): Generator<string> {
  yield presenceKey(field);
  if (typeof value === 'string') {
    for (const { level, text } of textSegments(value)) yield textLevel(field, level).from + text;
  } else if (isScalar(value)) {
    yield valueKey(field, value);
  } else if (Array.isArray(value)) {
    for (const element of value) if (isScalar(element)) yield elementKey(field, element);
  }
}

function codeOf(value: number | boolean | null): string {
  if (typeof value === 'number') return numberCode(value);
  return value === null ? 'z' : `b${value ? 1 : 0}`;
}

const numberView = new DataView(new ArrayBuffer(8));

// IEEE 754 doubles order as unsigned integers once the sign bit is flipped, negative ones with all other bits too.
function numberCode(value: number): string {
  // Adding zero turns -0, which equals 0, into it.
  numberView.setFloat64(0, value + 0);
  const bits = numberView.getBigUint64(0);
  const ordered = bits >> 63n === 1n ? BigInt.asUintN(64, ~bits) : bits | (1n << 63n);
  return `n${ordered.toString(16).padStart(16, '0')}`;
}

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64url');
