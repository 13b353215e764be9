/** In the order of their codes, and of one case, so that every collation has them in this order. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv';
const BITS = 5;

/**
 * A text whose order by any collation is that of the given text by code points: its UTF-8 in base 32, five bits a letter ("base32hex"
 * of RFC 4648, small and without padding). A text of 20,000 bytes stays within the 32,766 that the service sorts by.
 */
export function orderedText(text: string): string {
  let letters = '';
  let bits = 0;
  let held = 0;
  for (const byte of Buffer.from(text, 'utf8')) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= BITS; bits -= BITS) letters += DIGITS[(held >> (bits - BITS)) & 31] ?? '';
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? letters : letters + (DIGITS[(held << (BITS - bits)) & 31] ?? '');
}
