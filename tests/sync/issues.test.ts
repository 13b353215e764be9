import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import {
  editedIssues,
  ISSUE_SOURCE,
  type Issue,
  readIssues,
  reportersOf,
} from '../../bench/sync/jira-issues.js';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import { eq } from '../../src/core/filter.js';
import { createEngine } from '../../src/index.js';
import { filesWith } from '../../src/testing/files-with.js';

const FOLDER = fileURLToPath(new URL('../../../shared/data/fixtures/jira-issues', import.meta.url));
/** `npm run bench:sync` takes all of them, from PostgreSQL. */
const issues = readIssues(FOLDER, 400);
if (issues === undefined) console.warn('skipped: issues of a database; the data is not there');

const COLUMNS = [
  'issuekey',
  'project',
  'title',
  'description',
  'storypoint',
  'reporter',
  'updated_at',
] as const;

function write(database: InstanceType<typeof Database>, rows: readonly Issue[]): void {
  const marks = COLUMNS.map(() => '?').join(', ');
  const statement = database.prepare(
    `INSERT OR REPLACE INTO issues (${COLUMNS.join(', ')}) VALUES (${marks})`,
  );
  database.exec('BEGIN');
  for (const row of rows) statement.run(COLUMNS.map((column) => row[column]));
  database.exec('COMMIT');
}

test.skipIf(issues === undefined)(
  'issues of a database: a sync after 50 edits does work for 50, and of a reporter who is forgotten nothing stays',
  async () => {
    const all = issues ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'ragstone-issues-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'issues.db');
    const database = new Database(path);
    onTestFinished(() => void database.close());
    database.exec(`CREATE TABLE issues (${COLUMNS.join(', ')}, PRIMARY KEY (issuekey))`);
    write(database, all);
    const dataDir = join(folder, 'data');
    const engine = await createEngine({
      config: { provider: 'libsql', sources: [{ ...ISSUE_SOURCE, path }] },
      cwd: folder,
      dataDir,
    });
    onTestFinished(() => engine.close());

    const { stats: first } = await engine.index();
    expect(first).toMatchObject({ documentsProcessed: all.length, errors: [] });

    write(database, editedIssues(all, 50));
    const { stats: again } = await engine.index();
    expect(again).toMatchObject({ documentsProcessed: 50, documentsUnchanged: all.length - 50, errors: [] });
    // Each edit is in one chunk; the others of its document keep their vectors.
    expect(again.embeddingsComputed).toBeGreaterThanOrEqual(50);
    expect(again.embeddingsComputed).toBeLessThan(100);

    const [name, count] = reportersOf(all)[0] ?? ['', 0];
    const last = name.split(' ').at(-1) ?? '';
    const words = [name, last, ...analyzeText(last)];
    for (const word of words.slice(0, 2)) expect(await filesWith(dataDir, word)).not.toEqual([]);
    const receipt = await engine.forget({ filter: eq('reporter', name) });
    expect(receipt.documents).toBe(count);
    for (const word of words) expect(await filesWith(dataDir, word)).toEqual([]);

    const { stats: after } = await engine.index();
    expect(after).toMatchObject({ documentsProcessed: 0, forgotten: { issues: count } });
    for (const word of words) expect(await filesWith(dataDir, word)).toEqual([]);
  },
);
