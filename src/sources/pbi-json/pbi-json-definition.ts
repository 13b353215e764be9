import * as z from 'zod';
import { jsonValue, nonEmptyText } from '../../core/setting-values.js';
import { fileFields, fileSelection } from '../file-settings.js';
import { defineSource } from '../source-definition.js';

const PBI_FIELD_TYPES = [
  ...(['string', 'number', 'boolean', 'object', 'any'] as const),
  ...(['string[]', 'number[]', 'boolean[]', 'object[]', 'any[]'] as const),
] as const;

const extractors = z
  .array(
    z.strictObject({
      field: nonEmptyText().describe('Field of the work item; `a.b` reaches inside.'),
      to: nonEmptyText().describe('Name of the metadata field it becomes.'),
    }),
  )
  .describe(
    'Fields of a work item that become metadata, beside `id` (as `pbi_id`), `created_at` (`timestamp`) and `confidence_score` (`quality_score`).',
  );

export const pbiJsonDefinition = defineSource({
  type: 'pbi_json',
  about: 'Work items in JSON files: one object, a list, or one object a line.',
  fields: {
    ...fileFields,
    gitignore: z
      .boolean()
      .default(false)
      .describe(
        'Leave out what `.gitignore` files leave out; build output, which is often ignored, is what is read here.',
      ),
    loader: z
      .strictObject({
        type: z.literal('json').default('json').describe('Format of the files.'),
        schema: z
          .record(z.string(), z.enum(PBI_FIELD_TYPES))
          .optional()
          .describe(
            'Fields of a work item and their types (`string`, `number`, `boolean`, `string[]`, ...).',
          ),
      })
      .optional()
      .describe('How the files are read.'),
    metadata: z
      .object({ extractors: extractors.optional() })
      .catchall(jsonValue)
      .default({})
      .describe('Facts added to every document, and `extractors` that copy fields.'),
  },
  sourceType: () => 'pbi',
  files: { holdMany: true },
  // What indexes of before hold besides, or lack, is read again.
  processed: () => ({ facts: 2 }),
  watched: (settings) => async () => {
    const { JSON_TYPES } = await import('./pbi-json-source.js');
    const { watchedFiles } = await import('../watched-files.js');
    return watchedFiles(settings, JSON_TYPES);
  },
  open: async (settings, context) => {
    const { createPbiJsonSource } = await import('./pbi-json-source.js');
    const { extractors, ...metadata } = settings.metadata;
    return createPbiJsonSource({
      ...fileSelection(settings, context),
      metadata,
      schema: settings.loader?.schema,
      extractors,
      markedFields: context.markedFields,
    });
  },
});
