import { madeWhenAsked } from '../../../core/made-once.js';

/** Scripts that a vocabulary may hold words of; letters of any other are of no script that a model knows. */
const SCRIPTS = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Devanagari', 'Bengali'],
  ...['Gujarati', 'Gurmukhi', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao', 'Myanmar'],
  ...['Khmer', 'Ethiopic', 'Hangul', 'Hiragana', 'Katakana', 'Han'],
];

/**
 * From so many words on a vocabulary is one of a script. Those of English BERT models (30,522 pieces) hold 27,533 of Latin and at most 8 of
 * any other: letters that texts of other scripts are cut into, one by one, so that vectors of these tell nothing of what they say.
 */
const LEAST_WORDS = 1_000;

/** Share of the letters of a text from which it counts as of a script that is known. */
const LEAST_SHARE = 0.5;

/** What may be a letter of another script than Latin; where there is none, nothing needs counting. */
const FOREIGN = /[\u0250-\u1dff\u1f00-\u1fff\u2c00-\uffff]/;

/**
 * Whether a vocabulary has words of the script that a text is written in: half of its letters at least are of one. A text without letters is
 * of every script.
 */
export function knownScripts(vocabulary: readonly string[]): (text: string) => boolean {
  const knowsLatin = madeWhenAsked(() => hasWords('Latin', vocabulary));
  const ofKnown = madeWhenAsked(() => {
    const others = vocabulary.filter((piece) => FOREIGN.test(piece));
    const known = SCRIPTS.filter((script) => (script === 'Latin' ? knowsLatin() : hasWords(script, others)));
    if (known.length === 0) return undefined;
    return new RegExp(`[${known.map((script) => `\\p{Script=${script}}`).join('')}]`, 'gu');
  });
  return (text) => {
    if (!FOREIGN.test(text) && knowsLatin()) return true;
    const letters = ofKnown();
    return letters === undefined || countOf(letters, text) >= LEAST_SHARE * countOf(LETTERS, text);
  };
}

const LETTERS = /\p{L}/gu;

const countOf = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0;

/** Whether enough pieces have at least two letters of a script; an ideograph is a word of its own. */
function hasWords(script: string, vocabulary: readonly string[]): boolean {
  const word = new RegExp(script === 'Han' ? `\\p{Script=${script}}` : `\\p{Script=${script}}{2}`, 'u');
  let words = 0;
  return vocabulary.some((piece) => word.test(piece) && ++words >= LEAST_WORDS);
}
