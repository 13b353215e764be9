import * as z from 'zod';
import { chunkingSchema } from './chunking.js';
import { jsonValue, secretText, stringList, wholeNumber } from './values.js';

/** Source types that this version can read. */
export const BUILT_SOURCE_TYPES = [
  'markdown',
  'files',
  'pbi_json',
  'sql',
  'git',
  'confluence',
  'azure_devops',
] as const;
export type BuiltSourceType = (typeof BUILT_SOURCE_TYPES)[number];

const PBI_FIELD_TYPES = [
  ...(['string', 'number', 'boolean', 'object', 'any'] as const),
  ...(['string[]', 'number[]', 'boolean[]', 'object[]', 'any[]'] as const),
] as const;

const metadata = z.record(z.string(), jsonValue);

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
  autoIndex: z.boolean().default(false).describe('Index when the service starts.'),
  watch: z.boolean().default(false).describe('Index when a file changes.'),
  indexSchedule: z.string().optional().describe('When to index, as a cron expression.'),
  updateSchedule: z.string().optional().describe('When to fetch changes, as a cron expression.'),
  chunking: chunkingSchema
    .optional()
    .describe('Chunking of this source; what it leaves out comes from `rag.chunking`.'),
};

const files = {
  root: z
    .string()
    .min(1)
    .default('.')
    .describe(
      "Folder that `paths` and document ids are relative to, itself relative to the project's folder.",
    ),
  paths: stringList().describe('Files and glob patterns, relative to `root`.'),
  exclude: stringList().default([]).describe('Glob patterns that are left out.'),
  hidden: z
    .boolean()
    .default(false)
    .describe(
      'Read files and folders whose name starts with a dot. A pattern that names one reads it anyway.',
    ),
  followSymlinks: z.boolean().default(false).describe('Follow symbolic links that stay inside `root`.'),
  maxFileBytes: wholeNumber(1)
    .optional()
    .describe('Size limit of one file, in bytes. Default: `limits.maxFileBytes`.'),
};

const extractors = z
  .array(
    z.strictObject({
      field: z.string().min(1).describe('Field of the work item; `a.b` reaches inside.'),
      to: z.string().min(1).describe('Name of the metadata field it becomes.'),
    }),
  )
  .describe('Fields of a work item that become metadata.');

const markdown = z.strictObject({
  type: z.literal('markdown').describe('Markdown files.'),
  ...common,
  ...files,
  gitignore: z.boolean().default(true).describe('Leave out what `.gitignore` files leave out.'),
  frontmatterFields: stringList()
    .optional()
    .describe('Front matter fields that become metadata. Default: all.'),
  metadata: metadata.default({}).describe('Facts added to every document; `sourceType` is what filters use.'),
});

const everyFile = z.strictObject({
  type: z
    .literal('files')
    .describe(
      'Files of every kind: Markdown, plain text, HTML, PDF, Word documents, source code; CSV, JSON and others where `paths` name them.',
    ),
  ...common,
  ...files,
  paths: stringList()
    .default(['**'])
    .describe('Files and glob patterns, relative to `root`. `**` stands for documents and source code.'),
  gitignore: z.boolean().default(true).describe('Leave out what `.gitignore` files leave out.'),
  generated: z
    .boolean()
    .default(false)
    .describe('Read source files that nobody wrote too: vendored, minified, generated, lock files.'),
  frontmatterFields: stringList()
    .optional()
    .describe('Front matter fields that become metadata. Default: all.'),
  metadata: metadata
    .default({})
    .describe(
      'Facts added to every document. `sourceType` is what filters use; default: the kind of the file.',
    ),
});

const pbiJson = z.strictObject({
  type: z.literal('pbi_json').describe('Work items in JSON files: one object, a list, or one object a line.'),
  ...common,
  ...files,
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
        .describe('Fields of a work item and their types (`string`, `number`, `boolean`, `string[]`, ...).'),
    })
    .optional()
    .describe('How the files are read.'),
  metadata: z
    .object({ extractors: extractors.optional() })
    .catchall(jsonValue)
    .default({})
    .describe('Facts added to every document, and `extractors` that copy fields.'),
});

const service = {
  completeListingHours: z
    .number()
    .min(0)
    .default(24)
    .describe(
      'Hours after which everything is listed again, for what the service does not tell: deletions, moves, restrictions.',
    ),
  accessGroups: stringList()
    .default(['*'])
    .describe('Groups that find what the service does not restrict. `*` is everyone in the tenant.'),
  allowPrivateNetwork: z
    .boolean()
    .default(false)
    .describe(
      'The configured address may lie in a private network. No other private address is ever opened.',
    ),
};

const confluence = z.strictObject({
  type: z.literal('confluence').describe('Pages of a Confluence site.'),
  ...common,
  baseUrl: z.string().optional().describe('Address of the site.'),
  deployment: z
    .enum(['auto', 'cloud', 'data-center'])
    .default('auto')
    .describe('Kind of site. `auto`: Cloud where the address ends in `.atlassian.net`.'),
  spaceKeys: stringList().default([]).describe('Keys of the spaces to read.'),
  auth: z
    .strictObject({
      username: z.string().optional().describe('User name or e-mail address.'),
      apiToken: secretText().optional().describe('API token. Always masked in output.'),
      personalAccessToken: secretText().optional().describe('Token of a data centre site. Always masked.'),
    })
    .optional()
    .describe('How to sign in.'),
  syncOptions: z
    .strictObject({
      includeAttachments: z.boolean().default(false).describe('Read attached files too.'),
      includeComments: z.boolean().default(true).describe('Read comments too.'),
      maxPages: wholeNumber(1).default(1000).describe('Most pages to read.'),
    })
    .prefault({})
    .describe('What to read.'),
  ...service,
  metadata: metadata.default({}).describe('Facts added to every document.'),
});

const azureDevOps = z.strictObject({
  type: z.literal('azure_devops').describe('Work items and wiki pages of an Azure DevOps project.'),
  ...common,
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
  ...service,
  metadata: metadata.default({}).describe('Facts added to every document.'),
});

const git = z.strictObject({
  type: z.literal('git').describe('Files of a Git repository at a commit.'),
  ...common,
  repository: z
    .string()
    .min(1)
    .default('.')
    .describe(
      "A folder, relative to the project's, or an address: `https://`, `ssh://`, `file://`, `user@host:path`.",
    ),
  ref: z.string().min(1).default('HEAD').describe('Branch, tag or commit.'),
  paths: stringList()
    .default(['**'])
    .describe(
      'Files and glob patterns, relative to the repository. `**` stands for documents and source code.',
    ),
  exclude: stringList().default([]).describe('Glob patterns that are left out.'),
  generated: z
    .boolean()
    .default(false)
    .describe('Read source files that nobody wrote too: vendored, minified, generated, lock files.'),
  history: z
    .boolean()
    .default(true)
    .describe('Read the history: authors, dates, and an identity that renames keep.'),
  maxFileBytes: wholeNumber(1)
    .optional()
    .describe('Size limit of one file, in bytes. Default: `limits.maxFileBytes`.'),
  link: z.string().min(1).optional().describe('Address of a file for people, with `{commit}` and `{path}`.'),
  auth: z
    .strictObject({
      username: z.string().min(1).optional().describe('User name. Default: what hosts take beside a token.'),
      token: secretText().describe('Access token for https. Always masked in output.'),
    })
    .optional()
    .describe('How to sign in.'),
  frontmatterFields: stringList()
    .optional()
    .describe('Front matter fields that become metadata. Default: all.'),
  metadata: metadata
    .default({})
    .describe(
      'Facts added to every document. `sourceType` is what filters use; default: the kind of the file.',
    ),
});

const sqlConnection = {
  path: z.string().min(1).optional().describe("SQLite: the file, relative to the project's folder."),
  connectionString: secretText()
    .optional()
    .describe('PostgreSQL: `postgres://user:password@host:5432/database`. Always masked in output.'),
  host: z.string().min(1).optional().describe('PostgreSQL: host name, or the folder of a Unix socket.'),
  port: wholeNumber(1).optional().describe('PostgreSQL: port. Default: 5432.'),
  database: z.string().min(1).optional().describe('PostgreSQL: name of the database.'),
  username: z.string().min(1).optional().describe('PostgreSQL: a role that may read, and nothing else.'),
  password: secretText().optional().describe('PostgreSQL: its password. Always masked in output.'),
  ssl: z.boolean().optional().describe('PostgreSQL: encrypt the connection and verify the server.'),
  timeoutMs: wholeNumber(1)
    .default(30_000)
    .describe('Longest time of one statement in milliseconds; for SQLite, longest wait for a lock.'),
};

const sql = z.strictObject({
  type: z.literal('sql').describe('Rows of a PostgreSQL or SQLite database.'),
  ...common,
  ...sqlConnection,
  table: z
    .string()
    .min(1)
    .optional()
    .describe("Table or view, with its schema where it needs one: `public.bugs`. Default: the template's."),
  query: z.string().min(1).optional().describe('A SELECT instead of a table. It runs read-only.'),
  template: z
    .enum(['bug_report', 'investigation', 'finding'])
    .optional()
    .describe(
      'Built-in mapping of a table of a bug database; what the other settings state goes over its part of it.',
    ),
  key: stringList().optional().describe('Column that tells rows apart, or several that do together.'),
  text: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Text of a document, with `{column}` for values and `{column|; }` for the members of a list. A line without values is left out.',
    ),
  content: stringList().optional().describe('Instead of `text`: columns that are the document.'),
  title: z.string().min(1).optional().describe('Title of a document, with `{column}` for values.'),
  link: z.string().min(1).optional().describe('Address of a row for people, with `{column}` for values.'),
  fields: z
    .union([stringList(), z.record(z.string(), z.string())])
    .optional()
    .describe('Columns that become metadata: a list, or names with their columns.'),
  createdAt: z.string().min(1).optional().describe('Column with the time of creation.'),
  updatedAt: z
    .string()
    .min(1)
    .optional()
    .describe('Column that changes with every change of the row. Without it rows are compared by hash.'),
  deletedAt: z
    .string()
    .min(1)
    .optional()
    .describe('Column that marks a deleted row: not null, not false, not 0.'),
  mediaType: z
    .enum(['text/plain', 'text/markdown', 'text/html'])
    .optional()
    .describe('What the text is. Default: plain text; Markdown for several `content` columns.'),
  metadata: metadata
    .default({})
    .describe(
      'Facts added to every document; `sourceType` is what filters use. Default: `sql`, or the template.',
    ),
});

/** One entry of `rag.sources`, told apart by `type`. */
export const sourceSchema = z.discriminatedUnion('type', [
  markdown,
  everyFile,
  pbiJson,
  confluence,
  azureDevOps,
  sql,
  git,
]);

/** One source as the configuration gives it, defaults filled. */
export type SourceSettings = z.output<typeof sourceSchema>;

/** `rag.sources`: where documents come from. */
export const sourcesSchema = z.array(sourceSchema).default([]).describe('Where documents come from.');
