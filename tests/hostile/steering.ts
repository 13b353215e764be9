/** Code points that steer a terminal or the direction of text; written out here apart from the code that takes them out. */
const RANGES: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x061c, 0x061c],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2066, 0x2069],
  [0xe0000, 0xe007f],
];

/** The first such code point of a text, as `U+001B`; undefined where there is none. */
export function steeringIn(text: string): string | undefined {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (RANGES.some(([first, last]) => code >= first && code <= last))
      return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  }
  return undefined;
}
