/** A value that every store can keep and give back unchanged. Dates are ISO-8601 UTC strings (`Date#toISOString`). */
export type MetadataScalar = string | number | boolean | null;

/** Any JSON value. */
export type MetadataValue =
  | MetadataScalar
  | readonly MetadataValue[]
  | { readonly [key: string]: MetadataValue };

/** Free, caller-owned facts about a document. System fields live apart (see `filter.ts`), so no key here can forge them. */
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Whether a name of metadata, a path of a filter or a name in a text is that of a marked field, or of a part of it: `salary.base` is of `salary`. */
export const isMarkedName = (name: string, fields: readonly string[]): boolean =>
  fields.some((field) => name === field || name.startsWith(`${field}.`));
