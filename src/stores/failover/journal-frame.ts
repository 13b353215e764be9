import { crc32 } from 'node:zlib';

/**
 * One record of the journal's file: 32 bytes that say what follows, each part with a checksum (CRC-32, of zlib), so that a record that was
 * half written is known as such.
 */
export interface Frame {
  readonly type: FrameType;
  /** Number of the write; 0 where it is none. */
  readonly seq: number;
  /** Tells the write from another one of the same number. */
  readonly token: number;
  /** Bytes of what follows. */
  readonly length: number;
  readonly checksum: number;
}

/**
 * `state`: how things stand, the first record of a file. `write`: a change of chunks. `change`: of which collections there are. `event`: a
 * change of the state.
 */
export type FrameType = 'state' | 'write' | 'change' | 'event';

const TYPES: readonly FrameType[] = ['state', 'write', 'change', 'event'];
const MAGIC = 0x52_47_4a_31;
export const FRAME_BYTES = 32;
const CHECKED_BYTES = 28;

/** A record as it is appended. */
export function frameOf(
  { type, seq = 0, token = 0 }: Pick<Frame, 'type'> & Partial<Pick<Frame, 'seq' | 'token'>>,
  body: Buffer,
): Buffer {
  const head = Buffer.alloc(FRAME_BYTES);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(TYPES.indexOf(type), 4);
  head.writeUInt32LE(body.length, 8);
  head.writeUInt32LE(crc32(body), 12);
  head.writeBigUInt64LE(BigInt(seq), 16);
  head.writeUInt32LE(token, 24);
  head.writeUInt32LE(crc32(head.subarray(0, CHECKED_BYTES)), CHECKED_BYTES);
  return Buffer.concat([head, body]);
}

/** The first 32 bytes of a record; undefined where they are none, or were half written. */
export function readFrame(head: Buffer): Frame | undefined {
  if (head.length < FRAME_BYTES || head.readUInt32LE(0) !== MAGIC) return undefined;
  if (head.readUInt32LE(CHECKED_BYTES) !== crc32(head.subarray(0, CHECKED_BYTES))) return undefined;
  const type = TYPES[head.readUInt32LE(4)];
  if (type === undefined) return undefined;
  return {
    type,
    length: head.readUInt32LE(8),
    checksum: head.readUInt32LE(12),
    seq: Number(head.readBigUInt64LE(16)),
    token: head.readUInt32LE(24),
  };
}

/** Whether what follows is what was written. */
export const isWhole = ({ length, checksum }: Frame, body: Buffer): boolean =>
  body.length === length && crc32(body) === checksum;

/** Where a record may begin; -1 where none does. */
export function findFrame(bytes: Buffer, from: number): number {
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(MAGIC);
  return bytes.indexOf(magic, from);
}
