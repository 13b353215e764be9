import { createHash } from 'node:crypto';
import { storableText as withEscapes, originalText as withoutEscapes } from '../platform/sqlite/row.js';

/*
 * Any JavaScript text as a database can keep it, one to one and in the order of code points. NUL is escaped as the SQLite
 * stores do it. Half a surrogate pair, which UTF-8 cannot hold, becomes two characters: U+E000, the first character after
 * all surrogates, and one that stands for the half. U+E000 itself is doubled, which sorts after every half.
 */
const MARK = '\ue000';
const FIRST_SURROGATE = 0xd800;
/** Where the characters begin that stand for the 2,048 halves; none of them has another meaning here. */
const FIRST_STAND_IN = 0x100;

const NEEDS_ESCAPE = /[\p{Surrogate}\ue000]/gu;
const ESCAPED = /\ue000([\u0100-\u08ff\ue000])/g;

/** Text for a column. */
export function storableText(text: string): string {
  return withEscapes(text).replace(NEEDS_ESCAPE, (character) =>
    character === MARK
      ? MARK + MARK
      : MARK + String.fromCharCode(character.charCodeAt(0) - FIRST_SURROGATE + FIRST_STAND_IN),
  );
}

/** Inverse of `storableText`. */
export function originalText(stored: string): string {
  const text = stored.includes(MARK)
    ? stored.replace(ESCAPED, (_, standIn: string) =>
        standIn === MARK
          ? MARK
          : String.fromCharCode(standIn.charCodeAt(0) - FIRST_STAND_IN + FIRST_SURROGATE),
      )
    : stored;
  return withoutEscapes(text);
}

/** A key of fixed length for names of any length, which an index would not take. */
export const keyOf = (...names: readonly string[]): Buffer =>
  createHash('sha256').update(JSON.stringify(names)).digest();

/** A key as it is compared in a `Map`. */
export const hexOf = (key: Buffer): string => key.toString('hex');
