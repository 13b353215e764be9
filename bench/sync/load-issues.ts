/**
 * `tsx bench/sync/load-issues.ts URL [COUNT]`: the Jira issues of the shared data in a table `issues` of a PostgreSQL, each with a seeded
 * reporter and `updated_at`. A table of that name is replaced.
 */

import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { slicesOf } from '../../src/core/slices.js';
import { SHARED } from '../shared/places.js';
import { type Issue, readIssues } from './jira-issues.js';

/** Rows of one statement. */
const ROWS = 1_000;
const COLUMNS = [
  'issuekey',
  'project',
  'title',
  'description',
  'storypoint',
  'reporter',
  'updated_at',
] as const;

export const JIRA_FOLDER = `${SHARED}data/fixtures/jira-issues`;

/** Puts them into a new table. */
export async function loadIssues(client: pg.Client, issues: readonly Issue[]): Promise<void> {
  await client.query('DROP TABLE IF EXISTS issues');
  await client.query(
    `CREATE TABLE issues (issuekey text PRIMARY KEY, project text NOT NULL, title text NOT NULL, description text NOT NULL,
      storypoint integer NOT NULL, reporter text NOT NULL, updated_at timestamptz NOT NULL)`,
  );
  await client.query('BEGIN');
  for (const rows of slicesOf(issues, ROWS)) {
    await client.query(
      `INSERT INTO issues (${COLUMNS.join(', ')})
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::timestamptz[])`,
      COLUMNS.map((column) => rows.map((row) => row[column])),
    );
  }
  await client.query('COMMIT');
  await client.query('ANALYZE issues');
}

/** What somebody edited. */
export async function updateIssues(client: pg.Client, issues: readonly Issue[]): Promise<void> {
  for (const { issuekey, description, updated_at } of issues)
    await client.query('UPDATE issues SET description = $2, updated_at = $3 WHERE issuekey = $1', [
      issuekey,
      description,
      updated_at,
    ]);
}

/** Work with a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [url, count] = process.argv.slice(2);
  const issues = readIssues(JIRA_FOLDER, count === undefined ? Infinity : Number(count));
  if (url === undefined || issues === undefined) {
    console.error(
      issues === undefined
        ? `The issues are not there: ${JIRA_FOLDER}.`
        : 'Usage: tsx bench/sync/load-issues.ts URL [COUNT]',
    );
    process.exit(2);
  }
  await withClient(url, (client) => loadIssues(client, issues));
  console.log(`${issues.length} issues are loaded.`);
}
