import type { ContextEntry } from '../context/context-pack.js';
import { neutraliseLine } from '../context/neutralise.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import { type Notice, noticesOfKind } from '../core/notice.js';
import type { SourceConflict } from '../relations/conflicts/conflict-types.js';
import { conflictNotice, sourceConflicts } from '../relations/conflicts/source-conflicts.js';
import { exactText, textOfQuotation } from './quotation.js';
import type { RankedQuotation } from './rank-quotations.js';

/** Quotations that are looked at: what stands behind them is not shown. */
const LOOKED_AT = 12;

export interface OrderedQuotations {
  readonly quotations: readonly RankedQuotation[];
  readonly notices: readonly Notice[];
}

/**
 * Where the likeliest quotation and one of a page with another date contradict each other, the newer goes first, and the older behind it. Pages of
 * different things do not: of two services, of two versions where the question names one.
 */
export function newerFirst(
  question: string,
  quotations: readonly RankedQuotation[],
  entries: readonly ContextEntry[],
): OrderedQuotations {
  const [best] = quotations;
  const days = new Set(entries.map(({ date }) => date?.slice(0, 10)));
  if (best === undefined || days.size < 2) return { quotations, notices: [] };
  const holds = (quotation: RankedQuotation, { n, quote }: SourceConflict['statements'][number]): boolean =>
    quotation.entry.n === n && textOfQuotation(quotation).includes(quote);
  for (const conflict of sourceConflicts(entries)) {
    if (conflict.statements.some(({ quote }) => FRONT_MATTER.test(quote))) continue;
    const [newer, older] = conflict.statements;
    if (!isLater(newer.date, older.date)) continue;
    const near = quotations.slice(0, LOOKED_AT);
    const [first, second] = [newer, older].map((statement): RankedQuotation | undefined =>
      holds(best, statement) ? best : near.find((quotation) => holds(quotation, statement)),
    );
    if (first === undefined || second === undefined || (first !== best && second !== best)) continue;
    if (isOfOtherThings(conflict) || isOfTheOlderAlone(question, [first, second])) continue;
    return {
      quotations: [first, second, ...quotations.filter((other) => other !== first && other !== second)],
      notices: conflictNotices(question, [conflict], [best]),
    };
  }
  return { quotations, notices: [] };
}

/** Quotations that are shown. */
const SHOWN = 3;

/** Of conflicts of statements that share a word with the question, or decide a quotation that is shown. */
export function conflictNotices(
  question: string,
  conflicts: readonly SourceConflict[],
  quotations: readonly RankedQuotation[],
): readonly Notice[] {
  const asked = new Set(analyzeText(question));
  const deciding = quotations.slice(0, SHOWN).map(({ entry, decisive }) => exactText({ entry, ...decisive }));
  const isAsked = ({ quote }: SourceConflict['statements'][number]): boolean =>
    deciding.some((text) => text.includes(quote) || quote.includes(text)) ||
    analyzeText(quote).some((term) => asked.has(term));
  const told = conflicts.filter(({ statements }) => statements.some(isAsked));
  return noticesOfKind(
    'sources-conflict',
    told.map((conflict) => conflictNotice(conflict, neutraliseLine)),
  );
}

/** Whether statements that differ in amounts have one other word in place of one. */
function isOfOtherThings({ differences, statements }: SourceConflict): boolean {
  if (differences.some(({ kind }) => kind !== 'quantity')) return false;
  const amounts = new Set(differences.flatMap(({ first, second }) => analyzeText(`${first} ${second}`)));
  const [one, other] = statements.map(
    ({ quote }) => new Set(analyzeText(quote).filter((term) => isWord(term) && !amounts.has(term))),
  );
  if (one === undefined || other === undefined) return false;
  const [left, right] = [
    [...one].filter((term) => !other.has(term)),
    [...other].filter((term) => !one.has(term)),
  ];
  return left.length === 1 && right.length === 1;
}

const isWord = (term: string): boolean => !/\d/.test(term);

/** Whether the question has a word that the newer passage lacks, or a number that stands above the older one alone. */
function isOfTheOlderAlone(
  question: string,
  quotations: readonly [RankedQuotation, RankedQuotation],
): boolean {
  const [above, told] = [quotations.map(termsAbove), quotations.map(termsOf)];
  return analyzeText(question).some((term) => {
    const holds = isWord(term)
      ? told.map((terms) => terms.has(term))
      : above.map((terms) => [...terms].some((each) => each === term || each.startsWith(`${term}.`)));
    return holds[1] === true && holds[0] === false;
  });
}

const termsAbove = ({ entry: { title = '', headingPath, source } }: RankedQuotation): Set<string> =>
  new Set(analyzeText([title, ...headingPath, source.replaceAll('/', ' ')].join('\n')));

const termsOf = (quotation: RankedQuotation): Set<string> =>
  new Set([...termsAbove(quotation), ...quotation.entry.pieces.flatMap(({ text }) => analyzeText(text))]);

/** Dates and titles of pages differ by nature. */
const FRONT_MATTER = /^(?:---|\+\+\+|;;;|\{)/;

/** By their days. */
const isLater = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a.slice(0, 10) > b.slice(0, 10);
