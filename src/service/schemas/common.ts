import * as z from 'zod';
import { PROBLEM_TYPE, problemSchema } from '../requests/problem.js';

/** Longest question, in characters. */
const MOST_QUERY = 10_000;
const MOST_ID = 1_000;

export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** JSON of any kind: metadata of documents, details. */
export const facts = z.record(z.string(), z.unknown());

export const questionText = () => z.string().min(1).max(MOST_QUERY);
export const topKSchema = () => z.int().min(1).max(100);

/** Half a surrogate pair cannot be stored: two ids could become one. */
const ID = /^[^\p{Cc}\p{Cs}]*$/u;

export const idText = () =>
  z.string().min(1).max(MOST_ID).regex(ID, 'must hold no control characters and no half of a surrogate pair');

export const tenantText = () =>
  z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The tenant of the key or token. May be left out only without keys.');
export const names = () => z.array(z.string().min(1).max(200)).max(100);

/** Filters that every search takes. */
export const filterFields = {
  documentTypes: names().nullish().describe('Any of these document types.'),
  tags: names().nullish().describe('Any of these tags.'),
};

/** Stated filters as the engine takes them. */
export const filtersOf = ({
  documentTypes,
  tags,
}: {
  readonly documentTypes?: readonly string[] | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
}) => ({
  ...(documentTypes ? { sourceType: documentTypes } : {}),
  ...(tags ? { tags } : {}),
});

export const linesSchema = z.object({ start: z.int(), end: z.int() });
export const degradationSchema = z
  .int()
  .describe('0 all features, 1 no reranking, 3 words alone, 5 switched off.');
export const noticesSchema = listOf(z.string()).describe('What a person should know of the answer.');
export const stagesSchema = z
  .record(z.string(), z.number().optional())
  .describe('Milliseconds of each stage.');
export const correctionSchema = z
  .object({
    searchedFor: z.string(),
    words: listOf(z.object({ typed: z.string(), used: z.string() })),
  })
  .describe('What was searched for in place of mistyped words.');

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
