import { resolve } from 'node:path';
import { RAGError } from '../core/errors.js';
import type { SqlConnection } from '../sources/sql/sql-database.js';
import type { SqlSourceOptions } from '../sources/sql/sql-source.js';
import type { ResolvedConfig, ResolvedSource } from './resolved-config.js';

type SqlSettings = Extract<ResolvedSource, { type: 'sql' }>;

/**
 * What a `sql` source is opened with.
 *
 * @param key the setting that holds it, for messages.
 * @throws RAGError `CONFIG_INVALID` where the settings name no database, or two.
 */
export function sqlSourceOptions(
  settings: SqlSettings,
  key: string,
  { projectRoot, rag }: ResolvedConfig,
): SqlSourceOptions {
  const { name, timeoutMs } = settings;
  return {
    name,
    timeoutMs,
    connection: connectionOf(settings, key, projectRoot),
    maxDocumentBytes: rag.limits.maxFileBytes,
    metadata: settings.metadata,
    ...stated(settings),
  };
}

/** The part of the settings that decides what a row becomes: other than where it is, it changes documents. */
export const sqlMapping = (settings: SqlSettings): object => stated(settings);

/** The settings of the mapping that are there, by the names that the source has for them. */
function stated(settings: SqlSettings): Partial<SqlSourceOptions> {
  const { table, query, template, key, text, content, title, link, fields } = settings;
  const { createdAt, updatedAt, deletedAt, mediaType } = settings;
  return withoutUndefined({
    ...{ table, query, template, key, text, content, title, link, fields },
    ...{ createdAt, updatedAt, deletedAt, mediaType },
  });
}

function connectionOf(settings: SqlSettings, key: string, projectRoot: string): SqlConnection {
  const { path, connectionString, host, port, database, username, password, ssl } = settings;
  const isPostgres = connectionString !== undefined || host !== undefined || database !== undefined;
  if ((path !== undefined) === isPostgres || (connectionString !== undefined && host !== undefined))
    throw new RAGError(
      'CONFIG_INVALID',
      `${key}: name one database: \`path\` for SQLite, or \`connectionString\`, or \`host\` and \`database\` for PostgreSQL.`,
      { details: { key, source: settings.name } },
    );
  if (path !== undefined) return { dialect: 'sqlite', path: resolve(projectRoot, path) };
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

type Stated<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

// An absent setting is a missing key: with `exactOptionalPropertyTypes` undefined is no value.
const withoutUndefined = <T extends object>(settings: T): Stated<T> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Stated<T>;
