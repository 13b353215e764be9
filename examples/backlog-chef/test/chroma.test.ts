import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { ChromaClient, type EmbeddingFunction } from 'chromadb';
import { openIndex } from '../src/open-index.js';
import { makeProject } from './project.js';

delete process.env.RAG_PROVIDER;
const { PATH = '' } = process.env;
const program = process.env.TEST_CHROMA_PROGRAM;

test('Chroma is started from its path, keeps its collection there, and is stopped', {
  skip: program === undefined && 'TEST_CHROMA_PROGRAM names no chroma',
}, async () => {
  process.env.PATH = [PATH, dirname(program ?? '')].join(delimiter);
  const { folder } = makeProject();
  for (const processed of [60, 0]) {
    const { engine, indexed, notice } = await openIndex({ folder });
    assert.equal(notice, undefined);
    assert.equal(indexed.stats.documentsProcessed, processed);
    const { provider } = await engine.status();
    assert.equal(provider, 'chroma');
    const { results } = await engine.search({
      text: 'A payment that was interrupted must not be charged twice',
      filters: { sourceType: ['pbi'] },
      options: { minSimilarity: 0 },
    });
    assert.equal(results[0]?.metadata.pbi_id, 'ORC-22');
    await assertSchema(folder);
    await engine.close();
    assert.ok(existsSync(join(folder, 'vector-db', 'chroma.sqlite3')));
    assert.ok(!existsSync(join(folder, 'vector-db', 'ragstone-server.json')));
  }
});

/** Section 6.1, as any other reader of the collection sees it. */
async function assertSchema(folder: string): Promise<void> {
  const { port } = JSON.parse(readFileSync(join(folder, 'vector-db', 'ragstone-server.json'), 'utf8')) as {
    readonly port: number;
  };
  const client = new ChromaClient({ host: '127.0.0.1', port });
  const names = (await client.listCollections()).map(({ name }) => name);
  const name =
    names.find((one) => one.startsWith('backlog_chef') && one.includes('documents')) ?? names[0] ?? '';
  const embeddingFunction = null as unknown as EmbeddingFunction;
  const collection = await client.getCollection({ name, embeddingFunction });
  const { ids, documents, metadatas } = await collection.get({ limit: 1 });
  assert.ok(ids[0] !== undefined && documents[0] !== undefined);
  const keys = Object.keys(metadatas[0] ?? {});
  for (const key of [
    'source_id',
    'source_type',
    'source_path',
    'chunk_index',
    'chunk_total',
    'title',
    'created_at',
    'updated_at',
  ])
    assert.ok(keys.includes(key), `${key} in ${keys.join(', ')} of ${names.join(', ')}`);
}

test('without a Chroma that runs here the embedded store takes its place and says so, unless Chroma was asked for', async () => {
  const { folder } = makeProject();
  const broken = join(folder, 'bin');
  mkdirSync(broken);
  writeFileSync(join(broken, 'chroma'), '#!/bin/sh\necho GLIBC_2.38 not found; exit 1\n', { mode: 0o755 });
  try {
    for (const path of [broken, join(folder, 'nowhere')]) {
      process.env.PATH = path;
      const { engine, notice } = await openIndex({ folder });
      assert.match(
        notice ?? '',
        /Chroma cannot be started, so the embedded store is used.* `pip install chromadb/,
      );
      assert.equal((await engine.status()).provider, 'libsql');
      await engine.close();
    }
    process.env.RAG_PROVIDER = 'chroma';
    await assert.rejects(openIndex({ folder }), /pip install chromadb/);
  } finally {
    process.env.PATH = PATH;
    delete process.env.RAG_PROVIDER;
    rmSync(broken, { recursive: true });
  }
});
