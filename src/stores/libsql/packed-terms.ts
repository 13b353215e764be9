import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { SqliteValueError } from '../../sqlite/sqlite-fault.js';

/** Level of compression: higher ones take more time than they save room in a few hundred words. */
const LEVEL = 1;

/** Terms as bytes, in any order. */
export const packTerms = (terms: readonly string[]): Uint8Array =>
  deflateRawSync(JSON.stringify(terms), { level: LEVEL });

/** Throws `SqliteValueError` where the bytes are no packed terms. */
export function unpackTerms(bytes: Uint8Array): readonly string[] {
  const terms = parsed(bytes);
  if (Array.isArray(terms) && terms.every((term) => typeof term === 'string')) return terms;
  throw new SqliteValueError('packed terms', 0);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(inflateRawSync(bytes, { maxOutputLength: MOST_BYTES }).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Bytes of the terms of one chunk at most: damaged ones may claim any number. */
const MOST_BYTES = 256 * 1024 * 1024;
