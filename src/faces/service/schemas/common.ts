import * as z from 'zod';
import { FIELDS } from '../../../operations/fields.js';
import { graphStep } from '../../../operations/related.js';
import {
  boolean,
  int,
  number,
  optionalNumber,
  optionalString,
  range,
  rowsOf,
  string,
  strings,
} from '../../../operations/requests/outcome-fields.js';
import { collapse, countOf, idText } from '../../../operations/requests/request-fields.js';
import { PROBLEM_TYPE, problemSchema } from '../requests/problem.js';

/** Longest question, in characters. */
const MOST_QUERY = 10_000;
/** Fields that a filter compares. */
const MOST_FIELDS = 20;

export { idText };

/** JSON of any kind: metadata of documents, details. */
export const facts = z.record(string, z.unknown());

export const questionText = string.min(1).max(MOST_QUERY);
export const topKSchema = int.min(1).max(100);

export const tenantText = string
  .min(1)
  .max(200)
  .optional()
  .describe('Where it is stated, it must be that of the key or token.');
export const names = z.array(string.min(1).max(200)).max(100);

/** A moment, with its distance from UTC. */
export const dateTime = z.iso.datetime({ offset: true });

const metadataValue = z.union([string.max(1_000), number, boolean]);

/** Filters that every search takes. */
export const filterFields = {
  documentTypes: names.nullish().describe('Any of these document types.'),
  tags: names.nullish().describe('All of these tags.'),
  sources: names.nullish().describe('Any of these sources, by name.'),
  since: dateTime.optional().describe('Changed then or later.'),
  until: dateTime.optional().describe('Changed then or before.'),
  metadata: z
    .record(string.min(1).max(200), z.union([metadataValue, z.array(metadataValue).min(1).max(100)]))
    .refine(
      (stated) => Object.keys(stated).length <= MOST_FIELDS,
      `an object of at most ${MOST_FIELDS} fields`,
    )
    .optional()
    .describe('Each field is the value, or a list that holds it; of several values, any.'),
};

/** The index as it was. */
export const asOf = string
  .min(1)
  .max(300)
  .optional()
  .describe(
    'The index as it was then, where it keeps history: a date, a time with its zone, or a tag of a Git source.',
  );

/** Which earlier state of the index answered. */
export const asOfSchema = z
  .object({
    at: string,
    begins: string.describe('The earliest moment that can be asked for.'),
    tag: z.object({ name: string, source: string, commit: string }).optional(),
  })
  .optional()
  .describe('The moment that was asked for; absent for the index as it is now.');

/** How long an answer is of use. */
export const deadlineMs = int
  .min(1)
  .max(600_000)
  .optional()
  .describe(
    'Milliseconds: the search does what is worth most in that time, and says what it left out (`plan`).',
  );

/** What a search may cost. */
export const maxCost = number
  .min(0)
  .max(1_000)
  .optional()
  .describe(
    'US dollars: what the search would spend beyond them on models that have a price is left out, and it says so (`plan`).',
  );

/** Which lanes run, and how far the graph is walked. */
export const modeFields = {
  mode: z
    .enum(['hybrid', 'dense', 'lexical', 'graph'])
    .optional()
    .describe('Which lanes run. Default: `hybrid`; `graph` adds what is connected with what is found.'),
  hops: countOf(FIELDS.search.hops, 'Of mode `graph` alone: steps from the documents that are found first.'),
};

/** How a search is made, where the caller does not leave it to the index. */
export const searchFields = {
  ...modeFields,
  collapse: collapse.describe('What is shown once: each document, each backlog item and ticket, or nothing.'),
  exactWords: boolean.optional().describe('Put no mistyped words right.'),
  deadlineMs,
  maxCost,
};

/** What of the ranking of a search can be set otherwise, for one search. */
export const rankingFields = {
  rerank: boolean.optional().describe('Look at the first candidates more closely.'),
  nearDuplicates: z.enum(['remove', 'keep']).optional(),
  mmrLambda: number
    .gt(0)
    .max(1)
    .optional()
    .describe('Relevance against variety (maximal marginal relevance); 1 counts relevance alone.'),
  recencyHalfLifeDays: number.min(0).max(36_500).optional().describe('0: age does not count.'),
};

/** What is left out, or is null, is not stated at all. */
export const stated = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]: [string, unknown]) => value !== undefined && value !== null),
  ) as { readonly [Field in keyof Fields]?: NonNullable<Fields[Field]> };

type StatedFilters = Partial<z.infer<z.ZodObject<typeof filterFields>>>;

const momentOf = (time: string | undefined) => (time === undefined ? undefined : new Date(time));

/** A body taken apart: the filters in it as the engine takes them, and the rest. */
export function takeFilters<Body extends StatedFilters>({
  documentTypes,
  tags,
  sources,
  since,
  until,
  metadata,
  ...rest
}: Body) {
  const dateRange = stated({ start: momentOf(since), end: momentOf(until) });
  const filters = stated({
    sourceType: documentTypes,
    tags,
    source: sources,
    dateRange: since === undefined && until === undefined ? undefined : dateRange,
    metadata,
  });
  return { filters, ...rest };
}

/** A page of a list, by its query. */
export const pageFields = (limit = 100, cursor = string.regex(/^\d{1,15}$/, 'that of the page before')) => ({
  cursor: cursor.optional().describe('Of the page before.'),
  limit: countOf({ most: 1_000 }).default(limit),
});

export const requestIdSchema = string.describe(
  'Id of the request, as in the header `x-request-id`: the log and the audit log name it.',
);
export const pagesSchema = range.describe('Of a document in pages: from 1, both included.');
/** Where a passage stands. */
export const passagePlace = {
  documentId: string,
  source: string,
  title: optionalString,
  headingPath: strings,
  lines: range,
};
/** Of a passage that is cited. */
export const citedPassage = {
  ...passagePlace,
  url: optionalString,
  date: optionalString,
  pages: pagesSchema.optional(),
};
const degradationLevel = int.describe(
  '0 all features, 1 no reranking, 2 what was found before, 3 words alone, 4 static texts, 5 switched off.',
);
/** How much of the full answer a response could give. */
export const degradationSchemas = {
  degradationLevel,
  degradation: z
    .object({
      parts: strings.describe('Parts that failed or were left alone.'),
      expectedLoss: z.object({
        measure: string,
        full: number,
        loss: number,
        data: string,
      }),
    })
    .optional()
    .describe('Absent at level 0. What is expected to be missing, as it was measured before.'),
  staticResponses: rowsOf({ kind: z.literal('static'), text: string })
    .optional()
    .describe('At level 4: texts that the configuration has for such times. No document holds them.'),
};
/** Notices of a response. */
export const noticesSchemas = {
  notices: strings.describe('What a person should know of the answer.'),
  noticeKinds: strings.describe('What each notice is about, for programs. More kinds may come.'),
};
export const stagesSchema = z.record(string, optionalNumber).describe('Milliseconds of each stage.');
export const correctionSchema = z
  .object({
    searchedFor: string,
    words: rowsOf({ typed: string, used: string }),
  })
  .optional()
  .describe('What was searched for in place of mistyped words.');
const semanticCacheSchema = z
  .object({ similarity: number })
  .optional()
  .describe('These are the results of an earlier question that means nearly the same; cosine of both.');

const planSchema = z
  .object({
    name: z.enum(['whole', 'few-reranked', 'not-reranked', 'few-candidates', 'words']),
    deadlineMs: optionalNumber,
    expectedMs: optionalNumber,
    isInTime: boolean.optional(),
    leftOut: strings,
    isMeasured: boolean.optional(),
    maxCost: optionalNumber,
    cost: optionalNumber.describe('US dollars, reckoned by prices and lengths of texts.'),
  })
  .optional()
  .describe(
    'What was done to end before `deadlineMs` and to cost no more than `maxCost`, and what was left out for it.',
  );

/** What a search says beside what it found. */
export const searchReport = {
  requestId: requestIdSchema,
  query: string,
  correction: correctionSchema,
  semanticCache: semanticCacheSchema,
  asOf: asOfSchema,
  plan: planSchema,
  ...degradationSchemas,
  ...noticesSchemas,
  tookMs: number,
};

/** By which way the graph led to a passage. */
export const wayOfPassage = rowsOf({ ...graphStep(), fromName: string, toName: string })
  .optional()
  .describe(
    'In mode `graph`: by which way a document that was found first led to it; absent where none did.',
  );

const problem = (description: string) => ({
  description,
  content: { [PROBLEM_TYPE]: { schema: problemSchema } },
});

/** What every route may answer in place of its result. */
export const problemResponses = {
  '4xx': problem('The request is refused.'),
  '5xx': problem('The service cannot answer now.'),
};

export const jsonOf = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
});
