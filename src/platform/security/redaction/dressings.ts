import { decodeHTML } from 'entities';
import type { Rewriting } from './rewritten-text.js';

/**
 * Characters that are not seen: soft hyphen, zero-width characters, marks of direction, joiners, fillers, selectors, tags (Unicode 16,
 * Default_Ignorable_Code_Point), marks of annotation, and controls but for those that are white space.
 */
const UNSEEN = String.raw`(?:[\u0001-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|[\udb40-\udb43][\udc00-\udfff])`;
/** Full-width, small, circled and mathematical forms of ASCII, spaces of other widths and hyphens that do not break. */
const FORMS = String.raw`[\uff01-\uff5e\ufe50-\ufe6b\u2460-\u24ea\u2000-\u200a\u2024\u202f\u205f\u3000\u2010-\u2015\u2212]|\ud835[\udc00-\udfff]`;
/** Zero in Arabic, Persian, Hindi, Bengali and Thai; the other digits follow it. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];
const DIGITS = `[${ZEROS.map((zero) => `${String.fromCharCode(zero)}-${String.fromCharCode(zero + 9)}`).join('')}]`;
/** Of HTML, also where a page was escaped again. */
const ENTITY =
  '&(?:amp;){0,3}(?:#0{0,16}\\d{2,7};?|#[xX]0{0,16}[\\da-fA-F]{2,6};|[A-Za-z][A-Za-z\\d]{1,31};)';
/** Full stops of Chinese and Japanese, which stand for dots in names of hosts (Unicode Technical Standard 46); behind a name that has its dots already they end a sentence. */
const WIDE_STOP = String.raw`(?<=[\w\u00c0-\u024f\u0370-\u052f])(?<!\.[A-Za-z]{2,20})[\u3002\uff61](?=[a-z\d\u00df-\u024f\u0370-\u052f])`;
/** Signs of an address in words. */
const IN_WORDS = String.raw`(?<=[\w.]) ?[[({<](?:[aA][tT]|[dD][oO][tT]|[@.])[\])}>] ?(?=\w)`;
/** Texts of code that are put together. */
const JOINED = String.raw`(?<=[\w.@-][ ]?)(["'\x60])[ \t]{0,4}(?:[+&.]|\|\|)[ \t]{0,4}\r?\n?[ \t]{0,40}["'\x60](?=[ ]?[\w.@])`;
/** Texts that a template holds as what it fills in: JavaScript and shells (`${"jane"}`), Ruby, Python (`{'jane'}`). */
const FILLED_IN = String.raw`(?:[$#]|(?<=[\w.@}]))\{[ \t]{0,4}["'\x60](?=[\w.@])|(?<=[\w.@-])["'\x60][ \t]{0,4}\}(?=[\w.@-]|[$#]?\{)`;
/** Groups of a number that a template fills in. */
const GROUP = String.raw`[ \t]{0,4}[A-Z\d]{2,7}[ \t]{0,4}`;
const GROUPS_FILLED_IN = String.raw`(?:[$#%]?\{{1,3}(?=${GROUP}\})|<%=?(?=${GROUP}%>))[ \t]{0,4}|[ \t]{0,4}(?:\}{1,3}(?<=\{${GROUP}\}{1,3})|%>(?<=<%=?${GROUP}%>))`;
/** Between elements of an array or items of a list. */
const NEXT_ELEMENT = String.raw`(?:["'\x60][ \t]{0,4},\s{0,20}["'\x60]|["'\x60]?\r?\n[ \t]{0,20}-[ \t]{1,4}["'\x60]?)`;
/** Of an account, and of a card that is all of an array. */
const ELEMENTS = [
  String.raw`(?<=(?<![A-Za-z\d])[A-Z]{2}\d{2}(?:${NEXT_ELEMENT}[A-Z\d]{4}){0,7})${NEXT_ELEMENT}(?=[A-Z\d]{1,4}(?![A-Za-z\d]))`,
  String.raw`(?<=\[\s{0,20}["'\x60](?:\d{4}${NEXT_ELEMENT}){0,2}\d{4})${NEXT_ELEMENT}(?=\d{4}(?:${NEXT_ELEMENT}\d{4}){0,2}["'\x60]\s{0,20}\])`,
].join('|');
/** Between groups of a card, where there are no more groups than a card has. */
const MARK = String.raw`(?:[_,]| ?[\u00b7\u2022\u2027\u2219\u22c5\u30fb] ?)`;
const GROUPED = [
  String.raw`(?<=(?<![\d.,])(?:\d{4}${MARK}){0,2}\d{4})${MARK}(?=\d{4}(?:${MARK}\d{4}){0,2}(?!\d|[.,]\d))`,
  String.raw`(?<=(?<![\d.,])\d{4})${MARK}(?=\d{6}${MARK}\d{4,5}(?!\d|[.,]\d))`,
  String.raw`(?<=(?<![\d.,])\d{4}${MARK}\d{6})${MARK}(?=\d{4,5}(?!\d|[.,]\d))`,
].join('|');
/** Of JavaScript, JSON, C, Perl, Python and regular expressions; of addresses (RFC 3986, section 2.1). */
const ESCAPE = String.raw`\\{1,4}u(?:[\da-fA-F]{4}|\{[\da-fA-F]{2,5}\})|\\{1,4}U000[\da-fA-F]{5}|\\{1,4}x(?:[\da-fA-F]{2}|\{[\da-fA-F]{2,5}\})|%[2-7][\da-fA-F]`;
/** Markdown: punctuation behind a backslash, also where it was escaped again. */
const ESCAPED = String.raw`\\{1,4}(?<escaped>[!-/:-@[\]^-\x60{-~])`;
const INLINE_TAG =
  '</?(?:a|abbr|b|bdi|bdo|cite|code|data|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|tt|u|var|wbr)(?:[ /][^<>]{0,1000})?>|<!--[^<>]{0,1000}-->';
/** Emphasis of Markdown; four asterisks are a mask, and an underscore inside a word is its own. */
const EMPHASIS = String.raw`(?<=[^\s*.])\*{1,3}(?!\*)|(?<=\.)\*{1,3}(?=\d)|(?<=\*\.)\*{1,3}(?=\w)|(?<![^\s])\*{1,3}(?=[^\s*])|(?<underscore>(?<![A-Za-z\d])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![A-Za-z\d_]))|~~`;
/** Code and links of Markdown, but for the words that are shown. */
const CODE_AND_LINKS = String.raw`(?<=[\w@.])\x60(?=[\w@.])|\[(?=[^[\]\n]{1,100}\]\()|\]\([^()\s]{1,300}\)`;

const DRESSING = new RegExp(
  `(?<unseen>${UNSEEN}+)|(?<form>${FORMS})|(?<digit>${DIGITS})|(?<entity>${ENTITY})|(?<code>${ESCAPE})|(?<word>${IN_WORDS})|(?<mark>${GROUPED}|${ELEMENTS})|(?<stop>${WIDE_STOP})|${JOINED}|${FILLED_IN}|${GROUPS_FILLED_IN}|${ESCAPED}|${INLINE_TAG}|${EMPHASIS}|${CODE_AND_LINKS}`,
  'g',
);

/** Where a text is dressed up: what is written otherwise than it is read. In order, apart, linear in the text. */
export function dressings(text: string): Rewriting[] {
  const found = Array.from(text.matchAll(DRESSING), ({ index, 0: written, groups }) => ({
    start: index,
    end: index + written.length,
    as: readAs(groups),
    isUnderscore: groups?.underscore !== undefined,
  }));
  const isInWord = (at: number): boolean =>
    [-1, 1].every((step) => /[A-Za-z\d]/.test(readBeside({ text, found, at, step }) ?? ''));
  return found
    .filter(({ isUnderscore }, at) => !(isUnderscore && isInWord(at)))
    .map(({ start, end, as }) => ({ start, end, as }));
}

/** Dressings side by side that are looked behind. */
const SIDE_BY_SIDE = 4;

interface Beside {
  readonly text: string;
  readonly found: readonly Rewriting[];
  readonly at: number;
  /** -1 before it, 1 behind it. */
  readonly step: number;
}

/** The character that is read before or behind a dressing, whatever is dressed up between them. */
function readBeside({ text, found, at, step }: Beside): string | undefined {
  let from = found[at];
  for (let count = 1; count <= SIDE_BY_SIDE; count += 1) {
    const next = found[at + step * count];
    const isBeside = step < 0 ? next?.end === from?.start : next?.start === from?.end;
    if (next === undefined || !isBeside) break;
    if (next.as !== '') return next.as.at(Math.min(0, step));
    from = next;
  }
  return step < 0 ? text[(from?.start ?? 0) - 1] : text[from?.end ?? text.length];
}

function readAs({
  form,
  digit,
  entity,
  code,
  word,
  mark,
  stop,
  escaped = '',
}: Partial<Record<string, string>> = {}): string {
  if (form !== undefined) return plainForm(form);
  if (digit !== undefined) return String(ZEROS.map((zero) => digit.charCodeAt(0) - zero).find(isDigit));
  if (entity !== undefined)
    return plainForm(decodeHTML(entity.replace(/amp;(?=.)/g, '')).replace(UNSEEN_ALONE, ''));
  if (word !== undefined) return /[dD.]/.test(word) ? '.' : '@';
  if (mark !== undefined) return ' ';
  if (stop !== undefined) return '.';
  return code === undefined ? escaped : characterOf(code);
}

const isDigit = (value: number): boolean => value >= 0 && value <= 9;
const UNSEEN_ALONE = new RegExp(`^${UNSEEN}+$`);
const HYPHEN = /[\u2010-\u2015\u2212]/;

/** NFKC (Unicode Standard Annex 15) makes ASCII of them, but for hyphens. */
const plainForm = (form: string): string => (HYPHEN.test(form) ? '-' : form.normalize('NFKC'));

function characterOf(escaped: string): string {
  const code = Number.parseInt(escaped.replaceAll(/[^\da-fA-F]/g, ''), 16);
  return String.fromCodePoint(code);
}
