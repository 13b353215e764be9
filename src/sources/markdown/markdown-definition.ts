import * as z from 'zod';
import { jsonValue, stringList } from '../../core/setting-values.js';
import { fileFields, fileSelection } from '../file-settings.js';
import { siteUrl } from '../page-address.js';
import { defineSource } from '../source-definition.js';

export const markdownDefinition = defineSource({
  type: 'markdown',
  about: 'Markdown files.',
  fields: {
    ...fileFields,
    siteUrl,
    gitignore: z.boolean().default(true).describe('Leave out what `.gitignore` files leave out.'),
    frontmatterFields: stringList()
      .optional()
      .describe('Front matter fields that become metadata. Default: all.'),
    metadata: z
      .record(z.string(), jsonValue)
      .default({})
      .describe('Facts added to every document; `sourceType` is what filters use.'),
  },
  processed: ({ siteUrl }) => ({ siteUrl }),
  watched: (settings) => async () => {
    const { MARKDOWN_TYPES } = await import('./markdown-source.js');
    const { watchedFiles } = await import('../watched-files.js');
    return watchedFiles(settings, MARKDOWN_TYPES);
  },
  open: async (settings, context) => {
    const { createMarkdownSource } = await import('./markdown-source.js');
    return createMarkdownSource({
      ...fileSelection(settings, context),
      metadata: settings.metadata,
      siteUrl: settings.siteUrl,
    });
  },
});
