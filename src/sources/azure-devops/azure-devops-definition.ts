import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { jsonValue, secretText, stringList, wholeNumber } from '../../core/setting-values.js';
import { needed, serviceFields, serviceOptions } from '../service-settings.js';
import { defineSource } from '../source-definition.js';

export const azureDevOpsDefinition = defineSource({
  type: 'azure_devops',
  about: 'Work items and wiki pages of an Azure DevOps project.',
  fields: {
    baseUrl: z
      .string()
      .default('https://dev.azure.com')
      .describe('Address of the service; of a server of your own the one above the collection.'),
    organization: z
      .string()
      .optional()
      .describe('Name of the organisation, or of the collection on a server of your own.'),
    project: z.string().optional().describe('Name of the project.'),
    auth: z
      .strictObject({
        pat: secretText().optional().describe('Personal access token. Always masked in output.'),
      })
      .optional()
      .describe('How to sign in.'),
    workItemTypes: stringList().default([]).describe('Types of work items to read; empty means all.'),
    fields: stringList().default([]).describe('Fields to read; empty means the usual ones.'),
    includeComments: z.boolean().default(true).describe('Read comments too.'),
    maxItems: wholeNumber(1).default(5000).describe('Most work items to read, the newest first.'),
    includeWikis: z
      .boolean()
      .default(true)
      .describe("Read the pages of the project's wikis too; the token then needs Wiki (Read)."),
    ...serviceFields,
    metadata: z.record(z.string(), jsonValue).default({}).describe('Facts added to every document.'),
  },
  open: async (settings, { key, markedFields }) => {
    const { name, baseUrl, organization, project, auth, metadata } = settings;
    const { workItemTypes, fields, includeComments, maxItems, includeWikis } = settings;
    const pat = auth?.pat?.reveal() ?? '';
    if (pat === '')
      throw new RAGError(
        'SECRET_MISSING',
        `${key}.auth.pat is missing: a personal access token that may read work items.`,
        { details: { key: `${key}.auth.pat` } },
      );
    const { createAzureDevOpsSource } = await import('./azure-devops-source.js');
    return createAzureDevOpsSource({
      name,
      baseUrl,
      organization: needed(organization, `${key}.organization`, 'the name of the organisation'),
      project: needed(project, `${key}.project`, 'the name of the project'),
      pat,
      workItemTypes,
      fields,
      includeComments,
      maxItems,
      includeWikis,
      ...serviceOptions(settings),
      markedFields,
      metadata,
    });
  },
});
