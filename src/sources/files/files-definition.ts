import * as z from 'zod';
import { jsonValue, stringList } from '../../core/setting-values.js';
import { fileFields, fileSelection } from '../file-settings.js';
import { siteUrl } from '../page-address.js';
import { defineSource } from '../source-definition.js';

export const filesDefinition = defineSource({
  type: 'files',
  about:
    'Files of every kind: Markdown, plain text, HTML, PDF, Word documents, source code; CSV, JSON and others where `paths` name them.',
  fields: {
    ...fileFields,
    paths: stringList()
      .default(['**'])
      .describe('Files and glob patterns, relative to `root`. `**` stands for documents and source code.'),
    siteUrl,
    gitignore: z.boolean().default(true).describe('Leave out what `.gitignore` files leave out.'),
    generated: z
      .boolean()
      .default(false)
      .describe('Read source files that nobody wrote too: vendored, minified, generated, lock files.'),
    frontmatterFields: stringList()
      .optional()
      .describe('Front matter fields that become metadata. Default: all.'),
    metadata: z
      .record(z.string(), jsonValue)
      .default({})
      .describe(
        'Facts added to every document. `sourceType` is what filters use; default: the kind of the file.',
      ),
  },
  processed: ({ generated, siteUrl }) => ({ generated, siteUrl }),
  watched: (settings) => async () => {
    const { DEFAULT_FILE_TYPES } = await import('../file-types.js');
    const { watchedFiles } = await import('../watched-files.js');
    return watchedFiles(settings, DEFAULT_FILE_TYPES);
  },
  open: async (settings, context) => {
    const { createFilesSource } = await import('./files-source.js');
    const { generated, metadata, siteUrl } = settings;
    return createFilesSource({
      ...fileSelection(settings, context),
      metadata,
      generated,
      siteUrl,
      sourceType: typeof metadata.sourceType === 'string' ? metadata.sourceType : undefined,
    });
  },
});
