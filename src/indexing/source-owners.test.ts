import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

const url = process.env.RAGSTONE_TEST_POSTGRES_URL;

let folder: string;
let schema: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-owners-'));
  schema = `owners_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

interface Place {
  /** Folders of two configurations that share an index. */
  readonly a: string;
  readonly b: string;
  /** Settings beside `sources`. */
  readonly settings: () => readonly string[];
  readonly dataDir: (place: string) => string;
}

const places: Record<string, Place> = {
  libsql: { a: 'a', b: 'b', settings: () => ['provider: libsql'], dataDir: () => join(folder, 'data') },
  postgres: {
    a: 'a',
    b: 'b',
    settings: () => [
      'provider: postgres',
      `ledger: { type: postgres, url: '${url}', namespace: ${schema} }`,
      `storage: { server: { url: '${url}', namespace: ${schema} } }`,
    ],
    dataDir: (place) => join(folder, place, 'data'),
  },
};

const names = url === undefined ? ['libsql'] : ['libsql', 'postgres'];

describe.each(names)('two configurations of one index (%s, RAGSTONE_TEST_POSTGRES_URL)', (name) => {
  const { a, b, settings, dataDir } = places[name] as Place;

  /** States sources, each a folder of its name, in the configuration of a place. */
  const configure = (place: string, sources: readonly string[]): void =>
    write(
      `${place}/ragstone.yaml`,
      [
        'rag:',
        ...settings().map((line) => `  ${line}`),
        `  sources: [${sources.map((source) => `{ name: ${source}, type: files, root: ${source} }`).join(', ')}]`,
      ].join('\n'),
    );

  /** One command: an engine of its own, as each process has. */
  async function use<T>(place: string, work: (engine: Engine) => Promise<T>): Promise<T> {
    const configFile = join(folder, place, 'ragstone.yaml');
    const engine = await createEngine({ configFile, dataDir: dataDir(place), cwd: join(folder, place) });
    return work(engine).finally(() => engine.close());
  }

  const index = (place: string) => use(place, (engine) => engine.index());
  const prune = (place: string, what: true | string[] = true) =>
    use(place, (engine) => engine.index({ options: { prune: what } }));
  const held = (place: string) =>
    use(place, async (engine) => (await engine.list()).documents.map(({ source }) => source).sort());

  beforeEach(async () => {
    write('a/notes/one.md', '# Notes\n\nThe gate is green.\n');
    write('b/wiki/two.md', '# Wiki\n\nThe gate is red.\n');
    configure(a, ['notes']);
    configure(b, ['wiki']);
    await index(a);
    await index(b);
  });

  afterEach(async () => {
    if (name !== 'postgres') return;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await client.end();
  });

  test('neither takes what the other one indexes for abandoned', async () => {
    for (const place of [a, b]) {
      expect((await use(place, (engine) => engine.status())).notices.join('\n')).not.toMatch(/no longer/);
      expect(await use(place, (engine) => engine.verify())).toEqual({ ok: true, drift: [], repaired: 0 });
      expect((await index(place)).notices.join('\n')).not.toMatch(/no longer/);
    }
  });

  test('--prune of one keeps what the other one indexes, and says so', async () => {
    const { notices } = await prune(a);
    expect(notices.join('\n')).toMatch(/"wiki" is kept, because it is indexed by .*b.ragstone\.yaml/);
    expect(await held(a)).toEqual(['notes', 'wiki']);
  });

  test('what its configuration no longer states is given up by --prune of either', async () => {
    configure(b, []);
    await index(b);
    expect((await use(a, (engine) => engine.status())).notices.join('\n')).toMatch(/"wiki" is no longer/);
    await prune(a);
    expect(await held(a)).toEqual(['notes']);
  });

  test('what a configuration that is gone has stated is given up', async () => {
    rmSync(join(folder, b, 'ragstone.yaml'));
    await prune(a);
    expect(await held(a)).toEqual(['notes']);
  });

  test('a source is given up by name, whichever configuration indexes it', async () => {
    await expect(prune(a, ['notes'])).rejects.toMatchObject({ reason: 'USAGE' });
    await expect(prune(a, ['nothing'])).rejects.toMatchObject({ reason: 'USAGE' });
    const { stats, notices } = await prune(a, ['wiki']);
    expect(stats.documentsDeleted).toBe(1);
    expect(notices).toContainEqual('A document of "wiki" is removed.');
    expect(await held(a)).toEqual(['notes']);
  });

  test('a rebuild of one keeps what the other one indexes', async () => {
    await use(a, (engine) => engine.index({ options: { force: true } }));
    expect(await held(b)).toEqual(['notes', 'wiki']);
  });
});

describe.skipIf(url === undefined)('folders that hosts name (RAGSTONE_TEST_POSTGRES_URL)', () => {
  const server = () => ({ url, namespace: schema });
  async function use<T>(place: string, work: (engine: Engine) => Promise<T>): Promise<T> {
    const cwd = join(folder, place);
    const config = {
      provider: 'postgres' as const,
      ledger: { type: 'postgres' as const, ...server() },
      storage: { server: server() },
    };
    const engine = await createEngine({ config, cwd });
    return work(engine).finally(() => engine.close());
  }

  test('are read again by the host that named them, and given up by no other one', async () => {
    write('a/docs/one.md', '# One\n\nThe gate is green.\n');
    write('b/docs/two.md', '# Two\n\nThe gate is red.\n');
    write('b/more/three.md', '# Three\n\nThe gate is blue.\n');
    try {
      await use('a', (engine) => engine.index({ paths: ['docs'] }));
      await use('b', (engine) => engine.index({ paths: ['more'], options: { prune: true } }));
      await use('b', (engine) => engine.index());
      const listed = await use('b', (engine) => engine.list());
      expect(listed.documents.map(({ externalId }) => externalId).sort()).toEqual(['one.md', 'three.md']);
      const { notices } = await use('b', (engine) => engine.index({ paths: ['docs'] }));
      expect(notices.join('\n')).toMatch(/"path:docs" is also indexed by .*two folders/s);
    } finally {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await client.end();
    }
  });
});
