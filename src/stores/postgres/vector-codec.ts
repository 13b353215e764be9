// PostgreSQL's binary format of an array: dimensions of the array, null flag, element type, length, lower bound; then for
// each element its length in bytes and the element (`array_send` in the server's arrayfuncs.c).
const ARRAY_HEADER_BYTES = 20;
const ELEMENT_HEADER_BYTES = 4;
// pgvector's binary format of a vector: dimensions, an unused number (two bytes each), then the components as big-endian
// floats (`vector_send` in its vector.c).
const VECTOR_HEADER_BYTES = 4;
const FLOAT_BYTES = 4;

/** A vector as a bound parameter of type `vector`. */
export function encodeVector(vector: Float32Array): Buffer {
  const buffer = Buffer.allocUnsafe(VECTOR_HEADER_BYTES + FLOAT_BYTES * vector.length);
  writeVector(buffer, 0, vector);
  return buffer;
}

/** Vectors as one bound parameter of type `vector[]`. */
export function encodeVectors(vectors: readonly Float32Array[], vectorTypeId: number): Buffer {
  const bytes = vectors.reduce(
    (sum, { length }) => sum + ELEMENT_HEADER_BYTES + VECTOR_HEADER_BYTES + FLOAT_BYTES * length,
    ARRAY_HEADER_BYTES,
  );
  const buffer = Buffer.allocUnsafe(bytes);
  let offset = buffer.writeInt32BE(1, 0);
  offset = buffer.writeInt32BE(0, offset);
  offset = buffer.writeUInt32BE(vectorTypeId, offset);
  offset = buffer.writeInt32BE(vectors.length, offset);
  offset = buffer.writeInt32BE(1, offset);
  for (const vector of vectors) {
    offset = buffer.writeInt32BE(VECTOR_HEADER_BYTES + FLOAT_BYTES * vector.length, offset);
    offset = writeVector(buffer, offset, vector);
  }
  return buffer;
}

/** Inverse of the server's text form of a vector, `[0.25,-3]`; exact, for it prints what reads back as the same float. */
export const decodeVector = (text: string): Float32Array => Float32Array.from(JSON.parse(text) as number[]);

function writeVector(buffer: Buffer, start: number, vector: Float32Array): number {
  let offset = buffer.writeInt16BE(vector.length, start);
  offset = buffer.writeInt16BE(0, offset);
  for (const component of vector) offset = buffer.writeFloatBE(component, offset);
  return offset;
}
