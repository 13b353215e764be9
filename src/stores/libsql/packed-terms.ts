import { isUtf8 } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';
import { SqliteValueError } from '../../platform/sqlite/sqlite-fault.js';

/**
 * First byte of terms that are not compressed; no DEFLATE begins so, for its bits name a kind of block that there is not. To compress a few
 * hundred bytes took a third of the time in which a chunk was written, most of it to begin.
 */
const PLAIN = 0x07;

/** Terms as bytes, in any order. */
export const packTerms = (terms: readonly string[]): Uint8Array =>
  Buffer.from(`${String.fromCharCode(PLAIN)}${JSON.stringify(terms)}`);

/** Also what earlier versions packed. Throws `SqliteValueError` where the bytes are no packed terms. */
export function unpackTerms(bytes: Uint8Array): readonly string[] {
  const terms = parsed(bytes);
  if (Array.isArray(terms) && terms.every((term) => typeof term === 'string')) return terms;
  throw new SqliteValueError('packed terms', 0);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(jsonOf(bytes));
  } catch {
    return undefined;
  }
}

function jsonOf(bytes: Uint8Array): string {
  if (bytes[0] !== PLAIN) return inflateRawSync(bytes, { maxOutputLength: MOST_BYTES }).toString('utf8');
  const json = bytes.subarray(1);
  return isUtf8(json) ? Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8') : '';
}

/** Bytes of the terms of one chunk at most: damaged ones may claim any number. */
const MOST_BYTES = 256 * 1024 * 1024;
