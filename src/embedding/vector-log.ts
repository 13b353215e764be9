import { closeSync, constants, fstatSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { PRIVATE_FILE, tighten } from '../platform/security/private-files.js';
import { openRegularFileSync } from '../platform/security/regular-file.js';

/** One vector and its key, a SHA-256 in hexadecimal. */
export type VectorEntry = readonly [key: string, vector: Float32Array];

// A record: magic, key, length of the vector in bytes, CRC-32 over key, length and vector; then the vector.
const MAGIC = Buffer.from('RVL1');
const APPEND = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;
const KEY_AT = 4;
const LENGTH_AT = 36;
const CHECKSUM_AT = 40;
const HEADER_BYTES = 44;
const WINDOW_BYTES = 4 * 1024 * 1024;

/** Bytes that a vector takes in a log. */
export const recordBytes = (vector: Float32Array): number => HEADER_BYTES + vector.byteLength;

/**
 * A file of checksummed records that only grows at its end. What damage or a torn write left between records is passed
 * over. Several processes may append: each write is one `O_APPEND` call, which the system does not interleave.
 */
export class VectorLog {
  readonly #descriptor: number;
  readonly #offsets = new Map<string, number>();
  /** Bytes of the file whose records are known. */
  #known = 0;

  /** Opens or makes the file. Throws the system's error. */
  constructor(path: string) {
    this.#descriptor = openRegularFileSync(path, APPEND, PRIVATE_FILE);
    tighten(path);
  }

  get bytes(): number {
    return fstatSync(this.#descriptor).size;
  }

  /** Tells one file from another of the same name. */
  get inode(): number {
    return fstatSync(this.#descriptor).ino;
  }

  /** The vector under a key, or `undefined` where there is none that is whole. The first read finds all records, a later one what others appended. */
  read(key: string): Float32Array | undefined {
    if (!this.#offsets.has(key)) this.#catchUp();
    const offset = this.#offsets.get(key);
    if (offset === undefined) return undefined;
    const header = readAt(this.#descriptor, offset, HEADER_BYTES);
    const record = isHeader(header, 0) ? readAt(this.#descriptor, offset, recordLength(header, 0)) : header;
    if (isWhole(record, 0) && keyIn(record, 0) === key) {
      // A copy, because a Float32Array must start at a multiple of four.
      return new Float32Array(new Uint8Array(record.subarray(HEADER_BYTES)).buffer);
    }
    this.#offsets.delete(key);
    return undefined;
  }

  /** Keys of all records that are whole, the latest of each. */
  keys(): string[] {
    this.#catchUp();
    return [...this.#offsets.keys()];
  }

  /** Writes entries at the end. Throws the system's error, also for a write that was cut short. */
  append(entries: readonly VectorEntry[]): void {
    const records = entries.map(([key, vector]) => toRecord(key, vector));
    const bytes = Buffer.concat(records);
    const before = this.bytes;
    const written = writeSync(this.#descriptor, bytes);
    if (written < bytes.length) {
      throw Object.assign(new Error('The disk took only a part of the vectors.'), { code: 'ENOSPC' });
    }
    if (before !== this.#known || this.bytes !== before + bytes.length) return;
    // Nobody else appended: the records need not be looked for.
    this.#remember(entries, records, before);
    this.#known = before + bytes.length;
  }

  #remember(entries: readonly VectorEntry[], records: readonly Buffer[], start: number): void {
    let offset = start;
    for (const [i, [key]] of entries.entries()) {
      this.#offsets.set(key, offset);
      offset += records[i]?.length ?? 0;
    }
  }

  #catchUp(): void {
    const from = this.#known;
    this.#known = this.bytes;
    if (from === this.#known) return;
    for (const [key, offset] of findRecords(this.#descriptor, from)) this.#offsets.set(key, offset);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function toRecord(key: string, vector: Float32Array): Buffer {
  const record = Buffer.alloc(recordBytes(vector));
  MAGIC.copy(record);
  record.write(key, KEY_AT, 'hex');
  record.writeUInt32LE(vector.byteLength, LENGTH_AT);
  record.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), HEADER_BYTES);
  record.writeUInt32LE(checksumOf(record, 0), CHECKSUM_AT);
  return record;
}

const keyIn = (bytes: Buffer, at: number): string => bytes.toString('hex', at + KEY_AT, at + LENGTH_AT);

const recordLength = (bytes: Buffer, at: number): number => HEADER_BYTES + bytes.readUInt32LE(at + LENGTH_AT);

function checksumOf(bytes: Buffer, at: number): number {
  const vector = bytes.subarray(at + HEADER_BYTES, at + recordLength(bytes, at));
  return crc32(vector, crc32(bytes.subarray(at + KEY_AT, at + CHECKSUM_AT)));
}

const isHeader = (bytes: Buffer, at: number): boolean =>
  at + HEADER_BYTES <= bytes.length && MAGIC.equals(bytes.subarray(at, at + MAGIC.length));

const isWhole = (bytes: Buffer, at: number): boolean =>
  isHeader(bytes, at) &&
  at + recordLength(bytes, at) <= bytes.length &&
  bytes.readUInt32LE(at + CHECKSUM_AT) === checksumOf(bytes, at);

function readAt(descriptor: number, offset: number, length: number): Buffer {
  const available = Math.max(0, Math.min(length, fstatSync(descriptor).size - offset));
  const buffer = Buffer.alloc(available);
  return buffer.subarray(0, readSync(descriptor, buffer, 0, available, offset));
}

/** Every whole record of a file from an offset on, in order. */
function* findRecords(descriptor: number, from = 0): Generator<readonly [key: string, offset: number]> {
  const { size } = fstatSync(descriptor);
  let start = from;
  while (start < size) {
    const window = readAt(descriptor, start, WINDOW_BYTES);
    if (window.length === 0) return;
    const isLast = start + window.length >= size;
    let at = window.indexOf(MAGIC);
    while (at !== -1 && isWhole(window, at)) {
      yield [keyIn(window, at), start + at];
      at = window.indexOf(MAGIC, at + recordLength(window, at));
    }
    start = nextWindow({ start, window, at, isLast });
  }
}

interface Scanned {
  readonly start: number;
  readonly window: Buffer;
  /** Where a record begins that is not whole in the window; -1 for none. */
  readonly at: number;
  readonly isLast: boolean;
}

/** Where to read on: a record cut by the window's end is read again whole, a damaged one is passed over. */
function nextWindow({ start, window, at, isLast }: Scanned): number {
  // The magic itself may be cut by the end.
  if (at === -1) return start + (isLast ? window.length : window.length - MAGIC.length + 1);
  const needed = at + HEADER_BYTES <= window.length ? recordLength(window, at) : HEADER_BYTES;
  const isCut = !isLast && at + needed > window.length && needed <= WINDOW_BYTES;
  return start + at + (isCut ? 0 : MAGIC.length);
}
