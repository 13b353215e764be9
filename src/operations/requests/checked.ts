import type * as z from 'zod';
import type { Filter } from '../../core/filter.js';
import { plainCopy } from '../../core/plain-copy.js';
import { assertFilterShape } from './check-filter.js';
import { assertShape, type Refusal, refusing } from './check-shape.js';

/**
 * What callers hand in, copied into plain data; the copy is held against the types before anything is done, and only it goes further.
 *
 * @throws RAGError of the refusal's reason; `QUERY_INVALID` for a filter
 */
export function checked<T>(given: T, schema: z.ZodType, refusal: Refusal): T {
  const copy = plainCopy(given, refusing(refusal));
  assertShape(schema, copy, refusal);
  checkedFilter(copy);
  return copy;
}

/** The same of a request whose `filter` is one of metadata. Throws `QUERY_INVALID`. */
export function checkedFilter<T>(request: T): T {
  if (typeof request === 'object' && request !== null && 'filter' in request && request.filter !== undefined)
    assertFilterShape(request.filter as Filter);
  return request;
}
