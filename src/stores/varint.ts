/** Bytes that are read from the front. */
export interface ByteReader {
  readonly bytes: Uint8Array;
  at: number;
}

/** Appends a whole number of 0 to 2^53 as a variable-length integer of seven bits a byte, low bits first (LEB128). */
export function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  // Division, not shifts: numbers may pass 32 bits.
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
}

/** Reads what `pushVarint` wrote. */
export function readVarint(reader: ByteReader): number {
  const first = reader.bytes[reader.at++] ?? 0;
  // Most numbers are small.
  if (first < 0x80) return first;
  let value = first & 0x7f;
  for (let scale = 0x80; ; scale *= 0x80) {
    const byte = reader.bytes[reader.at++] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
  }
}
