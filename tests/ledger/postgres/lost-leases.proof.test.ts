import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SYSTEM_RUNTIME } from '../../../src/core/runtime.js';
import { createEngine } from '../../../src/engine/create-engine.js';
import type { PendingWorkWriter } from '../../../src/ledger/pending-work.js';
import { PostgresGenerationWriter } from '../../../src/ledger/postgres/postgres-generation.js';
import type { Engine, IndexResult } from '../../../src/operations/engine.js';

const url = process.env.RAGSTONE_TEST_POSTGRES_URL;

/** Calls that write, of a ledger that hosts share. */
const WRITES = [
  ...([
    'claim',
    'renew',
    'release',
    'announce',
    'plan',
    'commit',
    'completeItems',
    'planDeletion',
    'forget',
  ] as const),
  ...(['forgetItems', 'markChunksMissing'] as const),
] as const;

afterEach(() => vi.restoreAllMocks());

const TITLE =
  'a writer that stood still beyond its lease before any of its calls leaves a whole index beside the one that took over (RAGSTONE_TEST_POSTGRES_URL)';

describe.skipIf(url === undefined)(TITLE, () => {
  it('which brings the same source in step', async () => {
    const made = await standStillBeforeEach(
      async ({ own, documents }) => {
        await dieInDeletion(own, documents);
        return () => own.index();
      },
      async ({ other }) => void (await other.index()),
      async ({ own }) => expect(await namesOf(own)).toEqual(['again.md', 'changed.md', 'new.md', 'same.md']),
    );
    expect(made).toEqual(new Set([...WRITES, 'add']));
  }, 600_000);

  it('which pushes the same document, over a push that died', async () => {
    await standStillBeforeEach(
      async ({ own }) => {
        await dieInPush(own);
        return () => own.push([{ id: 'bell', text: 'The bell is rung at noon.' }]);
      },
      async ({ other }) => void (await other.push([{ id: 'bell', text: 'The bell is rung at night.' }])),
      async ({ own }) => expect(await textOf(own, 'bell')).toMatch(/^The bell is rung at (noon|night)\.$/),
    );
  }, 600_000);

  it('which pushes the document that is deleted', async () => {
    await standStillBeforeEach(
      async ({ own }) => {
        await dieInPush(own);
        return () => own.index({ deleted: ['bell'] });
      },
      async ({ other }) => void (await other.push([{ id: 'bell', text: 'The bell is rung at night.' }])),
      async ({ own }) => expect(await textOf(own, 'bell')).toMatch(/^The bell is rung at night\.$|^$/),
    );
  }, 600_000);
});

describe.skipIf(url === undefined)(TITLE, () => {
  it('which deletes a document that was pushed', async () => {
    await standStillBeforeEach(
      async ({ own }) => {
        await own.push([{ id: 'bell', text: 'The bell is rung at dawn.' }]);
        return async () => {
          expect(await own.delete(['bell'])).toBe(1);
          return NOTHING_FAILED;
        };
      },
      async ({ other }) => void (await other.push([{ id: 'bell', text: 'The bell is rung at night.' }])),
      async ({ own }) => expect(await textOf(own, 'bell')).toMatch(/^The bell is rung at night\.$|^$/),
    );
  }, 600_000);

  it('which deletes what has come of age', async () => {
    await standStillBeforeEach(
      async ({ own, documents, clock }) => {
        for (const name of ['old', 'changed'])
          await writeFile(
            join(documents, `${name}.md`),
            `---\ndecided: "2026-01-01"\n---\n# ${name}\n\nThe gate is shut at dusk.\n`,
          );
        await own.index();
        clock.now += 400 * DAY_MS;
        return () => own.index();
      },
      async ({ other }) => void (await other.index()),
      async ({ own }) => expect(await namesOf(own)).toEqual([]),
    );
  }, 600_000);
});

const DAY_MS = 86_400_000;
const NOTHING_FAILED = { stats: { errors: [] } };

/**
 * Does what `begin` gives once for each call that it makes to the ledger: before that call another engine takes over and does its own, as if
 * the first had stood still. The names of all calls.
 */
async function standStillBeforeEach(
  begin: (scene: Scene) => Promise<() => Promise<Done>>,
  overtake: (scene: Scene) => Promise<void>,
  check: (scene: Scene) => Promise<void>,
): Promise<ReadonlySet<string>> {
  const writes = watchWrites();
  const made = new Set<string>();
  for (let at = 0, count = 1; at < count; at++) {
    const scene = await setUp();
    try {
      const calls: string[] = [];
      const work = await begin(scene);
      const { stats } = await writes.during(work, async (name) => {
        calls.push(name);
        if (calls.length - 1 !== at) return;
        await scene.endLeases();
        await overtake(scene);
      });
      count = calls.length;
      for (const name of calls) made.add(name);
      expect(stats.errors).toEqual([]);
      expect(await scene.own.verify()).toMatchObject({ drift: [] });
      await check(scene);
    } catch (error) {
      throw new Error(`It stood still before call ${at}.`, { cause: error });
    } finally {
      await scene.tearDown();
    }
  }
  return made;
}

/** What is looked at of an outcome. */
interface Done {
  readonly stats: Pick<IndexResult['stats'], 'errors'>;
}

type Told = (name: string) => Promise<void>;

/** Tells of each call that writes before it is made, but of none that is made while it tells. */
function watchWrites(): { readonly during: <T>(work: () => Promise<T>, tell: Told) => Promise<T> } {
  let tell: Told | undefined;
  const told: Told = async (name) => {
    const before = tell;
    tell = undefined;
    await before?.(name);
    tell = before;
  };
  const { prototype } = PostgresGenerationWriter;
  for (const name of WRITES) {
    const call = prototype[name] as (...given: unknown[]) => Promise<unknown>;
    vi.spyOn(prototype, name as 'announce').mockImplementation(async function (this: unknown, ...given) {
      await told(name);
      return (await call.apply(this, given)) as undefined;
    });
  }
  const pending = Object.getOwnPropertyDescriptor(prototype, 'pendingWork')?.get;
  vi.spyOn(prototype, 'pendingWork', 'get').mockImplementation(function (this: unknown) {
    const writer = pending?.call(this) as PendingWorkWriter;
    const add: PendingWorkWriter['add'] = async (...given) => {
      await told('add');
      await writer.add(...given);
    };
    return { ...writer, add };
  });
  return {
    during: async (work, wanted) => {
      tell = wanted;
      try {
        return await work();
      } finally {
        tell = undefined;
      }
    },
  };
}

const namesOf = async (engine: Engine): Promise<string[]> =>
  (await engine.list({ limit: 100 })).documents.map(({ externalId }) => externalId).sort();

async function textOf(engine: Engine, externalId: string): Promise<string> {
  const { documents } = await engine.list({ limit: 100 });
  const id = documents.find((document) => document.externalId === externalId)?.id;
  return id === undefined ? '' : ((await engine.get(id))?.text ?? '');
}

type Scene = Awaited<ReturnType<typeof setUp>>;

/** An index whose source has changed since: something is new, changed and gone, and a run died before it deleted what came back. */
async function dieInDeletion(own: Engine, documents: string): Promise<void> {
  const write = (name: string, text: string): Promise<void> =>
    writeFile(join(documents, `${name}.md`), `# ${name}\n\n${text}\n`);
  for (const name of ['same', 'changed', 'gone', 'again']) await write(name, 'The gate is shut at dusk.');
  await own.index();
  await unlink(join(documents, 'again.md'));
  vi.mocked(PostgresGenerationWriter.prototype.planDeletion).mockRejectedValueOnce(
    new Error('It dies here.'),
  );
  await expect(own.index()).rejects.toThrow();
  await write('again', 'The gate is open at dawn.');
  await write('changed', 'The wall is high.');
  await write('new', 'The pond is deep.');
  await unlink(join(documents, 'gone.md'));
}

/** A document that was pushed, and a push over it that died before its end. */
async function dieInPush(own: Engine): Promise<void> {
  await own.push([{ id: 'bell', text: 'The bell is rung at dawn.' }]);
  vi.mocked(PostgresGenerationWriter.prototype.commit).mockRejectedValueOnce(new Error('It dies here.'));
  await expect(own.push([{ id: 'bell', text: 'The bell is rung at dusk.' }])).rejects.toThrow();
}

/** Two engines on one index of a folder. */
async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-lost-leases-'));
  const schema = `lost_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
  const documents = join(folder, 'documents');
  const clock = { now: Date.parse('2026-06-01T00:00:00Z') };
  await mkdir(documents);
  const open = (name: string): Promise<Engine> =>
    createEngine({
      config: {
        provider: 'postgres',
        ledger: { type: 'postgres', url, namespace: schema, leaseMs: 60_000 },
        storage: { server: { url, namespace: schema } },
        sources: [
          {
            name: 'notes',
            type: 'files',
            root: documents,
            retention: { maxAge: '1y', dateField: 'decided' },
          },
        ],
      },
      runtime: { ...SYSTEM_RUNTIME, now: () => clock.now },
      cwd: folder,
      dataDir: join(folder, name),
    });
  const [own, other] = await Promise.all([open('own'), open('other')]);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    own,
    other,
    documents,
    clock,
    /** As if the time of all leases had passed. */
    endLeases: async (): Promise<void> => {
      await client.query(`UPDATE ${schema}.ragstone_ledger_lease SET expires_at = 0`);
    },
    tearDown: async (): Promise<void> => {
      await Promise.all([own.close(), other.close()]);
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await client.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
