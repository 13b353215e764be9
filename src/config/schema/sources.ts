import * as z from 'zod';
import { problemOfSchedule } from '../../core/cron-schedule.js';
import { durationOrNever, share } from '../../core/setting-values.js';
import { SOURCES } from '../../sources/definitions.js';
import type { SourceDefinition } from '../../sources/source-definition.js';
import { chunkingSchema } from './chunking.js';

/** A cron expression that comes some day. */
const schedule = () =>
  z
    .string()
    .superRefine((expression, { addIssue }) => {
      const problem = problemOfSchedule(expression);
      if (problem !== undefined) addIssue({ code: 'custom', message: problem });
    })
    .optional();

const common = {
  name: z
    .string()
    .regex(
      /^[\p{L}\p{N}][\p{L}\p{N}_. -]{0,63}$/u,
      'must be 1 to 64 letters, digits, `_`, `.`, `-` or blanks',
    )
    .describe("Name of the source; part of every document's identity, so renaming it indexes anew."),
  enabled: z
    .boolean()
    .default(true)
    .describe('`false` leaves the source out; nothing of it is checked or read.'),
  autoIndex: z
    .boolean()
    .default(false)
    .describe('Read it when `ragstone sync --watch`, `ragstone sync --daemon` or `ragstone serve` starts.'),
  watch: z
    .boolean()
    .default(false)
    .describe('Read it when its files change, and at the start, because nobody watched before.'),
  indexSchedule: schedule().describe(
    'When to read it, as a cron expression (`0 */6 * * *`), by `rag.sync.timezone`.',
  ),
  updateSchedule: schedule().describe(
    'The same under another name; where both are stated, it is read at the turns of both.',
  ),
  maxShrink: share()
    .optional()
    .describe('Share of its documents that may be missing at once. Default: `rag.indexing.maxShrink`.'),
  reconcileInterval: durationOrNever()
    .optional()
    .describe('Time after which it is listed whole again. Default: `rag.indexing.reconcileInterval`.'),
  retention: z
    .strictObject({
      maxAge: z
        .string()
        .regex(/^[1-9]\d{0,4}[dwy]$/, 'must be a number of days, weeks or years, such as `730d`, `52w`, `2y`')
        .optional()
        .describe(
          'Documents older than this are deleted from the index, and not indexed: days (`730d`), weeks (`52w`) or years of 365 days (`2y`).',
        ),
      dateField: z
        .string()
        .min(1)
        .default('updatedAt')
        .describe(
          'Metadata field with the date (ISO-8601) that says how old a document is. One without a date that can be read is kept, and told of.',
        ),
      versions: z
        .int()
        .min(1)
        .max(3)
        .optional()
        .describe('Texts of a document that are kept, the present one included. Default: 3.'),
    })
    .optional()
    .describe(
      'How long what the source holds is kept in the index. Default: as long as the source holds it.',
    ),
  chunking: chunkingSchema
    .optional()
    .describe('Chunking of this source; what it leaves out comes from `rag.chunking`.'),
};

const schemaOf = <Type extends string, Fields extends z.ZodRawShape>({
  type,
  about,
  fields,
}: SourceDefinition<Type, Fields>) =>
  z.strictObject({ type: z.literal(type).describe(about), ...common, ...fields });

type SchemaOf<Definition> =
  Definition extends SourceDefinition<infer Type, infer Fields>
    ? ReturnType<typeof schemaOf<Type, Fields>>
    : never;
type Schemas<Definitions> = { readonly [Index in keyof Definitions]: SchemaOf<Definitions[Index]> };

// A list that is mapped keeps its members apart, which the compiler cannot see.
const schemas = SOURCES.map((definition) =>
  schemaOf(definition as unknown as SourceDefinition),
) as unknown as Schemas<typeof SOURCES>;

/** One entry of `rag.sources`, told apart by `type`. */
export const sourceSchema = z.discriminatedUnion('type', schemas);

/** One source as the configuration gives it, defaults filled. */
export type SourceSettings = z.output<typeof sourceSchema>;

/** `rag.sources`: where documents come from. */
export const sourcesSchema = z.array(sourceSchema).default([]).describe('Where documents come from.');
