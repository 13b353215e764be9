/** How far from 1 a length may be and still count as 1, for rounding to single precision. */
const UNIT_TOLERANCE = 1e-6;

/**
 * The vector at unit length: itself where it is so or zero. The inner product of such vectors is their cosine. Done here, in
 * double precision: servers square in single precision, where very short vectors become zero.
 */
export function unitVector(vector: Float32Array): Float32Array {
  const norm = Math.hypot(...vector);
  return norm === 0 || Math.abs(norm - 1) <= UNIT_TOLERANCE
    ? vector
    : vector.map((component) => component / norm);
}

export const isZero = (vector: Float32Array): boolean => vector.every((component) => component === 0);

/** The bytes of a vector as text, for a server that keeps only unit vectors. */
export const encodeVector = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');

export const decodeVector = (text: string): Float32Array =>
  new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer);
