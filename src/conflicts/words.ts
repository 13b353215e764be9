import { ENGLISH_STOP_WORDS } from '../analysis/english-stop-words.js';
import { foldCase, isAscii, normaliseText } from '../analysis/normalise.js';
import { stemEnglish } from '../analysis/porter2-stemmer.js';
import type { TextRange } from '../core/document.js';
import { NEGATIONS } from './opposites.js';
import { numberValue } from './quantities.js';

/**
 * What a word does in a statement. `content`: it says what the statement is about. `name`: as `content`, and it stands for one thing (a
 * capital inside of the sentence, a name of code, an address). `number`: its value can differ. `negation`: it turns the statement round.
 * `grammar`: articles and the like.
 */
export type WordKind = 'content' | 'name' | 'number' | 'negation' | 'grammar';

/** A word of a statement. */
export interface StatementWord extends TextRange {
  /** Lower case, stemmed where it is an English word: equal words mean the same. */
  readonly term: string;
  readonly kind: WordKind;
  /** Of a number. */
  readonly value?: number;
}

const ADDRESS = String.raw`https?://[^\s<>()[\]"'\x60]+|[\w.+-]+@[\w-]+\.[\w.-]*\w|[#@][a-z][\w.-]*\w`;
const NUMBER = String.raw`[$€£]?\d+(?:,\d{3})*(?:\.\d+)*(?::\d\d)?(?![\p{L}\p{N}_])`;
const VERSION = String.raw`\bv?\d+(?:\.\d+)+\b`;
const NUMBER_WITH_UNIT = String.raw`[$€£]?\d+(?:,\d{3})*(?:\.\d+)?(?=[a-z]{1,7}\b)`;
const WORD = String.raw`[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:['’/.-][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*`;
const TOKEN = new RegExp(`${ADDRESS}|${VERSION}|${NUMBER}|${NUMBER_WITH_UNIT}|%|${WORD}`, 'giu');

/** Targets of links are where a text leads, not what it says. */
const LINK_TARGET = /(?<=\])\([^()\s]*(?:\s"[^"]*")?\)|<[^<>\n]{1,300}>|\{\{[^{}\n]*\}\}/g;

const CODE_NAME = /[a-z][A-Z]|[A-Za-z]_[A-Za-z]|[A-Za-z]\d|^[A-Z]{2,}s?$|[\w]\/[\w]|\w\.\w{2,}/;

/** Words of a text in order. Time linear in its length. */
export function statementWords(text: string): StatementWord[] {
  // As long as the text, so that ranges stay.
  const shown = text.replace(LINK_TARGET, (target) => ' '.repeat(target.length));
  const words: StatementWord[] = [];
  for (const { 0: token, index } of shown.matchAll(TOKEN)) {
    const isFirst =
      words.length === 0 || /[.!?:]\s+["'(*_]*$/.test(shown.slice(Math.max(0, index - 6), index));
    const isQuoted = shown[index - 1] === '`';
    words.push({ ...wordOf(token, { isFirst, isQuoted }), start: index, end: index + token.length });
  }
  return words;
}

function wordOf(
  token: string,
  { isFirst, isQuoted }: { readonly isFirst: boolean; readonly isQuoted: boolean },
): Omit<StatementWord, 'start' | 'end'> {
  const folded = foldCase(isAscii(token) ? token : normaliseText(token)).replaceAll('’', "'");
  const value = numberValue(folded);
  if (value !== undefined) return { term: folded.replace(/^[$€£]|,(?=\d{3})/g, ''), kind: 'number', value };
  if (/^v?\d+(?:\.\d+)+$/.test(folded)) return { term: folded.replace(/^v/, ''), kind: 'number' };
  const bare = folded.replace(/'s$/, '');
  if (NEGATIONS.has(folded)) return { term: folded, kind: 'negation' };
  if (ENGLISH_STOP_WORDS.has(bare.replaceAll("'", ''))) return { term: bare, kind: 'grammar' };
  const isName =
    isQuoted ||
    /^(?:https?:|[#@]|.+@)/.test(token) ||
    CODE_NAME.test(token) ||
    (!isFirst && /^\p{Lu}/u.test(token));
  const term = /^[a-z]+$/.test(bare) ? stemEnglish(bare) : bare;
  return { term, kind: isName ? 'name' : 'content' };
}
