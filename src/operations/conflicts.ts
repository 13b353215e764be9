import * as z from 'zod';
import {
  type ConflictsRequest,
  type ConflictsResponse,
  FINDING_KINDS,
} from '../relations/conflicts/conflict-types.js';
import { operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import { signal, upTo } from './requests/request-fields.js';

const schema = z.strictObject({
  kinds: z.array(z.enum(FINDING_KINDS, `one of ${FINDING_KINDS.join(', ')}`)).optional(),
  document: z.string().optional(),
  limit: upTo(10_000),
  signal,
} satisfies ShapeOf<ConflictsRequest>);

export const conflicts = operation({
  access: 'read',
  takes: 1,
  check: (request: ConflictsRequest = {}) =>
    checked(request, schema, { what: 'Which conflicts', reason: 'USAGE' }),
  gave: ({ findings }: ConflictsResponse) => {
    const places = findings.flatMap(({ passages }) => passages.flatMap((passage) => passage.places));
    return [...new Set(places.map(({ documentId }) => documentId))];
  },
});
