import { pushVarint, readVarint } from '../varint.js';

/** Occurrences of a term: rows ascending, and how often it occurs in each. */
export interface PostingList {
  readonly rows: number[];
  readonly frequencies: number[];
}

/**
 * Packs a posting list: per entry the distance from the row before and the frequency, each as a variable-length integer of
 * seven bits a byte, low bits first (LEB128). About two bytes an entry in a small collection.
 */
export function encodePostings({ rows, frequencies }: PostingList): Uint8Array {
  const bytes: number[] = [];
  let previous = 0;
  for (const [i, row] of rows.entries()) {
    pushVarint(bytes, row - previous);
    pushVarint(bytes, frequencies[i] ?? 0);
    previous = row;
  }
  return new Uint8Array(bytes);
}

/** Calls `visit` for every entry of a packed list, in row order. */
export function decodePostings(bytes: Uint8Array, visit: (row: number, frequency: number) => void): void {
  const reader = { bytes, at: 0 };
  let row = 0;
  while (reader.at < bytes.length) {
    row += readVarint(reader);
    visit(row, readVarint(reader));
  }
}
