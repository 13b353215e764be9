import * as z from 'zod';
import { prefix, type SearchQuery } from '../../../index.js';
import { FIELDS, rangeOf } from '../../../operations/fields.js';

// Arguments that several tools share. Descriptions are read by models.

const MAX_QUERY = 2_000;
const MAX_LIST = 50;

const names = z.array(z.string().min(1).max(200)).min(1).max(MAX_LIST);

export const question = z
  .string()
  .trim()
  .min(1)
  .max(MAX_QUERY)
  .describe('A question, words, or an exact identifier (function, ticket, error code, path). Any language.');

export const documentId = z
  .string()
  .min(1)
  .max(500)
  .describe('The document_id of a result. A path works too, as results show it under source or path.');

export const topK = (most: number, preset: number) =>
  z
    .int()
    .min(1)
    .max(most)
    .default(preset)
    .describe(`Most results, 1 to ${most}. More cost tokens; ${preset} is enough for most questions.`);

const { hops } = FIELDS.search;

/** Which lanes run, and how far the graph is walked. */
export const modeShape = {
  mode: z
    .enum(FIELDS.search.mode)
    .optional()
    .describe(
      'graph: also what is connected (links, ticket keys, imports) with what is found, for answers that stand beside the page that matches; lexical: words alone; dense: meaning alone. Default: hybrid.',
    ),
  hops: z
    .int()
    .min(1)
    .max(hops.most)
    .optional()
    .describe(`Of mode graph alone: steps, ${rangeOf(hops)}. Default: ${hops.preset}.`),
};

export const modeOf = ({ mode, hops }: z.output<z.ZodObject<typeof modeShape>>) => ({
  ...(mode === undefined ? {} : { mode }),
  ...(hops === undefined ? {} : { hops }),
});

// In place of the pattern of `z.iso.date`, which is long, and which every assistant would be sent.
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .refine((text) => !Number.isNaN(Date.parse(`${text}T00:00:00.000Z`)), 'There is no such day.');

/** What narrows a search to some documents. */
export const filterShape = {
  source: names.optional().describe('Only these sources, by name; list_sources tells the names.'),
  source_type: names
    .optional()
    .describe('Only documents of these types (documentation, code, ...); list_sources tells them.'),
  path_prefix: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'Only documents whose source path begins with this, such as "guides/". Paths are as results show them under source.',
    ),
  tags: names.optional().describe('Only documents with all of these tags.'),
  updated_after: day.optional().describe('Only documents changed on or after this day, YYYY-MM-DD.'),
  updated_before: day.optional().describe('Only documents changed on or before this day, YYYY-MM-DD.'),
};

type FilterInput = z.output<z.ZodObject<typeof filterShape>>;

/** The filters of the arguments as the engine takes them. */
export function filtersOf(input: FilterInput): Pick<SearchQuery, 'filters' | 'filter'> {
  const { source, source_type: sourceType, tags, path_prefix: start } = input;
  const dateRange = {
    ...(input.updated_after === undefined ? {} : { start: new Date(`${input.updated_after}T00:00:00.000Z`) }),
    ...(input.updated_before === undefined ? {} : { end: new Date(`${input.updated_before}T23:59:59.999Z`) }),
  };
  return {
    filters: {
      ...(source === undefined ? {} : { source }),
      ...(sourceType === undefined ? {} : { sourceType }),
      ...(tags === undefined ? {} : { tags }),
      ...(Object.keys(dateRange).length === 0 ? {} : { dateRange }),
    },
    filter: start === undefined ? undefined : prefix('source', start),
  };
}
