import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Models, openModels } from 'ragstone';
import { saveBugs } from '../src/bugs.js';
import type { Database } from '../src/database.js';
import { createEmbeddings } from '../src/embeddings.js';
import {
  type Indexer,
  indexBugReport,
  indexFinding,
  indexInvestigation,
  reindexAll,
} from '../src/indexer.js';
import { loadBugs, sampleBugs } from '../src/load-bugs.js';
import { DIMENSIONS, migrate } from '../src/schema.js';
import { deleteBySource, getStats, similaritySearch, storeEmbeddings } from '../src/vector-store.js';
import { TEST_DATABASES } from './test-database.js';

const FINDING = '00000000-0000-4000-8000-000001000001';

for (const { kind, skip, open } of TEST_DATABASES)
  describe(`on ${kind}`, { skip }, () => {
    let database: Database;
    let drop: () => Promise<void>;
    let models: Models;
    let indexer: Indexer;

    before(async () => {
      ({ database, drop } = await open());
      models = await openModels({ config: {} });
      indexer = { database, embeddings: createEmbeddings(models, 'builtin') };
      await migrate(database);
    });
    after(async () => {
      await models?.close();
      await drop?.();
    });
    beforeEach(async () => {
      await database.query('TRUNCATE rag_documents, bug_reports CASCADE');
      await loadBugs(database, undefined);
    });

    const rowsOf = (sourceId: string) =>
      database.query<{ id: string; chunk_text: string }>(
        'SELECT id, chunk_text FROM rag_documents WHERE source_id = $1',
        [sourceId],
      );

    test('the extension, the table and its two indexes are made where they are missing', async () => {
      const columns = await database.query<{ name: string; type: string }>(
        `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
         WHERE attrelid = 'rag_documents'::regclass AND attnum > 0 ORDER BY attnum`,
      );
      assert.deepEqual(
        columns.map(({ name, type }) => [name, type]),
        [
          ['id', 'uuid'],
          ['source_type', 'character varying(30)'],
          ['source_id', 'character varying(100)'],
          ['chunk_text', 'text'],
          ['chunk_metadata', 'jsonb'],
          ['embedding', 'vector(384)'],
          ['created_at', 'timestamp with time zone'],
          ['updated_at', 'timestamp with time zone'],
        ],
      );
      await database.query('DROP INDEX idx_rag_documents_embedding_hnsw');
      await migrate(database);
      const indexes = await database.query<{ indexname: string; indexdef: string }>(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'rag_documents' ORDER BY indexname",
      );
      const [hnsw, source] = indexes;
      assert.match(
        hnsw?.indexdef ?? '',
        /hnsw \(embedding vector_cosine_ops\) WITH \(m='16', ef_construction='64'\)/,
      );
      assert.match(source?.indexdef ?? '', /idx_rag_documents_source .*btree \(source_type, source_id\)/);
    });

    test('a table with vectors of another length is refused', async () => {
      await database.query('ALTER TABLE rag_documents RENAME TO kept');
      await database.query(
        'CREATE TABLE rag_documents (source_type text, source_id text, embedding vector(3))',
      );
      await assert.rejects(migrate(database), /vectors of 3 dimensions/);
      await database.query('DROP TABLE rag_documents');
      await database.query('ALTER TABLE kept RENAME TO rag_documents');
      await migrate(database);
    });

    test('everything is indexed, one document a row, and again without a double', async () => {
      const counts = { bug_reports: 12, investigations: 10, findings: 12 };
      assert.deepEqual(await reindexAll(indexer), counts);
      await database.query("DELETE FROM bug_reports WHERE bug_id = 'BUG-001'");
      assert.deepEqual(await reindexAll(indexer), { bug_reports: 11, investigations: 9, findings: 10 });
      assert.deepEqual((await getStats(database)).by_type, { bug_report: 11, finding: 10, investigation: 9 });
    });

    test('one report is indexed anew after it changes, and removed after it has gone', async () => {
      await reindexAll(indexer);
      await database.query("UPDATE bug_reports SET status = 'reopened' WHERE bug_id = 'BUG-010'");
      assert.equal(await indexBugReport(indexer, 'BUG-010'), 1);
      const rows = await rowsOf('BUG-010');
      assert.equal(rows.length, 1);
      assert.match(rows[0]?.chunk_text ?? '', /Status: reopened/);
      await database.query("DELETE FROM bug_reports WHERE bug_id = 'BUG-010'");
      assert.equal(await indexBugReport(indexer, 'BUG-010'), 0);
      assert.deepEqual(await rowsOf('BUG-010'), []);
    });

    test('an investigation and a finding are indexed by their ids', async () => {
      assert.equal(await indexInvestigation(indexer, 'BUG-001'), 1);
      assert.equal(await indexFinding(indexer, FINDING), 1);
      assert.equal(await indexFinding(indexer, FINDING), 1);
      assert.equal((await rowsOf(`BUG-001:${FINDING}`)).length, 1);
      await database.query('DELETE FROM investigation_findings WHERE id = $1', [FINDING]);
      assert.equal(await indexFinding(indexer, FINDING), 0);
      assert.deepEqual((await getStats(database)).by_type, { investigation: 1 });
    });

    test('rows of another program for the same source are replaced, and its others stay', async () => {
      const foreign = `INSERT INTO rag_documents (source_type, source_id, chunk_text, embedding)
        SELECT $1, $2, 'foreign', array_fill(0.1, ARRAY[${DIMENSIONS}])::vector`;
      const others = [
        ['bug_report', 'BUG-001'],
        ['bug_report', 'OTHER-1'],
        ['runbook', 'BUG-001'],
      ];
      for (const source of others) await database.query(foreign, source);
      await indexBugReport(indexer, 'BUG-001');
      await reindexAll(indexer);
      const left = await database.query<{ source_type: string; source_id: string }>(
        "SELECT source_type, source_id FROM rag_documents WHERE chunk_text = 'foreign' ORDER BY source_type",
      );
      assert.deepEqual(
        left.map(({ source_type, source_id }) => [source_type, source_id]),
        others.slice(1),
      );
      assert.equal((await rowsOf('BUG-001')).length, 3);
    });

    test('those that index one report at once leave one document of it', async () => {
      await Promise.all(Array.from({ length: 8 }, () => indexBugReport(indexer, 'BUG-002')));
      await Promise.all([
        reindexAll(indexer),
        indexBugReport(indexer, 'BUG-002'),
        indexBugReport(indexer, 'BUG-002'),
      ]);
      assert.equal((await rowsOf('BUG-002')).length, 2);
    });

    // PGlite has one connection, so there they take turns in any case, and nobody could look on.
    test('a report waits for a run over everything', { skip: kind === 'PGlite' }, async () => {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const { embedTexts } = indexer.embeddings;
      const slow = async (texts: readonly string[]) => {
        await released;
        return embedTexts(texts);
      };
      const hasLock = async (isGranted: boolean): Promise<boolean> => {
        const sql = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted = $1
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
        return (await database.query(sql, [isGranted])).length > 0;
      };
      const all = reindexAll({ ...indexer, embeddings: { ...indexer.embeddings, embedTexts: slow } });
      while (!(await hasLock(true))) await setImmediate();
      let isDone = false;
      const one = indexBugReport(indexer, 'BUG-002').finally(() => {
        isDone = true;
      });
      while (!isDone && !(await hasLock(false))) await setImmediate();
      const hasWaited = !isDone;
      release();
      await Promise.all([all, one]);
      assert.equal(hasWaited, true);
      assert.equal((await rowsOf('BUG-002')).length, 2);
    });

    test('a run that fails leaves what was indexed before', async () => {
      await indexBugReport(indexer, 'BUG-003');
      const before = await rowsOf('BUG-003');
      const broken = {
        ...indexer,
        embeddings: { ...indexer.embeddings, embedTexts: async () => [[1, 2, 3]] },
      };
      await assert.rejects(indexBugReport(broken, 'BUG-003'), /384/);
      assert.deepEqual(await rowsOf('BUG-003'), before);
    });

    test('texts become unit vectors of 384 dimensions, and the nearest is found by cosine', async () => {
      const { embedTexts, embedQuery, model } = indexer.embeddings;
      const texts = ['The certificate had expired.', 'Images are turned by 90 degrees.'];
      const vectors = await embedTexts(texts);
      for (const vector of vectors) {
        assert.equal(vector.length, DIMENSIONS);
        assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
      }
      assert.deepEqual(await embedTexts([]), []);
      const documents = texts.map((chunk_text, index) => ({
        source_type: 'finding' as const,
        source_id: `T-${index}`,
        chunk_text,
        chunk_metadata: {},
        embedding: vectors[index] ?? [],
        model,
      }));
      assert.equal(await storeEmbeddings(database, documents), 2);
      const embedding = await embedQuery('an expired certificate');
      const [first, second] = await similaritySearch(database, { embedding, model }, 2);
      assert.equal(first?.source_id, 'T-0');
      assert.ok((first?.similarity ?? 0) > (second?.similarity ?? 1));
      const cosine = embedding.reduce((sum, value, at) => sum + value * (vectors[0]?.[at] ?? 0), 0);
      assert.ok(Math.abs((first?.similarity ?? 0) - cosine) < 1e-4);
      assert.equal((await similaritySearch(database, { embedding, model }, 1)).length, 1);
      assert.deepEqual(await similaritySearch(database, { embedding, model: 'another' }, 2), []);
    });

    test('rows of the prototype are found by its model', async () => {
      const zeros = Array.from({ length: DIMENSIONS }, (_, at) => (at === 0 ? 1 : 0));
      await database.query(
        `INSERT INTO rag_documents (source_type, source_id, chunk_text, embedding) VALUES ('finding', 'P-1', 'x', $1::vector)`,
        [JSON.stringify(zeros)],
      );
      const found = await similaritySearch(database, { embedding: zeros, model: 'all-MiniLM-L6-v2' }, 5);
      assert.deepEqual(
        found.map(({ source_id }) => source_id),
        ['P-1'],
      );
      const minilm = createEmbeddings(models, 'transformers:Xenova/all-MiniLM-L6-v2');
      assert.equal(minilm.model, 'all-MiniLM-L6-v2');
    });

    test('a source is deleted, and counts tell it', async () => {
      assert.deepEqual(await getStats(database), { total_documents: 0, by_type: {}, last_indexed_at: null });
      await reindexAll(indexer);
      assert.equal(await deleteBySource(database, 'investigation', 'BUG-001'), 1);
      assert.equal(await deleteBySource(database, 'investigation', 'BUG-001'), 0);
      const { total_documents, by_type, last_indexed_at } = await getStats(database);
      assert.deepEqual([total_documents, by_type], [33, { bug_report: 12, finding: 12, investigation: 9 }]);
      assert.match(last_indexed_at ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    });

    const hadoop = process.env.TEST_HADOOP_BUGS;
    const noHadoop = hadoop === undefined ? 'TEST_HADOOP_BUGS names no file of Hadoop bugs' : false;

    test('bugs of Hadoop are loaded, indexed and found by their titles', { skip: noHadoop }, async () => {
      await database.query('TRUNCATE bug_reports CASCADE');
      assert.match(
        await loadBugs(database, hadoop),
        /^Loaded 2503 Hadoop bugs, \d+ investigations, \d+ findings\.$/,
      );
      // PGlite makes the vector index in WebAssembly, which takes minutes for all of them.
      if (kind === 'PGlite')
        await database.query(
          `DELETE FROM bug_reports WHERE bug_id <> 'JIRA-13404344'
           AND bug_id NOT IN (SELECT bug_id FROM bug_reports ORDER BY bug_id LIMIT 300)`,
        );
      const [loaded] = await database.query<{ bugs: number }>(
        'SELECT count(*)::int AS bugs FROM bug_reports',
      );
      const counts = await reindexAll(indexer);
      assert.equal(counts.bug_reports, loaded?.bugs);
      assert.ok(counts.investigations > counts.bug_reports / 6 && counts.findings > counts.bug_reports / 30);
      const embedding = await indexer.embeddings.embedQuery(
        'JAR in conflict with timestamp check causes AM errors',
      );
      const found = await similaritySearch(database, { embedding, model: indexer.embeddings.model }, 5);
      assert.ok(found.some(({ source_id }) => source_id === 'JIRA-13404344'));
    });

    test('bugs are loaded twice without a change', async () => {
      const bugs = await sampleBugs();
      await database.transaction((transaction) => saveBugs(transaction, bugs));
      const [count] = await database.query<{ bugs: number }>('SELECT count(*)::int AS bugs FROM bug_reports');
      assert.equal(count?.bugs, bugs.length);
    });
  });

test('a PostgreSQL server is used where an address names one', {
  skip: TEST_DATABASES[1]?.skip ?? true,
}, async () => {
  const opened = await TEST_DATABASES[1]?.open();
  const [row] = (await opened?.database.query<{ version: string }>('SELECT version()')) ?? [];
  await opened?.drop();
  assert.match(row?.version ?? '', /^PostgreSQL/);
  assert.doesNotMatch(row?.version ?? '', /emscripten|wasm/i);
});
