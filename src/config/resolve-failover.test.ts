import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from './load-config.js';
import type { ResolvedConfig } from './resolved-config.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-failover-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(rag: object): Promise<ResolvedConfig> {
  // JSON is YAML, too.
  writeFileSync(join(folder, 'ragstone.yaml'), JSON.stringify({ rag }));
  return loadConfig({ cwd: folder, env: {}, trust: true });
}

describe('two stores', () => {
  test('the second named alone: a folder of its own in the data folder, and the defaults', async () => {
    const { rag } = await load({ provider: 'libsql', failover: { secondary: 'lancedb' } });
    expect(rag.provider).toBe('libsql');
    expect(rag.failover).toMatchObject({
      secondary: {
        provider: 'lancedb',
        name: 'lancedb',
        storage: { local: { path: join(folder, '.ragstone', 'failover', 'lancedb') } },
      },
      dualWrite: true,
      maxJournalMb: 1_024,
    });
  });

  test('the first one stated in rag.failover, with its settings', async () => {
    const server = { url: 'postgres://127.0.0.1:5432/index', namespace: 'one' };
    const { rag } = await load({
      failover: {
        primary: { provider: 'postgres', name: 'east', storage: { server } },
        secondary: {
          provider: 'postgres',
          name: 'west',
          storage: { server: { ...server, namespace: 'two' } },
        },
        dualWrite: false,
        maxJournalMb: 5,
      },
    });
    expect(rag.provider).toBe('postgres');
    expect(rag.storage.server).toMatchObject({ namespace: 'one' });
    expect(rag.failover).toMatchObject({
      primaryName: 'east',
      secondary: { name: 'west', storage: { server: { namespace: 'two' } } },
      dualWrite: false,
      maxJournalMb: 5,
    });
  });

  test('a path of the second is one of the project', async () => {
    const secondary = { provider: 'lancedb', storage: { local: { path: './copy' } } };
    const { rag } = await load({ provider: 'libsql', failover: { secondary } });
    expect(rag.failover?.secondary.storage.local.path).toBe(join(folder, 'copy'));
  });
});

describe('what is refused', () => {
  const cases: readonly (readonly [string, object, RegExp])[] = [
    ['no second store', { failover: {} }, /rag\.failover\.secondary/],
    ['an unknown setting', { failover: { secondary: 'lancedb', tertiary: 'chroma' } }, /tertiary/],
    ['an unknown setting of a store', { failover: { secondary: { provider: 'lancedb', url: 'x' } } }, /url/],
    ['an unknown store', { failover: { secondary: 'oracle' } }, /rag\.failover\.secondary/],
    [
      'a store that forgets, as the second',
      { failover: { secondary: 'memory' } },
      /rag\.failover\.secondary/,
    ],
    [
      'a store that forgets, as the first',
      { provider: 'memory', failover: { secondary: 'lancedb' } },
      /memory/,
    ],
    ['twice the same name', { provider: 'lancedb', failover: { secondary: 'lancedb' } }, /called "lancedb"/],
    [
      'the name of the first for the second',
      {
        failover: {
          primary: { provider: 'libsql', name: 'main' },
          secondary: { provider: 'lancedb', name: 'main' },
        },
      },
      /called "main"/,
    ],
    [
      'a name that is none',
      { failover: { secondary: { provider: 'lancedb', name: 'Second Store' } } },
      /lower-case/,
    ],
    [
      'two first stores',
      { provider: 'chroma', failover: { primary: 'libsql', secondary: 'lancedb' } },
      /state one of the two, or the same/,
    ],
    [
      'a ledger that hosts share',
      {
        provider: 'postgres',
        storage: { server: { url: 'postgres://127.0.0.1/index' } },
        ledger: { type: 'postgres', url: 'postgres://127.0.0.1/index' },
        failover: { secondary: 'lancedb' },
      },
      /one host/,
    ],
    ['no journal', { failover: { secondary: 'lancedb', maxJournalMb: 0 } }, /maxJournalMb/],
    [
      'dualWrite that is no truth value',
      { failover: { secondary: 'lancedb', dualWrite: 'yes' } },
      /dualWrite/,
    ],
  ];
  test.each(cases)('%s', async (_, rag, message) => {
    await expect(load(rag)).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringMatching(message) as string,
    });
  });
});
