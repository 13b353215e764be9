import { hash } from 'node:crypto';
import { type ByteReader, pushVarint, readVarint } from '../../varint.js';

/** A chunk in a list of postings: its number, how often it holds the term, and how many terms it has. */
export interface Posting {
  readonly row: number;
  readonly frequency: number;
  readonly length: number;
}

/** A chunk of a segment. */
export interface SegmentEntry {
  readonly row: number;
  readonly length: number;
}

/** Packs numbers that ascend, each with more numbers; written piece by piece. */
export class PackedList {
  readonly #bytes: number[] = [];
  #last = 0;

  push(row: number, ...values: readonly number[]): void {
    pushVarint(this.#bytes, row - this.#last);
    for (const value of values) pushVarint(this.#bytes, value);
    this.#last = row;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.#bytes);
  }
}

/** Visits the postings of a list, in the order of their rows. */
export function visitPostings(
  bytes: Uint8Array,
  visit: (row: number, frequency: number, length: number) => void,
): void {
  const reader: ByteReader = { bytes, at: 0 };
  for (let row = 0; reader.at < bytes.length; ) {
    row += readVarint(reader);
    visit(row, readVarint(reader), readVarint(reader));
  }
}

export function decodeEntries(bytes: Uint8Array): SegmentEntry[] {
  const reader: ByteReader = { bytes, at: 0 };
  const entries: SegmentEntry[] = [];
  for (let row = 0; reader.at < bytes.length; ) {
    row += readVarint(reader);
    entries.push({ row, length: readVarint(reader) });
  }
  return entries;
}

const TERM_DIGITS = 32;

/** A term as it is stored, in hexadecimal digits: terms may be longer than an index takes, and hold any character. */
export const termKey = (term: string): string => hash('sha256', term, 'hex').slice(0, TERM_DIGITS);
