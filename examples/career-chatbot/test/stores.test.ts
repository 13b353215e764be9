import assert from 'node:assert/strict';
import { delimiter, dirname } from 'node:path';
import { test } from 'node:test';
import { documentIdOf, type RagService } from '../src/rag-service.js';
import { openKnowledge, openService, temporaryFolder } from './open-knowledge.js';

const QUESTIONS = [
  'How often does Heron make a new plan?',
  'What did Saltmarsh replace?',
  'Who wrote Pebblecast?',
];

const foundBy = async (service: RagService): Promise<string[][]> => {
  const found: string[][] = [];
  for (const question of QUESTIONS) found.push((await service.search(question)).results.map(documentIdOf));
  return found;
};

async function embedded(): Promise<string[][]> {
  const { service } = await openKnowledge();
  const found = await foundBy(service);
  await service.engine.close();
  return found;
}

const chroma = process.env.TEST_CHROMA_PROGRAM;

test('Chroma finds what the embedded store finds, and keeps it', {
  skip: chroma === undefined && 'TEST_CHROMA_PROGRAM names no chroma',
}, async () => {
  process.env.PATH = [process.env.PATH, dirname(chroma ?? '')].join(delimiter);
  process.env.RAG_PROVIDER = 'chroma';
  const dataDir = temporaryFolder();
  try {
    const { engine } = await openKnowledge({ dataDir });
    assert.equal((await engine.status()).provider, 'chroma');
    await engine.close();
    const again = await openService({ dataDir });
    const found = await foundBy(again.service);
    await again.engine.close();
    delete process.env.RAG_PROVIDER;
    assert.deepEqual(found, await embedded());
  } finally {
    delete process.env.RAG_PROVIDER;
  }
});

const url = process.env.TEST_DATABASE_URL;

test('PostgreSQL with pgvector finds what the embedded store finds', {
  skip: url === undefined && 'TEST_DATABASE_URL names no database',
}, async () => {
  const storage = { server: { url: url ?? '', namespace: `career_${process.pid}` } };
  const { service } = await openKnowledge({ overrides: { provider: 'postgres', storage } });
  try {
    assert.equal((await service.engine.status()).provider, 'postgres');
    assert.deepEqual(await foundBy(service), await embedded());
  } finally {
    await service.engine.clear();
    await service.engine.close();
  }
});
