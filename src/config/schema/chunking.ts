import * as z from 'zod';
import { CHUNKING_STRATEGIES, type ChunkingStrategy } from '../../chunking/chunker.js';
import { stringList, unescapeText, wholeNumber } from '../../core/setting-values.js';

/** A program that hands in chunkers of its own may name them too: they are known where the tree is checked. */
const strategy = z.enum(CHUNKING_STRATEGIES) as unknown as z.ZodType<string, StrategyName>;
type StrategyName = ChunkingStrategy | (string & Record<never, never>);

const fields = {
  strategy: strategy
    .optional()
    .describe(
      'How documents are cut. `semantic` follows headings, paragraphs, lists, code and tables; `adaptive` makes chunks of a fifth of `maxSize` that are matched with the text around them, and shows neighbours as one passage; `recursive` cuts at `splitOn`; `fixed` cuts by size alone; `pbi_aware` keeps the fields of a work item together; `whole` does not cut. Default: `semantic`, and `pbi_aware` for `pbi_json` sources.',
    ),
  unit: z
    .enum(['tokens', 'characters'])
    .optional()
    .describe(
      'What the sizes count: tokens of the built-in tokenizer, or UTF-16 characters. Default: `characters` where the block states a size, else `tokens`.',
    ),
  minSize: wholeNumber(0)
    .optional()
    .describe(
      'A shorter chunk is merged with its neighbour in the same section, in `unit`. Default: 160 tokens or 100 characters.',
    ),
  maxSize: wholeNumber(1)
    .optional()
    .describe('No chunk is longer, in `unit`. Default: 320 tokens or 500 characters.'),
  overlap: wholeNumber(0)
    .optional()
    .describe(
      'Repeated from the end of the previous chunk where a block had to be cut inside, in `unit`. Default: 32 tokens or 50 characters.',
    ),
  splitOn: z
    .array(z.string().min(1).transform(unescapeText))
    .min(1)
    .optional()
    .describe(
      "Where `recursive` cuts, best first; `'\\n'` is a newline. Default: `['\\n\\n', '\\n', '. ', ', ']`.",
    ),
  preserveWhitespace: z
    .boolean()
    .optional()
    .describe('Keep white space at both ends of a chunk. Default: `false`.'),
  preserveFields: stringList()
    .optional()
    .describe(
      '`pbi_aware`: fields that stay together in the first chunk. Default: `[title, description, acceptance_criteria]`.',
    ),
  chunkByField: z.boolean().optional().describe('`pbi_aware`: one chunk for each field. Default: `false`.'),
};

/** `rag.chunking`, and `chunking` of one source. Defaults are filled by `resolveChunking`, for they depend on the unit. */
export const chunkingSchema = z.strictObject(fields);

/** What a configuration states about chunking; everything may be absent. */
export type ChunkingSettings = z.output<typeof chunkingSchema>;
