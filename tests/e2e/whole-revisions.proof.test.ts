import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEngine, type IndexResult } from '../../src/index.js';
import { SqliteDatabase } from '../../src/platform/sqlite/sqlite-database.js';
import { finished, ragstoneJson, startRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

const SECTIONS = 12;
const REVISIONS = 8;

/** A document whose every passage is another in every revision. */
const revisionText = (revision: number): string =>
  `# Almanac\n\n${Array.from(
    { length: SECTIONS },
    (_, i) => `## Section ${i}\n\nOn day ${i} the tide table of edition${revision} counts the harbour boats.`,
  ).join('\n\n')}\n`;

const CONFIG = 'rag:\n  provider: libsql\n  chunking: { maxSize: 40, overlap: 0 }\n';

/** Edition of every passage that one search finds. */
const editionsIn = (results: readonly { readonly content: string }[]): Set<string> =>
  new Set(results.flatMap(({ content }) => /edition\d+/.exec(content) ?? []));

/** What ledger and store hold at one moment: ids that only one of them has, and chunks that are under way. */
function disagreements(database: SqliteDatabase): unknown[] {
  return database.snapshot(() => [
    ...database.rows('SELECT row FROM store_chunk WHERE chunk_id NOT IN (SELECT chunk_id FROM chunk)'),
    ...database.rows('SELECT document FROM chunk WHERE chunk_id NOT IN (SELECT chunk_id FROM store_chunk)'),
    ...database.rows("SELECT id FROM document WHERE status <> 'indexed'"),
    ...database.rows('SELECT state FROM chunk WHERE state <> 0'),
  ]);
}

test('readers see whole revisions while another process replaces a document (libSQL)', async () => {
  const cwd = temporaryFolder({ 'ragstone.yaml': CONFIG, 'docs/almanac.md': revisionText(0) });
  const first = await ragstoneJson<IndexResult>(['index', 'docs'], { cwd });
  expect(first.document.stats.chunksCreated).toBeGreaterThan(4);
  const reader = await createEngine({ cwd, configFile: 'ragstone.yaml' });
  const database = SqliteDatabase.open(join(cwd, '.ragstone', 'ledger.db'), {
    readOnly: true,
    toError: (_, cause) => new Error('sqlite', { cause }),
  });
  const seen = new Set<string>();
  let searches = 0;
  try {
    for (let revision = 1; revision <= REVISIONS; revision++) {
      writeFileSync(join(cwd, 'docs/almanac.md'), revisionText(revision));
      const writer = finished(startRagstone(['index', 'docs', '--quiet'], { cwd }));
      let isWriting = true;
      const outcome = writer.finally(() => {
        isWriting = false;
      });
      while (isWriting) {
        const { results } = await reader.search({
          text: 'tide table of the harbour boats',
          options: { topK: 20, nearDuplicates: 'keep', minSimilarity: 0 },
        });
        const editions = editionsIn(results);
        expect([...editions]).toHaveLength(1);
        for (const edition of editions) seen.add(edition);
        expect(disagreements(database)).toEqual([]);
        searches++;
        // Lets the writer's end be noticed.
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await outcome).toMatchObject({ code: 0 });
    }
  } finally {
    database.close();
    await reader.close();
  }
  expect(searches).toBeGreaterThan(REVISIONS);
  expect(seen.size).toBeGreaterThan(REVISIONS / 2);
});
