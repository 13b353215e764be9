import * as z from 'zod';
import type { ToldNotices } from '../core/notice.js';
import {
  type ConflictsRequest,
  type ConflictsResponse,
  DIFFERENCE_KINDS,
  type Finding,
  type FindingPassage,
  type FindingPlace,
} from '../relations/conflicts/conflict-types.js';
import { FIELDS } from './fields.js';
import { operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import {
  int,
  listOf,
  number,
  optionalString,
  range,
  sourcePlace,
  string,
  strings,
} from './requests/outcome-fields.js';
import { countOf, idText, kindsOf, signal } from './requests/request-fields.js';

const { kinds, limit } = FIELDS.conflicts;

const schema = z.strictObject({
  kinds: kindsOf(kinds).describe('Kinds of findings. Default: all.'),
  document: optionalString,
  limit: countOf(limit),
  signal,
} satisfies ShapeOf<ConflictsRequest>);

/** A longer page is not read; the whole list is for operators. */
const MOST_BY_ROUTE = 1_000;

const outcome = () => {
  const place = z.object({
    documentId: string,
    ...sourcePlace,
    date: optionalString.describe('Last change of the document, else its creation, where it says so.'),
    offsets: range.describe('Of the stored text.'),
    lines: range.describe('From 1, both included.'),
  } satisfies ShapeOf<FindingPlace>);
  const passage = z.object({
    quote: string,
    places: listOf(place).describe('The newest first, at most 20.'),
    more: int.describe('Places beyond those.'),
  } satisfies ShapeOf<FindingPassage>);
  const difference = z.object({ kind: z.enum(DIFFERENCE_KINDS), first: string, second: string });
  const finding = z.object({
    kind: z.enum(kinds),
    agreement: number.describe('What the passages have in common beside the differences, 0 to 1.'),
    differences: listOf(difference).describe('In the order of `passages`.'),
    passages: listOf(passage).describe('The newest first.'),
  } satisfies ShapeOf<Finding>);
  return z.object({
    findings: listOf(finding).describe('Conflicts first, the surest before others.'),
    totals: z
      .object({ conflict: int, duplicate: int })
      .describe('Of all, also beyond `limit` and of kinds that were not asked for.'),
    examined: int.describe('Documents that were compared.'),
    notExamined: strings.describe('Ids of documents that were not examined yet, at most 100.'),
  } satisfies ShapeOf<Omit<ConflictsResponse, keyof ToldNotices>>);
};

export const conflicts = operation({
  access: 'read',
  takes: 1,
  check: (request: ConflictsRequest = {}) =>
    checked(request, schema, { what: 'Which conflicts', reason: 'USAGE' }),
  gave: ({ findings }: ConflictsResponse) => {
    const places = findings.flatMap(({ passages }) => passages.flatMap((passage) => passage.places));
    return [...new Set(places.map(({ documentId }) => documentId))];
  },
  route: () => ({
    // It compares all that may be read, which is work as that of an answer.
    limit: 'ai-answer',
    tag: 'Documents',
    summary: 'Duplicates and conflicts between documents',
    request: schema.extend({
      document: idText.optional().describe('Findings that the document of this id has a part in.'),
      limit: countOf({ ...limit, most: MOST_BY_ROUTE }, 'Most findings of each kind.'),
    }),
    gives: 'Findings, the newer document of each first.',
    outcome: outcome(),
  }),
});
