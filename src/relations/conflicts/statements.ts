import { splitSentences } from '../../core/analysis/boundaries.js';
import { passageUnits } from '../../core/analysis/passage-units.js';
import type { TextRange } from '../../core/document.js';
import { type StatementWord, statementWords } from './words.js';

/** A sentence, item of a list or row of a table that says something. Its range is one of the text. */
export interface Statement extends TextRange {
  /** Their ranges are those of the statement's own text. */
  readonly words: readonly StatementWord[];
  /** Distinct terms that say what it is about. */
  readonly terms: readonly string[];
}

/** Of fewer terms nobody can tell what a statement is about. */
const LEAST_TERMS = 2;
/** Longer ones are no sentences: data, or a list without marks. */
const MAX_LENGTH = 1_200;

const KINDS: ReadonlySet<string> = new Set(['sentence', 'list-item', 'table-row', 'field']);

/** The statements of a text, in order. Pure; time linear in the length of the text. */
export function statementsOf(text: string): Statement[] {
  const kept: Statement[] = [];
  for (const { kind, start, end } of passageUnits(text)) {
    if (!KINDS.has(kind)) continue;
    // An item of a list may be several sentences.
    const ranges = kind === 'list-item' ? splitSentences(text, { start, end }) : [{ start, end }];
    for (const range of ranges) kept.push(...statementAt(text, range));
  }
  return kept;
}

function statementAt(text: string, { start, end }: TextRange): Statement[] {
  if (end - start > MAX_LENGTH || isLinkAlone(text.slice(start, end))) return [];
  const { words, terms } = readStatement(text.slice(start, end));
  return terms.length < LEAST_TERMS ? [] : [{ start, end, words, terms }];
}

const LINK = /!?\[[^[\]]{0,300}\](?:\([^()]{0,1000}\)|\[[^[\]]{0,100}\])/g;

/** An entry of a list of contents: the title of another page says nothing here. */
const isLinkAlone = (text: string): boolean =>
  text.includes('](') || text.includes('][')
    ? !/[\p{L}\p{N}]/u.test(withoutMark(text).replace(LINK, ''))
    : false;

/** The words of a text that is one statement. */
export function readStatement(text: string): Pick<Statement, 'words' | 'terms'> {
  const words = statementWords(withoutMark(text));
  return { words, terms: termsOf(words) };
}

const LIST_MARK = /^\s*(?:[-*+]|\d{1,9}[.)]|\[[ x]\]|\|)\s+(?:\[[ x]\]\s+)?/;

/** With the mark of a list blotted out, as long as before: its number says nothing. */
const withoutMark = (text: string): string => text.replace(LIST_MARK, (mark) => ' '.repeat(mark.length));

const termsOf = (words: readonly StatementWord[]): string[] => [
  ...new Set(words.flatMap(({ kind, term }) => (kind === 'content' || kind === 'name' ? [term] : []))),
];
