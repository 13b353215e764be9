/** Names under which texts state when they were changed, by precedence. */
export const CHANGED_FIELDS = [
  'updated',
  'updatedat',
  'lastupdated',
  'lastmod',
  'lastmodified',
  'lastmodifiedat',
  'lastupdate',
  'modified',
  'date',
  'created',
  'publishdate',
  'pubdate',
  'published',
] as const;

/** The same for when they were made. */
export const MADE_FIELDS = ['created', 'createdat', 'date', 'publishdate', 'pubdate', 'published'] as const;

/** Of the metadata of what a program pushes. */
export const PUSHED_DATE_FIELD = 'timestamp';

/** A name of metadata as names of dates are compared: case of letters, `_` and `-` do not count. */
export const plainDateName = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

const DATE_FIELDS: ReadonlySet<string> = new Set([...CHANGED_FIELDS, ...MADE_FIELDS, PUSHED_DATE_FIELD]);

/** Whether a document may be dated by a field of this name. */
export const isDateField = (name: string): boolean => DATE_FIELDS.has(plainDateName(name));
