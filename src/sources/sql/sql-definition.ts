import { resolve } from 'node:path';
import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { jsonValue, nonEmptyText, secretText, stringList, wholeNumber } from '../../core/setting-values.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { linkTemplate } from '../page-address.js';
import { defineSource, type SourceContext, type SourceSettingsOf } from '../source-definition.js';
import type { SqlConnection } from './sql-database.js';
import type { SqlSourceOptions } from './sql-source.js';

const sqlConnection = {
  path: nonEmptyText().optional().describe("SQLite: the file, relative to the project's folder."),
  connectionString: secretText()
    .optional()
    .describe('PostgreSQL: `postgres://user:password@host:5432/database`. Always masked in output.'),
  host: nonEmptyText().optional().describe('PostgreSQL: host name, or the folder of a Unix socket.'),
  port: wholeNumber(1).optional().describe('PostgreSQL: port. Default: 5432.'),
  database: nonEmptyText().optional().describe('PostgreSQL: name of the database.'),
  username: nonEmptyText().optional().describe('PostgreSQL: a role that may read, and nothing else.'),
  password: secretText().optional().describe('PostgreSQL: its password. Always masked in output.'),
  ssl: z.boolean().optional().describe('PostgreSQL: encrypt the connection and verify the server.'),
  timeoutMs: wholeNumber(1)
    .default(30_000)
    .describe('Longest time of one statement in milliseconds; for SQLite, longest wait for a lock.'),
};

const sqlFields = {
  ...sqlConnection,
  table: nonEmptyText()
    .optional()
    .describe("Table or view, with its schema where it needs one: `public.bugs`. Default: the template's."),
  query: nonEmptyText().optional().describe('A SELECT instead of a table. It runs read-only.'),
  template: z
    .enum(['bug_report', 'investigation', 'finding'])
    .optional()
    .describe(
      'Built-in mapping of a table of a bug database; what the other settings state goes over its part of it.',
    ),
  key: stringList().optional().describe('Column that tells rows apart, or several that do together.'),
  text: nonEmptyText()
    .optional()
    .describe(
      'Text of a document, with `{column}` for values and `{column|; }` for the members of a list. A line without values is left out.',
    ),
  content: stringList().optional().describe('Instead of `text`: columns that are the document.'),
  title: nonEmptyText().optional().describe('Title of a document, with `{column}` for values.'),
  link: linkTemplate('https://bugs.example/{id}').describe(
    'Address of a row for people, `http` or `https`, with `{column}` for values.',
  ),
  fields: z
    .union([stringList(), z.record(z.string(), z.string())])
    .optional()
    .describe('Columns that become metadata: a list, or names with their columns.'),
  createdAt: nonEmptyText().optional().describe('Column with the time of creation.'),
  updatedAt: nonEmptyText()
    .optional()
    .describe('Column that changes with every change of the row. Without it rows are compared by hash.'),
  deletedAt: nonEmptyText()
    .optional()
    .describe('Column that marks a deleted row: not null, not false, not 0.'),
  mediaType: z
    .enum(['text/plain', 'text/markdown', 'text/html'])
    .optional()
    .describe('What the text is. Default: plain text; Markdown for several `content` columns.'),
  metadata: z
    .record(z.string(), jsonValue)
    .default({})
    .describe(
      'Facts added to every document; `sourceType` is what filters use. Default: `sql`, or the template.',
    ),
};

type SqlSettings = SourceSettingsOf<typeof sqlFields>;

export const sqlDefinition = defineSource({
  type: 'sql',
  about: 'Rows of a PostgreSQL or SQLite database.',
  fields: sqlFields,
  sourceType: ({ template = 'sql' }) => template,
  // Where the rows are changes nothing in the documents.
  processed: (settings) => ({ mapping: mappingOf(settings) }),
  open: async (settings, context) => {
    const { maxFileBytes, markedFields } = context;
    const { createSqlSource } = await import('./sql-source.js');
    return createSqlSource({
      name: settings.name,
      timeoutMs: settings.timeoutMs,
      connection: connectionOf(settings, context),
      maxDocumentBytes: maxFileBytes,
      markedFields,
      metadata: settings.metadata,
      ...mappingOf(settings),
    });
  },
});

/** The settings that decide what a row becomes, by the names that the source has for them. */
function mappingOf(settings: SqlSettings): Partial<SqlSourceOptions> {
  const { table, query, template, key, text, content, title, link, fields } = settings;
  const { createdAt, updatedAt, deletedAt, mediaType } = settings;
  return withoutUndefined({
    ...{ table, query, template, key, text, content, title, link, fields },
    ...{ createdAt, updatedAt, deletedAt, mediaType },
  });
}

function connectionOf(
  settings: SqlSettings,
  { key, projectRoot, confinement }: SourceContext,
): SqlConnection {
  const { path, connectionString, host, port, database, username, password, ssl } = settings;
  const isPostgres = connectionString !== undefined || host !== undefined || database !== undefined;
  if ((path !== undefined) === isPostgres || (connectionString !== undefined && host !== undefined))
    throw new RAGError(
      'CONFIG_INVALID',
      `${key}: name one database: \`path\` for SQLite, or \`connectionString\`, or \`host\` and \`database\` for PostgreSQL.`,
      { details: { key, source: settings.name } },
    );
  if (path !== undefined)
    return { dialect: 'sqlite', path: resolve(projectRoot, path), assertRoot: confinement?.assertRoot };
  return {
    dialect: 'postgres',
    ...withoutUndefined({
      connectionString: connectionString?.reveal(),
      password: password?.reveal(),
      user: username,
      ...{ host, port, database, ssl },
    }),
  };
}
