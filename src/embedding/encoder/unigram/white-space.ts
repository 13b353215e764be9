const BLANK = 0x20;
const OTHERS: ReadonlySet<number> = new Set(
  [...'\t\n\v\f\r\u0085\u00A0\u1680\u2028\u2029\u202F\u205F\u3000']
    .map((character) => character.charCodeAt(0))
    .concat(Array.from({ length: 11 }, (_, at) => 0x20_00 + at)),
);

/** Whether a code unit is white space (White_Space of Unicode). */
export const isWhiteSpace = (unit: number): boolean => unit === BLANK || OTHERS.has(unit);

/** A text without the white space at its end. */
export function trimmedEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}
