import { isTagField, TAGS_FIELD, tagKey } from '../core/document-tags.js';
import { RAGError } from '../core/errors.js';
import { and, contains, eq, exists, type Filter, not, oneOf, or, range } from '../core/filter.js';
import type { MetadataValue } from '../core/metadata.js';
import { mapFields } from '../core/pushed-fields.js';
import { UNREAD_FIELD } from '../core/unread.js';
import type { SearchQuery } from '../operations/engine.js';

/** The filters of a query as one filter of the algebra; all of them must hold. */
export function searchFilter({ filters, filter }: Pick<SearchQuery, 'filters' | 'filter'>): Filter {
  const parts: Filter[] = filter === undefined ? [] : [filter];
  if (filters?.sourceType !== undefined) parts.push(oneOf('sourceType', filters.sourceType));
  if (filters?.source !== undefined) parts.push(oneOf('$source', filters.source));
  if (filters?.dateRange !== undefined) parts.push(dateFilter(filters.dateRange));
  return mapFields(
    and(...parts, ofMetadata(filters)),
    (condition) => ofUnreadKinds(condition) ?? withTagKeys(condition),
  );
}

/** What a query asks of the fields of documents alone, as it asks it. */
export const metadataFilters = ({ filters, filter }: Pick<SearchQuery, 'filters' | 'filter'>): Filter =>
  and(...(filter === undefined ? [] : [filter]), ofMetadata(filters));

const ofMetadata = (filters: SearchQuery['filters']): Filter =>
  and(
    ...(filters?.tags ?? []).map((tag) => contains(TAGS_FIELD, tag)),
    ...Object.entries(filters?.metadata ?? {}).map(([field, value]) => metadataFilter(field, value)),
  );

/** A tag is one however it is written: in any case, with a hash or without, in a list or a text. */
function withTagKeys(condition: Condition): Filter {
  if (!isTagField(condition.field)) return condition;
  const values = condition.op === 'in' ? condition.values : 'value' in condition ? [condition.value] : [];
  const tags = values.filter((value) => typeof value === 'string');
  // A beginning and bounds are of the field as it is written.
  if (condition.op === 'prefix' || tags.length === 0) return condition;
  return or(condition, ...tags.map((tag) => contains('$identifiers', tagKey(tag))));
}

/** `unread` is a count by kind: what is compared with a kind asks for documents of which some of it was not read. */
function ofUnreadKinds(condition: Condition): Filter | undefined {
  if (condition.field !== UNREAD_FIELD || !('value' in condition || condition.op === 'in')) return undefined;
  const kinds = condition.op === 'in' ? condition.values : [condition.value];
  return or(...kinds.map((kind) => exists(`${UNREAD_FIELD}.${String(kind)}`)));
}

type Condition = Extract<Filter, { readonly field: string }>;

/** A scalar: the field is it, or is a list that holds it. A list: any of its scalars. */
function metadataFilter(field: string, value: MetadataValue): Filter {
  if (field.startsWith('$')) {
    throw new RAGError(
      'QUERY_INVALID',
      `"${field}" is a system field and cannot be filtered as metadata. Use the option made for it, or \`filter\`.`,
    );
  }
  if (Array.isArray(value))
    return or(...value.map((element: MetadataValue) => metadataFilter(field, element)));
  if (typeof value === 'object' && value !== null) {
    return and(...Object.entries(value).map(([key, nested]) => metadataFilter(`${field}.${key}`, nested)));
  }
  const scalar = value;
  return or(eq(field, scalar), contains(field, scalar));
}

/** On `updatedAt`, or on `createdAt` where a document has no `updatedAt`. */
function dateFilter({ start, end }: { readonly start?: Date; readonly end?: Date }): Filter {
  const bounds = {
    ...(start === undefined ? {} : { gte: isoDate(start) }),
    ...(end === undefined ? {} : { lte: isoDate(end) }),
  };
  return or(range('updatedAt', bounds), and(not(exists('updatedAt')), range('createdAt', bounds)));
}

function isoDate(date: Date): string {
  if (Number.isNaN(date.getTime()))
    throw new RAGError('QUERY_INVALID', 'A date of the date range is not a valid date.');
  return date.toISOString();
}
