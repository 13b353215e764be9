import { writtenForms } from './lexical-analyzer.js';
import { isSpaceless } from './tokens.js';

/** What names of languages, grades and ages end in, as a regular expression: `C++`, `C#`, `18+`. */
export const SIGNS_BEHIND = String.raw`(?:\+{1,2}|#)(?![\p{L}\p{N}+#])`;
/** What stands right before a name: `.NET`, `--flag`, `@scope`. */
const SIGNS_BEFORE = String.raw`(?<![\p{L}\p{M}\p{N}.@$#-])(?:--?|[.@$#])`;
const WORD = new RegExp(String.raw`(${SIGNS_BEFORE})?([\p{L}\p{M}\p{N}]+)(${SIGNS_BEHIND})?`, 'gu');

/** A word of a text in which phrases are looked for. */
export interface PhraseWord {
  readonly before: string;
  /** In small letters without accents, in each way in which words are found. */
  readonly forms: readonly string[];
  readonly behind: string;
}

/** The words of a text in their order, with the signs that are part of a name. */
export const phraseWords = (text: string): PhraseWord[] =>
  [...text.normalize('NFKC').matchAll(WORD)].map(([, before = '', word = '', behind = '']) => ({
    before,
    forms: writtenForms(word),
    behind,
  }));

/** Whether a text holds the words of the phrase, in their forms, side by side; a sign before a name only where the phrase has one. */
export const holdsPhrase = (text: readonly PhraseWord[], phrase: string): boolean =>
  holdsInOrder(text, phraseWords(phrase), false);

/** Whether a text holds a word, or several side by side, that begins so. */
export const holdsBeginning = (text: readonly PhraseWord[], beginning: string): boolean =>
  holdsInOrder(text, phraseWords(beginning), true);

/** @param isOpen the last word may go on */
function holdsInOrder(text: readonly PhraseWord[], wanted: readonly PhraseWord[], isOpen: boolean): boolean {
  const last = wanted.length - 1;
  const isHeldAt = (start: number): boolean =>
    wanted.every((word, at) => {
      const held = text[start + at];
      return held !== undefined && isAlike(held, word, { isFirst: at === 0, isLast: at === last, isOpen });
    });
  return wanted.length > 0 && text.some((_, start) => isHeldAt(start));
}

function isAlike(
  held: PhraseWord,
  wanted: PhraseWord,
  {
    isFirst,
    isLast,
    isOpen,
  }: { readonly isFirst: boolean; readonly isLast: boolean; readonly isOpen: boolean },
): boolean {
  if (wanted.before !== '' && held.before !== wanted.before) return false;
  const goesOn = isLast && isOpen && wanted.behind === '';
  if (!goesOn && held.behind !== wanted.behind) return false;
  return wanted.forms.some((form) => {
    // Scripts without blanks have phrases inside longer runs.
    const isStartFree = isFirst && isSpaceless(form);
    const isEndFree = goesOn || (isLast && isSpaceless([...form].at(-1) ?? ''));
    return held.forms.some((whole) => {
      if (isStartFree) return isEndFree ? whole.includes(form) : whole.endsWith(form);
      return isEndFree ? whole.startsWith(form) : whole === form;
    });
  });
}
