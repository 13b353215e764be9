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

/** Entries of posting lists, one behind the other. One is used for many lists, for its arrays are large. */
export class PostingBuffer {
  rows: Float64Array = new Float64Array(1_024);
  frequencies: Float64Array = new Float64Array(1_024);
  size = 0;

  clear(): void {
    this.size = 0;
  }

  /** Adds the entries of a packed list; what `decodePostings` gives, in a loop that calls nothing. */
  add(bytes: Uint8Array): void {
    // An entry has two bytes at least.
    this.#reserve(this.size + (bytes.length >> 1));
    const { rows, frequencies } = this;
    const { length } = bytes;
    let { size } = this;
    let row = 0;
    for (let at = 0; at < length; ) {
      let byte = bytes[at++] ?? 0;
      row += byte & 0x7f;
      for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
        byte = bytes[at++] ?? 0;
        row += (byte & 0x7f) * scale;
      }
      byte = bytes[at++] ?? 0;
      let frequency = byte & 0x7f;
      for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
        byte = bytes[at++] ?? 0;
        frequency += (byte & 0x7f) * scale;
      }
      rows[size] = row;
      frequencies[size++] = frequency;
    }
    this.size = size;
  }

  #reserve(size: number): void {
    if (size <= this.rows.length) return;
    const room = Math.max(size, 2 * this.rows.length);
    this.rows = grown(this.rows, room);
    this.frequencies = grown(this.frequencies, room);
  }
}

function grown(values: Float64Array, size: number): Float64Array {
  const larger = new Float64Array(size);
  larger.set(values);
  return larger;
}
