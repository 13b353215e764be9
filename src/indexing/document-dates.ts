import { CHANGED_FIELDS, MADE_FIELDS, plainDateName } from '../core/date-fields.js';
import type { ParsedDocument, RawDocument } from '../core/document.js';
import { momentOf } from '../core/moment.js';

const dateOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? (momentOf(value) ?? momentOf(isoDayOf(value))) : undefined;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** `2024/5/1`, `2024-5-1`. */
const YEAR_FIRST = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;
/** `1.5.2024`, the one order in which dots are written. */
const WITH_DOTS = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;
/** `1 May 2024`, `Wed, 01 May 2024 10:00:00 GMT`. */
const DAY_FIRST = /^(?:[a-z]{3,9},? )?(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]{3,9})\.?,?[ -](\d{4})\b/i;
/** `May 1, 2024`. */
const MONTH_FIRST = /^(?:[a-z]{3,9},? )?([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/i;

/** The day that people write, as `2024-05-01`; what could be two days (`5/1/2024`) is none. */
function isoDayOf(value: string): string | undefined {
  const text = value.trim();
  const [, year, month, day] = YEAR_FIRST.exec(text) ?? [];
  if (year !== undefined) return isoDay(year, Number(month), day);
  const dotted = WITH_DOTS.exec(text);
  if (dotted !== null) return isoDay(dotted[3], Number(dotted[2]), dotted[1]);
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst !== null) return isoDay(dayFirst[3], monthOf(dayFirst[2]), dayFirst[1]);
  const monthFirst = MONTH_FIRST.exec(text);
  return monthFirst === null ? undefined : isoDay(monthFirst[3], monthOf(monthFirst[1]), monthFirst[2]);
}

const monthOf = (name = ''): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

/** Undefined where there is no such day. */
function isoDay(year: string | undefined, month: number, day: string | undefined): string | undefined {
  const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  return momentOf(text)?.startsWith(text) === true ? text : undefined;
}

type Dates = Pick<RawDocument, 'createdAt' | 'updatedAt'>;

/**
 * When a document was made and changed, ISO-8601 UTC. What its text states comes before the times of a file, which are those of a copy, and
 * behind the dates of a system that keeps them.
 */
export function documentDates(raw: RawDocument, { metadata }: Pick<ParsedDocument, 'metadata'>): Dates {
  const fields = new Map(Object.entries(metadata).map(([name, value]) => [plainDateName(name), value]));
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => dateOf(fields.get(name))).find((moment) => moment !== undefined);
  const stated = { createdAt: first(MADE_FIELDS), updatedAt: first(CHANGED_FIELDS) };
  const [before, behind] = raw.isDatedByFile === true ? [stated, raw] : [raw, stated];
  const createdAt = before.createdAt ?? behind.createdAt;
  const updatedAt = before.updatedAt ?? behind.updatedAt;
  return {
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}
