import type { ExplainRequest } from 'ragstone/client';
import { type Address, valueOf, valuesOf } from '../../state/address.js';
import type { AskedSearch } from '../../text/copy-as.js';

/** Filters of an address, by the names that the routes give them. */
export const FILTERS = { type: 'documentTypes', source: 'sources', tag: 'tags' } as const;

const MODES = ['hybrid', 'dense', 'lexical', 'graph'] as const;

/** What the address says of a filter on every search. */
export function filtersOf(address: Address): AskedSearch['filters'] {
  const lists = Object.entries(FILTERS).flatMap(([name, field]) => {
    const values = valuesOf(address, name);
    return values.length === 0 ? [] : [[field, values] as const];
  });
  const since = dayOf(valueOf(address, 'since'));
  const until = dayOf(valueOf(address, 'until'));
  return {
    ...Object.fromEntries(lists),
    ...(since === '' ? {} : { since: `${since}T00:00:00Z` }),
    ...(until === '' ? {} : { until: `${until}T23:59:59Z` }),
  };
}

const dayOf = (text: string): string => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : '');

/** The search that an address names. */
export function searchOf(address: Address): AskedSearch {
  const top = Number(valueOf(address, 'top'));
  const mode = MODES.find((one) => one === valueOf(address, 'mode'));
  return {
    query: valueOf(address, 'q').trim(),
    topK: Number.isInteger(top) && top >= 1 && top <= 100 ? top : 10,
    ...(valueOf(address, 'weak') === '' ? {} : { minScore: 0 }),
    ...(mode === undefined ? {} : { mode }),
    filters: filtersOf(address),
  };
}

export const explainRequestOf = (
  { query, topK, minScore, mode, filters }: AskedSearch,
  isExact: boolean,
): ExplainRequest => ({
  query,
  topK: topK ?? null,
  minScore: minScore ?? null,
  ...(mode === undefined ? {} : { mode: mode as (typeof MODES)[number] }),
  ...(isExact ? { exactWords: true } : {}),
  ...filters,
});

export const hasFilters = ({ filters }: AskedSearch): boolean => Object.keys(filters).length > 0;
