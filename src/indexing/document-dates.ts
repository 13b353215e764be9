import { CHANGED_FIELDS, MADE_FIELDS, plainDateName } from '../core/date-fields.js';
import type { ParsedDocument, RawDocument } from '../core/document.js';
import { momentOf } from '../core/moment.js';

const dateOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? momentOf(value) : undefined;

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
