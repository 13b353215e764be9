import type { ContextEntry } from '../context/context-pack.js';
import { neutraliseLine } from '../context/neutralise.js';
import { type Notice, noticesOfKind } from '../core/notice.js';
import type { SourceConflict } from '../relations/conflicts/conflict-types.js';
import { conflictNotice, sourceConflicts } from '../relations/conflicts/source-conflicts.js';
import { textOfQuotation } from './quotation.js';
import type { RankedQuotation } from './rank-quotations.js';

/** Quotations that are looked at: what stands behind them is not shown. */
const LOOKED_AT = 12;

export interface OrderedQuotations {
  readonly quotations: readonly RankedQuotation[];
  readonly notices: readonly Notice[];
}

/** Where the likeliest quotation and one of a page with another date contradict each other, the newer goes first, and the older behind it. */
export function newerFirst(
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
    return {
      quotations: [first, second, ...quotations.filter((other) => other !== first && other !== second)],
      notices: noticesOfKind('sources-conflict', [conflictNotice(conflict, neutraliseLine)]),
    };
  }
  return { quotations, notices: [] };
}

/** Dates and titles of pages differ by nature. */
const FRONT_MATTER = /^(?:---|\+\+\+|;;;|\{)/;

/** By their days. */
const isLater = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a.slice(0, 10) > b.slice(0, 10);
