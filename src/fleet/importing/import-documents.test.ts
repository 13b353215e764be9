import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { eq } from '../../core/filter.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Engine } from '../../operations/engine.js';
import { type ImportRequest, importDocuments } from './import-documents.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function requestOf(rag: object, more: Partial<ImportRequest> = {}): Promise<ImportRequest> {
  const configFile = join(folder, 'prototype.yaml');
  await writeFile(configFile, JSON.stringify({ rag }));
  return { from: { configFile }, to: { config: { provider: 'libsql' } }, cwd: folder, ...more };
}

async function withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await createEngine({ cwd: folder, config: { provider: 'libsql' } });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

test('of a store that no prototype has is refused, with what to do', async () => {
  await expect(importDocuments(await requestOf({ provider: 'libsql' }))).rejects.toMatchObject({
    reason: 'CONFIG_INVALID',
    message: expect.stringMatching(/postgres.*chroma.*ragstone migrate/s) as string,
  });
});

withTestServer(
  { describe, it: test },
  { store: 'chroma', variable: 'RAGSTONE_TEST_CHROMA_URL', contract: 'import' },
  (url) => {
    describe('Import of a Chroma collection', () => {
      let name: string;
      const base = `${url}/api/v2/tenants/default_tenant/databases/default_database/collections`;
      const post = async (path: string, body: object): Promise<{ readonly id: string }> => {
        const response = await fetch(`${base}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        if (!response.ok) throw new Error(await response.text());
        return (await response.json()) as { id: string };
      };
      let id: string;
      // As the Python client makes it, which names its default model.
      beforeEach(async () => {
        name = `prototype-${randomUUID()}`;
        const embedding_function = { type: 'known', name: 'default', config: {} };
        ({ id } = await post('', { name, configuration: { embedding_function } }));
      });
      afterEach(() => fetch(`${base}/${name}`, { method: 'DELETE' }));
      const add = (
        records: readonly { readonly id: string; readonly text: string; readonly metadata: object | null }[],
      ) =>
        post(`/${id}/upsert`, {
          ids: records.map((record) => record.id),
          documents: records.map(({ text }) => text),
          metadatas: records.map(({ metadata }) => metadata),
          embeddings: records.map(() => [1, 0, 0, 0]),
        });
      const request = (more?: Partial<ImportRequest>) =>
        requestOf({ provider: 'chroma', storage: { server: { url } } }, { collection: name, ...more });

      test('of whole documents: ids, texts and metadata stay; twice is once', async () => {
        await add([
          {
            id: 'prd-7',
            text: 'The gondola waits for passengers.',
            metadata: { type: 'prd', version: 3, approved: true },
          },
          { id: 'docs/plan.md', text: '# Plan\n\nThe marmalade queue is drained hourly.', metadata: null },
          { id: 'nothing', text: ' ', metadata: null },
        ]);
        const first = await importDocuments(await request());
        expect(first).toMatchObject({
          records: 3,
          documents: 3,
          imported: 2,
          unchanged: 0,
          failed: 0,
          empty: 1,
        });
        expect(first.notices.join()).toContain('"nothing"');
        expect(await importDocuments(await request())).toMatchObject({ imported: 0, unchanged: 2 });
        await withEngine(async (engine) => {
          const document = await engine.get('prd-7');
          expect(document).toMatchObject({ text: 'The gondola waits for passengers.' });
          expect(document?.metadata).toMatchObject({ type: 'prd', version: 3, approved: true });
          const { results } = await engine.search({ text: 'marmalade queue' });
          expect(results[0]?.metadata.source).toBe('docs/plan.md');
        });
      });

      test('of pieces: joined in order, overlaps once, projects apart, what is missing is said', async () => {
        const text =
          'The first quarter was calm. Every delivery was on time. The second quarter was wild. Nothing arrived.';
        const metadata = (index: number, more: object = {}) => ({
          source_id: 'report',
          source_type: 'markdown',
          source_path: 'docs/report.md',
          chunk_index: index,
          chunk_total: 2,
          title: 'Quarters',
          created_at: '2025-01-02T00:00:00Z',
          updated_at: '2025-01-03T00:00:00Z',
          tags: '["finance", "2025"]',
          ...more,
        });
        await add([
          { id: 'b', text: text.slice(40), metadata: metadata(1) },
          { id: 'a', text: text.slice(0, 70), metadata: metadata(0) },
          {
            id: 'c',
            text: 'Of another project.',
            metadata: metadata(0, { project_id: 'apollo', chunk_total: 3 }),
          },
        ]);
        const ofNovel = (index: number) => ({ source_id: 'novel', chunk_index: index, chunk_total: 2 });
        await add([
          { id: 'y', text: text.slice(40), metadata: ofNovel(1) },
          { id: 'z', text: text.slice(0, 70), metadata: ofNovel(0) },
        ]);
        const result = await importDocuments(await request());
        expect(result).toMatchObject({ records: 5, documents: 3, imported: 3, failed: 0 });
        expect(result.notices.join('\n')).toMatch(/missing there of "report".*\n?.*"apollo"/s);
        await withEngine(async (engine) => {
          const whole = await engine.list({ limit: 10 });
          expect(whole.documents).toHaveLength(3);
          expect((await engine.get('novel'))?.text).toBe(text);
          const found = await engine.search({ text: 'second quarter', filter: eq('sourceType', 'markdown') });
          expect(found.results[0]?.metadata).toMatchObject({
            title: 'Quarters',
            sourceType: 'markdown',
            source: 'docs/report.md',
            createdAt: new Date('2025-01-02T00:00:00Z'),
            tags: ['finance', '2025'],
          });
          const apollo = await engine.get('report', { tenant: 'default', project: 'apollo' });
          expect(apollo?.text).toBe('Of another project.');
        });
      });

      test('an import that is stopped in the middle goes on', async () => {
        const many = Array.from({ length: 650 }, (_, i) => ({
          id: `d${i}`,
          text: `Document number ${i} is about the letter ${String.fromCharCode(97 + (i % 26))}.`,
          metadata: null,
        }));
        await add(many);
        const stop = new AbortController();
        const stopped = importDocuments(
          await request({ signal: stop.signal, onProgress: () => stop.abort() }),
        );
        await expect(stopped).rejects.toMatchObject({ reason: 'ABORTED' });
        const { imported, unchanged } = await importDocuments(await request());
        expect(unchanged).toBeGreaterThanOrEqual(300);
        expect(imported + unchanged).toBe(650);
      });

      test('a dry run writes nothing, and what is not there is named', async () => {
        await add([{ id: 'a', text: 'Something.', metadata: null }]);
        expect(await importDocuments(await request({ dryRun: true }))).toMatchObject({
          documents: 1,
          imported: 0,
        });
        await withEngine(async (engine) => expect(await engine.get('a')).toBeUndefined());
        await expect(importDocuments(await request({ collection: 'not-there' }))).rejects.toMatchObject({
          reason: 'COLLECTION_NOT_FOUND',
          message: expect.stringContaining(name) as string,
        });
      });
    });
  },
);

withTestServer(
  { describe, it: test },
  { store: 'postgres', variable: 'RAGSTONE_TEST_POSTGRES_URL', contract: 'import' },
  (url) => {
    describe('Import of a table rag_documents', () => {
      const schema = `prototype_${randomUUID().replaceAll('-', '')}`;
      const sql = async (text: string, values: readonly unknown[] = []): Promise<void> => {
        const { default: pg } = await import('pg');
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        await client.query(text, [...values]).finally(() => client.end());
      };
      beforeAll(() =>
        sql(`CREATE EXTENSION IF NOT EXISTS vector; CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.rag_documents (
          id uuid PRIMARY KEY DEFAULT gen_random_uuid(), source_type varchar(30) NOT NULL, source_id varchar(100) NOT NULL,
          chunk_text text NOT NULL, chunk_metadata jsonb, embedding vector(3),
          created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now())`),
      );
      afterAll(() => sql(`DROP SCHEMA ${schema} CASCADE`));
      const request = () =>
        requestOf(
          { provider: 'postgres', storage: { server: { url } } },
          { collection: `${schema}.rag_documents` },
        );

      test('its sources are documents; what Ragstone wrote there is left out; twice is once', async () => {
        const insert = `INSERT INTO ${schema}.rag_documents (source_type, source_id, chunk_text, chunk_metadata, embedding, created_at)
          SELECT t, i, c, m::jsonb, '[1,0,0]', '2025-03-04T05:06:07Z'::timestamptz + n * interval '1 second'
          FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS u(t, i, c, m, n)`;
        const rows = [
          [
            'bug_report',
            'BUG-001',
            'Bug ID: BUG-001\nSeverity: P1',
            '{"severity":"P1","services":["billing"]}',
          ],
          ['investigation', 'BUG-001', 'Root cause: the marmalade queue', '{"confidence":0.9}'],
          ['investigation', 'BUG-001', 'Fix: drain it hourly', null],
          ['finding', 'BUG-001:f1', 'The gondola waits', '{"$ragstone":{"id":"x"}}'],
          ...Array.from({ length: 450 }, (_, i) => ['finding', `BUG-${i}:f`, `Finding ${i}`, null]),
        ];
        await sql(
          insert,
          [0, 1, 2, 3].map((column) => rows.map((row) => row[column])),
        );
        const first = await importDocuments(await request());
        expect(first).toMatchObject({ records: 453, documents: 452, imported: 452, failed: 0 });
        expect(await importDocuments(await request())).toMatchObject({ imported: 0, unchanged: 452 });
        await withEngine(async (engine) => {
          const bug = await engine.get('bug_report:BUG-001');
          expect(bug?.metadata).toMatchObject({
            severity: 'P1',
            services: ['billing'],
            sourceType: 'bug_report',
            source_id: 'BUG-001',
            createdAt: '2025-03-04T05:06:08.000Z',
          });
          const joined = await engine.get('investigation:BUG-001');
          expect(joined?.text).toBe('Root cause: the marmalade queue\n\nFix: drain it hourly');
          expect(await engine.get('finding:BUG-001:f1')).toBeUndefined();
        });
      });

      test('a table that is not there is named', async () => {
        const missing = { ...(await request()), collection: `${schema}.nothing` };
        await expect(importDocuments(missing)).rejects.toMatchObject({ reason: 'COLLECTION_NOT_FOUND' });
        const wrong = { ...(await request()), collection: 'a"; drop table x' };
        await expect(importDocuments(wrong)).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
      });
    });
  },
);
