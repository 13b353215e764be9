import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/create-engine.js';
import type { LockSubject } from '../../../src/ledger/lock.js';
import { openPostgresLedger } from '../../../src/ledger/postgres/postgres-ledger.js';
import type { Engine } from '../../../src/operations/engine.js';

const url = process.env.RAGSTONE_TEST_POSTGRES_URL;

describe.skipIf(url === undefined)('one index of two hosts (RAGSTONE_TEST_POSTGRES_URL)', () => {
  let folder: string;
  let schema: string;
  const engines: Engine[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ragstone-hosts-'));
    schema = `hosts_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
  });

  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await client.end();
    await rm(folder, { recursive: true });
  });

  /** An engine with a data folder of its own, as on another host. */
  async function host(name: string): Promise<Engine> {
    const cwd = join(folder, name);
    await mkdir(cwd, { recursive: true });
    const engine = await createEngine({
      config: {
        provider: 'postgres',
        // What the reader has read by the end of its time is another passage on each host.
        retrieval: { rerank: { model: 'builtin' } },
        ledger: { type: 'postgres', url, namespace: schema },
        storage: { server: { url, namespace: schema } },
      },
      cwd,
      dataDir: join(cwd, 'data'),
    });
    engines.push(engine);
    return engine;
  }

  const texts = (count: number, word: string) =>
    Array.from({ length: count }, (_, i) => ({
      id: `${word}-${i}`,
      text: `The ${word} number ${i} stands ${i * 7} paces from the gate of the ${word} garden.`,
    }));

  const answers = async (engine: Engine, query: string) =>
    (await engine.search({ text: query, topK: 8 })).results.map(({ id, score }) => [id, score]);

  it('is empty to all before the first run, and to all after clear', async () => {
    const [a, b] = [await host('a'), await host('b')];
    await expect(b.search('oak')).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
    await a.push(texts(3, 'oak'));
    expect(await answers(b, 'oak number 2')).toHaveLength(3);
    await b.clear();
    await a.clear();
    for (const engine of [a, b])
      await expect(engine.search('oak')).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
  });

  it('gives equal answers on both, of whichever wrote, with what the model learnt', async () => {
    const [a, b] = [await host('a'), await host('b')];
    await a.push(texts(40, 'oak'));
    await b.push(texts(40, 'elm'));
    for (const query of ['oak number 7', 'garden of the elm', '21 paces from the gate']) {
      const ofA = await answers(a, query);
      expect(ofA).toHaveLength(8);
      expect(await answers(b, query)).toEqual(ofA);
    }
    expect(await b.verify()).toEqual(await a.verify());
    expect(await a.verify()).toMatchObject({ ok: true, drift: [] });
    expect(await b.get('oak-3')).toEqual(await a.get('oak-3'));
    await b.delete(['oak-3']);
    expect(await a.get('oak-3')).toBeUndefined();
  });

  it('is begun once by hosts that begin it at the same time', async () => {
    const hosts = [await host('a'), await host('b'), await host('c')];
    const pushes = await Promise.all(hosts.map((engine, i) => engine.push(texts(10, `tree${i}`))));
    expect(pushes.map(({ success }) => success)).toEqual([true, true, true]);
    const generations = await hosts[0]?.generations();
    expect(generations).toMatchObject([{ state: 'live', documents: 30 }]);
    for (const engine of hosts) expect(await engine.verify()).toMatchObject({ ok: true });
  });

  it.each([
    ['a table is gone', 'DROP TABLE ragstone_ledger_item'],
    ['a column is gone', 'ALTER TABLE ragstone_ledger_chunk DROP COLUMN digest'],
    ['a value has lost its meaning', `UPDATE ragstone_ledger_generation SET state = 'lost'`],
    ['its counter is gone', 'DROP TABLE ragstone_ledger_counter'],
  ])('is damaged (%s) for all, and whole again for all after index --force of one', async (_, damage) => {
    const [a, b] = [await host('a'), await host('b')];
    const notes = join(folder, 'notes');
    await mkdir(notes);
    await writeFile(join(notes, 'oak.md'), 'The oak stands at the gate.');
    await a.index({ paths: [notes] });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`SET search_path = ${schema}`);
    await client.query(damage);
    await client.end();
    const forced = { paths: [notes], options: { force: true } };
    expect((await b.index(forced)).success).toBe(true);
    for (const engine of [a, b]) {
      expect(await answers(engine, 'oak')).toHaveLength(1);
      expect(await engine.verify()).toEqual({ ok: true, drift: [], repaired: 0 });
      expect((await engine.index()).success).toBe(true);
    }
  });

  it('is rebuilt, cleared and mended by one host alone, and searched by all meanwhile', async () => {
    const [a, b] = [await host('a'), await host('b')];
    await a.push(texts(20, 'oak'));
    const ledger = await openPostgresLedger({ connectionString: url, schema });
    const lock = async (subject: LockSubject) => ledger.lock?.({ subject, command: 'ragstone index' });
    const rebuild = (waitMs: number) => b.index({ options: { force: true, waitMs } });
    const refused = { reason: 'INDEX_LOCKED' };

    const writer = await lock('items');
    await b.push(texts(3, 'elm'));
    const whole = [rebuild(0), b.index({ options: { prune: true } }), b.clear()];
    await Promise.all(whole.map((work) => expect(work).rejects.toMatchObject(refused)));
    const waiting = rebuild(60_000);
    await writer?.release();
    expect(await waiting).toMatchObject({ success: true });

    const alone = await lock('whole');
    const items = [a.push(texts(1, 'ash')), a.delete(['oak-1'])];
    await Promise.all(items.map((work) => expect(work).rejects.toMatchObject(refused)));
    const found = await answers(a, 'oak number 15');
    expect(found).toHaveLength(8);
    expect(await answers(b, 'oak number 15')).toEqual(found);
    await alone?.release();
    await ledger.close();
    expect(await a.generations()).toMatchObject([
      { generation: 2, state: 'live', documents: 23 },
      { generation: 1, state: 'retired', documents: 23 },
    ]);
    expect(await a.verify()).toMatchObject({ ok: true, drift: [] });
  });
});
