import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { IS_LONG } from '../../../tests/long-forms.js';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import { EVERYTHING } from '../../core/filter.js';
import { openEngine } from '../../engine/create-engine.js';
import { listAll } from '../../stores/list-pages.js';
import { migrateIndex } from './migrate-index.js';

const MIGRATE = new URL('migrate-index.ts', import.meta.url).href;
const LOADER = fileURLToPath(import.meta.resolve('tsx'));
const DOCUMENTS = IS_LONG ? 4_000 : 1_200;

const SERVERS = {
  postgres: process.env.RAGSTONE_TEST_POSTGRES_URL,
  chroma: process.env.RAGSTONE_TEST_CHROMA_URL,
} as const;
const HAS_SERVERS = SERVERS.postgres !== undefined && SERVERS.chroma !== undefined;

type Local = 'libsql' | 'lancedb' | 'usearch';
type Provider = Local | keyof typeof SERVERS;
type Pair = readonly [from: Provider, to: Provider, data: 'data' | 'other'];
const BETWEEN_SERVERS: readonly Pair[] = [
  ['postgres', 'chroma', 'other'],
  ...(IS_LONG ? ([['chroma', 'postgres', 'data']] as const) : []),
];
const ON_THIS_MACHINE: readonly Pair[] = IS_LONG
  ? (['libsql', 'lancedb', 'usearch'] as const).flatMap((a) =>
      (['libsql', 'lancedb', 'usearch'] as const).flatMap((b): Pair[] =>
        a === b
          ? [[a, b, 'other']]
          : [
              [a, b, 'data'],
              [a, b, 'other'],
            ],
      ),
    )
  : [['libsql', 'lancedb', 'data']];

/** Servers are given to the tests of stores alone (`npm run test:stores`). */
const PAIRS = HAS_SERVERS ? BETWEEN_SERVERS : ON_THIS_MACHINE;

/** Progress lines after which the process is killed, and milliseconds more. */
const KILLS: readonly (readonly [lines: number, ms: number])[] = IS_LONG
  ? Array.from({ length: 10 }, (_, i) => [1 + (i % 5), (i * 37) % 190] as const)
  : HAS_SERVERS
    ? [[2, 0]]
    : [
        [2, 0],
        [3, 40],
      ];

/** A store of this test alone. */
function storeOf(provider: Provider, namespace: string): RAGSettingsInput {
  const url = provider === 'postgres' || provider === 'chroma' ? SERVERS[provider] : undefined;
  return { provider, ...(url === undefined ? {} : { storage: { server: { url, namespace } } }) };
}

describe('Migration between stores', () => {
  test.each(PAIRS)(
    'a migration from %s to %s (%s) that is killed again and again, while the index is edited, ends with what is there',
    async (a, b, data) => {
      const folder = mkdtempSync(join(tmpdir(), 'killed-migration-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      mkdirSync(join(folder, 'docs'));
      for (let i = 0; i < 20; i++)
        writeFileSync(
          join(folder, 'docs', `note-${i}.md`),
          `# Note ${i}\n\nThe gate of house ${i} is closed.\n`,
        );
      const sources = [{ name: 'docs', type: 'files' as const, root: 'docs' }];
      const namespace = `m${randomUUID().slice(0, 8)}`;
      const from = { config: { ...storeOf(a, namespace), sources }, dataDir: join(folder, 'data') };
      const to = { config: { ...storeOf(b, namespace), sources }, dataDir: join(folder, data) };
      const textOf = (i: number, version = 0): string =>
        `Parcel ${i} lies in row ${i % 40} of shelf ${version}.`;
      const first = await openEngine({ ...from, cwd: folder });
      await first.engine.index();
      await first.engine.push(
        Array.from({ length: DOCUMENTS }, (_, i) => ({ id: `parcel-${i}`, text: textOf(i) })),
      );
      await first.engine.close();
      const script = `
      import { migrateIndex } from ${JSON.stringify(MIGRATE)};
      await migrateIndex({ ...${JSON.stringify({ from, to, cwd: folder })}, onProgress: () => console.log('progress') });`;
      let isSwitched = false;
      for (const [turn, [lines, ms]] of KILLS.entries()) {
        const child = spawn(process.execPath, ['--import', LOADER, '--input-type=module', '-e', script], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
        let seen = 0;
        for await (const _ of createInterface({ input: child.stdout })) {
          seen += 1;
          if (seen < lines) continue;
          await pause(ms);
          child.kill('SIGKILL');
          break;
        }
        await ended;
        const between = await openEngine({ ...from, cwd: folder });
        isSwitched = (await between.resources.ledger.live())?.facts.provider !== a;
        const { results } = await between.engine.search({ text: 'gate of house 7', options: { topK: 3 } });
        expect(results.length).toBeGreaterThan(0);
        if (!isSwitched) {
          // What was copied is edited, deleted and added to.
          await between.engine.push([
            { id: `parcel-${turn}`, text: textOf(turn, turn + 1) },
            { id: `new-${turn}`, text: `A crate ${turn} has come.` },
          ]);
          await between.engine.delete([`parcel-${100 + turn}`]);
        }
        await between.engine.close();
        if (isSwitched) break;
      }
      const heldBy = async (place: typeof from) => {
        const { engine, resources } = await openEngine({ ...place, cwd: folder });
        const { collection, facts } = await resources.stores.collection();
        const ids = (await listAll(collection, { filter: EVERYTHING })).map(({ id }) => id).sort();
        const held = await collection.get(ids, { includeVectors: true });
        const verified = await engine.verify();
        const { stats } = await engine.index();
        await engine.close();
        const chunks = held.map(({ vector, ...chunk }) => ({ ...chunk, vector: [...(vector ?? [])] }));
        return { provider: facts.provider, chunks, verified, processed: stats.documentsProcessed };
      };
      const before = isSwitched ? undefined : await heldBy(from);
      const result = await migrateIndex({ from, to, cwd: folder });
      expect(['switched', 'already']).toContain(result.outcome);
      const after = await heldBy(to);
      expect(after).toMatchObject({ provider: b, processed: 0, verified: { ok: true, drift: [] } });
      if (before === undefined) return;
      // What an earlier process copied is not copied again.
      expect(result.copied).toBeLessThan(result.chunks);
      expect(after.chunks).toEqual(before.chunks);
    },
    IS_LONG ? 600_000 : 120_000,
  );
});
