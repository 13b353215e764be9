import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { withTestServer } from '../../tests/with-test-server.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { createEngine } from './create-engine.js';

const KEY = 'ragstone-test-key';
const REQUEST_HEADERS = {
  'api-key': KEY,
  'x-pinecone-api-version': '2026-04',
  'content-type': 'application/json',
};

/** The life of an index in a store: what is written, changed, deleted and forgotten is so after each call, also for another process. */
function testLife(
  name: string,
  settingsOf: (space: string) => RAGSettingsInput,
  textsAt: (space: string) => Promise<string>,
): void {
  it(`${name}: index, search, verify, change, delete, forget, build anew`, async () => {
    const cwd = temporaryFolder();
    const space = `t${randomUUID().replaceAll('-', '').slice(0, 16)}`;
    await mkdir(join(cwd, 'docs'));
    const write = (file: string, text: string) => writeFile(join(cwd, 'docs', file), text);
    await write('a.md', '# Retries\n\nThe Quaggadromous queue retries five times before it gives up.\n');
    await write('b.md', '# Marmalade\n\nMarmalade is boiled for twenty minutes, then it is bottled.\n');
    await write('c.md', '# Lighthouses\n\nA lighthouse keeper trims the lamp at dusk.\n');
    const config = {
      ...settingsOf(space),
      sources: [{ name: 'docs', type: 'files' as const, paths: ['docs'] }],
    };
    const open = async () => {
      const engine = await createEngine({ cwd, config });
      onTestFinished(() => engine.close());
      return engine;
    };
    const engine = await open();
    await engine.index();
    const found = async (query: string, one = engine) =>
      (await one.search({ text: query, options: { mode: 'dense' } })).results.map(
        ({ metadata }) => metadata.source,
      );
    expect((await found('how often does the queue retry'))[0]).toContain('a.md');
    // As a process that starts after the run has ended.
    const other = await open();
    expect(await other.verify()).toMatchObject({ ok: true });
    expect((await found('boiled for twenty minutes', other))[0]).toContain('b.md');

    await write('b.md', '# Marmalade\n\nPlums are dried in the sun for a week.\n');
    await rm(join(cwd, 'docs', 'c.md'));
    await engine.index();
    expect((await found('drying plums'))[0]).toContain('b.md');
    expect((await found('lamp at dusk')).join()).not.toContain('c.md');
    expect(await other.verify()).toMatchObject({ ok: true });

    const receipt = await engine.forget({ documents: ['docs/a.md'] });
    expect(receipt.state).toBe('done');
    // What the server keeps for a while is told.
    expect(JSON.stringify(receipt.left).toLowerCase()).toContain(name);
    expect(await engine.verify()).toMatchObject({ ok: true });
    expect(await textsAt(space)).not.toContain('Quaggadromous');
    expect(await textsAt(space)).toContain('Plums');

    await engine.index({ options: { force: true } });
    expect((await found('drying plums'))[0]).toContain('b.md');
    expect(await engine.verify()).toMatchObject({ ok: true });
  });
}

const QDRANT = {
  store: 'qdrant',
  variable: 'RAGSTONE_TEST_QDRANT_URL',
  contract: 'VectorStore contract by an engine',
};
withTestServer({ describe, it }, QDRANT, (url) => {
  testLife(
    'qdrant',
    (namespace) => ({ provider: 'qdrant', storage: { server: { url, apiKey: KEY, namespace } } }),
    async (space) => {
      const listed = await fetch(new URL('/collections', url), { headers: REQUEST_HEADERS });
      const { result } = (await listed.json()) as { result: { collections: { name: string }[] } };
      const texts: string[] = [];
      for (const { name } of result.collections.filter((one) => one.name.startsWith(`${space}-`))) {
        const address = new URL(`/collections/${name}/points/scroll`, url);
        const body = JSON.stringify({ limit: 1_000, with_payload: true });
        texts.push(await (await fetch(address, { method: 'POST', headers: REQUEST_HEADERS, body })).text());
      }
      return texts.join('');
    },
  );
});

const PINECONE = {
  store: 'pinecone',
  variable: 'RAGSTONE_TEST_PINECONE_URL',
  contract: 'VectorStore contract by an engine',
};
withTestServer({ describe, it }, PINECONE, (url) => {
  testLife(
    'pinecone',
    (index) => ({
      provider: 'pinecone',
      storage: {
        cloud: {
          type: 'pinecone',
          apiKey: KEY,
          index,
          environment: 'us-west1-gcp',
          createIfNotExists: true,
          controllerHost: url,
        },
      },
    }),
    async (index) => {
      const ask = async (path: string, body: unknown): Promise<string> => {
        const request = { method: 'POST', headers: REQUEST_HEADERS, body: JSON.stringify(body) };
        return (await fetch(new URL(`/index/${index}${path}`, url), request)).text();
      };
      const stats = JSON.parse(await ask('/describe_index_stats', {})) as { namespaces: object };
      const texts: string[] = [];
      for (const namespace of Object.keys(stats.namespaces))
        texts.push(
          await ask('/vectors/fetch_by_metadata', { namespace, filter: { facts: { $exists: true } } }),
        );
      return texts.join('');
    },
  );
});
