import type { ExplainRequest } from 'ragstone/client';
import { type Address, allOf, firstOf, withQuery } from '../../state/address.js';
import type { AskedSearch } from '../../text/copy-as.js';

/** Filters of an address, by the names that the routes give them. */
export const FILTERS = { type: 'documentTypes', source: 'sources', tag: 'tags' } as const;

const MODES = ['hybrid', 'dense', 'lexical', 'graph'] as const;
type Mode = (typeof MODES)[number];

/** A value of a field of metadata. */
export type FieldValue = string | number | boolean;

/** As the routes take them. */
export interface Filters {
  readonly documentTypes?: string[];
  readonly sources?: string[];
  readonly tags?: string[];
  readonly since?: string;
  readonly until?: string;
  readonly metadata?: Record<string, FieldValue[]>;
}

/** Fields of metadata stand behind this in the address. */
export const FIELD = 'm.';

/** A value of a field as it stands in the address: a text as it is, unless it reads as something else. */
export const writeField = (value: FieldValue): string =>
  typeof value === 'string' && typeof readField(value) === 'string' && readField(value) === value
    ? value
    : JSON.stringify(value);

export function readField(text: string): FieldValue {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : text;
  } catch {
    return text;
  }
}

/** What the address says of a filter on every search. */
export function filtersOf(address: Address): Filters {
  const lists = Object.entries(FILTERS).flatMap(([name, field]) => {
    const values = allOf(address, name);
    return values.length === 0 ? [] : [[field, [...values]] as const];
  });
  const fields = Object.entries(address.query).flatMap(([name, values]) =>
    name.startsWith(FIELD) && values.length > 0
      ? [[name.slice(FIELD.length), values.map(readField)] as const]
      : [],
  );
  const since = dayOf(firstOf(address, 'since'));
  const until = dayOf(firstOf(address, 'until'));
  return {
    ...Object.fromEntries(lists),
    ...(since === '' ? {} : { since: `${since}T00:00:00Z` }),
    ...(until === '' ? {} : { until: `${until}T23:59:59Z` }),
    ...(fields.length === 0 ? {} : { metadata: Object.fromEntries(fields) }),
  };
}

const dayOf = (text: string): string => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : '');

/** The search that an address names. */
export function searchOf(
  address: Address,
): AskedSearch & { readonly filters: Filters; readonly mode?: Mode } {
  const top = Number(firstOf(address, 'top'));
  const mode = MODES.find((one) => one === firstOf(address, 'mode'));
  return {
    query: firstOf(address, 'q').trim(),
    topK: Number.isInteger(top) && top >= 1 && top <= 100 ? top : 10,
    ...(firstOf(address, 'weak') === '' ? {} : { minScore: 0 }),
    ...(mode === undefined ? {} : { mode }),
    filters: filtersOf(address),
  };
}

export const explainRequestOf = (
  { query, topK, minScore, mode, filters }: ReturnType<typeof searchOf>,
  isExact: boolean,
): ExplainRequest => ({
  query,
  topK: topK ?? null,
  minScore: minScore ?? null,
  ...(mode === undefined ? {} : { mode }),
  ...(isExact ? { exactWords: true } : {}),
  ...filters,
});

/** Every filter of an address taken out. */
export const withoutFilters = (address: Address): Address =>
  withQuery(
    address,
    Object.fromEntries(
      Object.keys(address.query)
        .filter((name) => name.startsWith(FIELD) || NARROWING.has(name))
        .map((name) => [name, []]),
    ),
  );

const NARROWING = new Set(['type', 'source', 'tag', 'since', 'until']);

export const hasFilters = ({ filters }: AskedSearch): boolean => Object.keys(filters).length > 0;
