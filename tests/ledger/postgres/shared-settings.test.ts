import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/create-engine.js';

const URL = 'postgres://ann:sesame@127.0.0.1:1/db';
const ledger = { type: 'postgres', url: URL } as const;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-shared-'));
});
afterEach(() => rm(folder, { recursive: true }));

const open = (config: object) => createEngine({ config, cwd: folder, dataDir: folder });

describe('a ledger that hosts share', () => {
  it.each([
    'libsql',
    'lancedb',
    'usearch',
    'faiss',
    'memory',
    'chroma',
    'weaviate',
    'azure_ai_search',
    'qdrant',
    'pinecone',
    'vertex_ai_search',
    'auto',
  ])('is refused with the store %s, which keeps something on this host', async (provider) => {
    await expect(open({ provider, ledger })).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringMatching(
        /rag\.ledger\.type is `postgres`.*Set rag\.provider to one of/s,
      ) as string,
    });
  });

  it('is refused with a store that forgets', async () => {
    const storage = { local: { persist: false } };
    await expect(open({ provider: 'postgres', storage, ledger })).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
    });
  });

  it.each(['postgres', 'elasticsearch', 'opensearch'])('goes with %s', async (provider) => {
    await (await open({ provider, ledger })).close();
  });

  it('refuses settings that it does not know, by name', async () => {
    await expect(open({ provider: 'postgres', ledger: { ...ledger, adress: URL } })).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringContaining('adress') as string,
    });
  });

  it.each(['search', 'index', 'status', 'verify', 'clear', 'list'] as const)(
    'that does not answer ends %s with its address and without its password',
    async (method) => {
      const engine = await open({ provider: 'postgres', ledger });
      const calls = {
        search: () => engine.search('oak'),
        index: () => engine.index([{ id: 'a', text: 'oak' }]),
        status: () => engine.status(),
        verify: () => engine.verify(),
        clear: () => engine.clear(),
        list: () => engine.list(),
      };
      const error: unknown = await calls[method]().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        reason: 'INDEX_UNAVAILABLE',
        message: expect.stringContaining('127.0.0.1:1/db') as string,
      });
      expect(String(error)).not.toContain('sesame');
      await engine.close();
    },
  );
});
