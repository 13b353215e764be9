import { inflateRawSync } from 'node:zlib';
import { RAGError } from '../core/errors.js';
import { otherFormat } from './known-content.js';

/** What a ZIP file may unpack to. */
export interface ZipLimits {
  /** All entries together, unpacked. */
  readonly maxTotalBytes: number;
  readonly maxEntries: number;
}

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const END_LENGTH = 22;
const LONGEST_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;

/**
 * Proves that a ZIP file unpacks within limits before anything opens it (APPNOTE 6.3, without ZIP64, encryption and other
 * methods than deflate, none of which a word processor writes). Declared sizes can lie, so each entry is unpacked here
 * under a bound that the decompressor enforces.
 *
 * @returns names of the entries and their content
 * @throws `DOCUMENT_TOO_LARGE` for a decompression bomb, `DOCUMENT_INVALID` for what is not such a file
 */
export function unpackWithin(bytes: Uint8Array, name: string, limits: ZipLimits): Map<string, Uint8Array> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { count, offset } = readDirectory(file, name);
  if (count > limits.maxEntries) throw tooLarge(name, `it holds ${count} entries`);
  const entries = new Map<string, Uint8Array>();
  let room = limits.maxTotalBytes;
  let at = offset;
  for (let index = 0; index < count; index += 1) {
    const entry = readEntry(file, at, name);
    const content = unpack(file, entry, { name, room });
    room -= content.length;
    entries.set(entry.name, content);
    at = entry.next;
  }
  return entries;
}

function readDirectory(file: Buffer, name: string): { count: number; offset: number } {
  const lowest = Math.max(0, file.length - END_LENGTH - LONGEST_COMMENT);
  for (let at = file.length - END_LENGTH; at >= lowest; at -= 1) {
    if (file.readUInt32LE(at) !== END_OF_DIRECTORY) continue;
    return { count: file.readUInt16LE(at + 10), offset: file.readUInt32LE(at + 16) };
  }
  throw (
    otherFormat(file, { name, expected: 'a ZIP archive' }) ??
    invalid(name, 'it is not a ZIP file, or is cut short (a file with a password is not one either)')
  );
}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly packedBytes: number;
  readonly localHeader: number;
  readonly next: number;
}

function readEntry(file: Buffer, at: number, name: string): Entry {
  if (at + 46 > file.length || file.readUInt32LE(at) !== DIRECTORY_ENTRY) {
    throw invalid(name, 'its ZIP directory is damaged');
  }
  const isEncrypted = (file.readUInt16LE(at + 8) & 1) === 1;
  if (isEncrypted) throw invalid(name, 'it is encrypted');
  const nameLength = file.readUInt16LE(at + 28);
  const next = at + 46 + nameLength + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  return {
    name: file.toString('utf8', at + 46, at + 46 + nameLength),
    method: file.readUInt16LE(at + 10),
    packedBytes: file.readUInt32LE(at + 20),
    localHeader: file.readUInt32LE(at + 42),
    next,
  };
}

function unpack(file: Buffer, entry: Entry, { name, room }: { name: string; room: number }): Uint8Array {
  const { localHeader, method, packedBytes } = entry;
  if (localHeader + 30 > file.length || file.readUInt32LE(localHeader) !== LOCAL_HEADER) {
    throw invalid(name, 'its ZIP directory is damaged');
  }
  const start = localHeader + 30 + file.readUInt16LE(localHeader + 26) + file.readUInt16LE(localHeader + 28);
  const packed = file.subarray(start, start + packedBytes);
  if (packed.length < packedBytes) throw invalid(name, 'it is cut short');
  if (method !== STORED && method !== DEFLATED) throw invalid(name, `it uses compression method ${method}`);
  if (method === STORED && packed.length > room) throw tooLarge(name, 'it unpacks to too much');
  return method === STORED ? packed : inflate(packed, { name, room });
}

function inflate(packed: Uint8Array, { name, room }: { name: string; room: number }): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, room) });
  } catch (cause) {
    // A RangeError is zlib's answer to output above the bound.
    if (cause instanceof RangeError) throw tooLarge(name, 'it unpacks to too much', cause);
    throw invalid(name, 'its compressed data are damaged', cause);
  }
}

const tooLarge = (name: string, why: string, cause?: unknown): RAGError =>
  new RAGError('DOCUMENT_TOO_LARGE', `"${name}" is not opened: ${why}. Split or exclude it.`, { cause });

const invalid = (name: string, why: string, cause?: unknown): RAGError =>
  new RAGError('DOCUMENT_INVALID', `"${name}" cannot be read: ${why}. Save it again, or exclude it.`, {
    cause,
  });
