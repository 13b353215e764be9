/** Whole numbers of 48 bits: the largest that JSON carries exactly and that stay comparable. */
const BYTES_PER_PIECE = 6;
const TEXT_TAG = 3;
const NUMBER_TAG = 2;
const OTHER_TAG = 1;
const SEPTETS_PER_NUMBER = 10;

/**
 * Some servers compare numbers only. A text or number therefore becomes bytes whose order is the order of the algebra, and these
 * a row of whole numbers of six bytes each, compared one after the other.
 *
 * The bytes: a tag of the type, then UTF-8 (whose order is that of the code points) with every byte raised by one, or the
 * bits of the number made sortable, in groups of seven, raised likewise. A zero byte ends them, so that a value is never the
 * beginning of another.
 */
export function orderedPieces(value: string | number): number[] {
  return piecesOf([...orderedBytes(value), 0]);
}

/** The one piece of a value that no range admits: a boolean, null, list or object. */
export const UNORDERED_PIECE = pieceOf([OTHER_TAG, 0]);

/** The first piece of any text is at least this. Texts come after numbers, and these after everything unordered. */
export const FIRST_TEXT_PIECE = pieceOf([TEXT_TAG]);
/** The first piece of any number is at least this, and less than that of any text. */
export const FIRST_NUMBER_PIECE = pieceOf([NUMBER_TAG]);

/** The pieces that texts with this beginning share, and the bounds of the piece in which the beginning ends. */
export function prefixPieces(prefix: string): {
  readonly shared: readonly number[];
  readonly last?: { readonly from: number; readonly before: number };
} {
  const bytes = orderedBytes(prefix);
  const whole = bytes.length - (bytes.length % BYTES_PER_PIECE);
  const shared = whole === 0 ? [] : piecesOf(bytes.slice(0, whole));
  const rest = bytes.slice(whole);
  if (rest.length === 0) return { shared };
  const from = pieceOf(rest);
  return { shared, last: { from, before: from + 256 ** (BYTES_PER_PIECE - rest.length) } };
}

function orderedBytes(value: string | number): number[] {
  // No byte of UTF-8 is above 0xF4, so one more still is a byte.
  if (typeof value === 'string')
    return [TEXT_TAG, ...Array.from(Buffer.from(value, 'utf8'), (byte) => byte + 1)];
  const bits = sortableBits(value);
  const septets = Array.from({ length: SEPTETS_PER_NUMBER }, (_, i) => {
    const shift = BigInt(7 * (SEPTETS_PER_NUMBER - 1 - i));
    return Number((bits >> shift) & 0x7fn) + 1;
  });
  return [NUMBER_TAG, ...septets];
}

// IEEE 754 orders by magnitude with the sign in front: negative numbers are turned round, the others put after them.
function sortableBits(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  // Adding zero turns -0, which equals 0, into it.
  view.setFloat64(0, value + 0);
  const bits = view.getBigUint64(0);
  const sign = 1n << 63n;
  return bits & sign ? BigInt.asUintN(64, ~bits) : bits | sign;
}

function piecesOf(bytes: readonly number[]): number[] {
  const count = Math.ceil(bytes.length / BYTES_PER_PIECE);
  return Array.from({ length: count }, (_, i) =>
    pieceOf(bytes.slice(i * BYTES_PER_PIECE, (i + 1) * BYTES_PER_PIECE)),
  );
}

function pieceOf(bytes: readonly number[]): number {
  let piece = 0;
  for (let i = 0; i < BYTES_PER_PIECE; i++) piece = piece * 256 + (bytes[i] ?? 0);
  return piece;
}
