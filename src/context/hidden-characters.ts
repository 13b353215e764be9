// Characters that change what is read without being seen. Written as escapes, for nobody can review them otherwise.

/** Bidirectional controls (UAX #9): they show text in another order than it has. */
const BIDIRECTIONAL = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
/** Zero-width and filler characters, soft hyphen, tag characters and variation selectors beyond the first sixteen. */
const INVISIBLE =
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b\\u2060-\\u2064\\u206a-\\u206f\\u3164\\ufeff\\uffa0\\u{e0000}-\\u{e01ef}';
/** C0 and C1 controls but tabulator and line ends. */
const CONTROLS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';

const HIDDEN = new RegExp(`[${BIDIRECTIONAL}${INVISIBLE}${CONTROLS}]`, 'gu');
// Joiners spell words in Indic and Arabic scripts, and emoji; between other characters they only hide something.
const IDLE_JOINER =
  /(?<!\ufe0f|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{sc=Arabic}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Gurmukhi}\p{sc=Gujarati}\p{sc=Oriya}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Sinhala}\p{sc=Mongolian}])[\u200c\u200d]+/gu;

const NON_ASCII = /[^\x20-\x7e\n\r\t]/;

/** The text without characters that cannot be seen or that reorder what is seen. */
export function withoutHiddenCharacters(text: string): string {
  return NON_ASCII.test(text) ? text.replace(HIDDEN, '').replace(IDLE_JOINER, '') : text;
}

/** How many characters `withoutHiddenCharacters` takes out. */
export const countHiddenCharacters = (text: string): number =>
  text.length - withoutHiddenCharacters(text).length;

/** Text that was written in tag characters (U+E0020 to U+E007E mirror ASCII); empty where there is none. */
export function tagCharacterText(text: string): string {
  const tags = text.match(/[\u{e0020}-\u{e007e}]/gu) ?? [];
  return tags.map((tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000)).join('');
}
