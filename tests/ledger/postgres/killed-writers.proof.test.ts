import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, it } from 'vitest';
import { openPostgresLedger } from '../../../src/ledger/postgres/postgres-ledger.js';
import { assertNothingOrphaned } from '../../../src/testing/ledger/crashes.js';
import { AT, targetOf } from '../../../src/testing/ledger/records.js';
import { IS_LONG } from '../../long-forms.js';
import { runRound } from './writer-rounds.js';

const connectionString = process.env.RAGSTONE_TEST_POSTGRES_URL;
const LIVES = IS_LONG ? 60 : 4;
/** Longest time that a process works before it is killed, in milliseconds. */
const MAX_LIFE_MS = 400;
const FIXTURE = fileURLToPath(new URL('killed-writer.ts', import.meta.url));

it.skipIf(connectionString === undefined)(
  'processes that are killed while they index leave the invariants whole, and the next one goes on (RAGSTONE_TEST_POSTGRES_URL)',
  async () => {
    const schema = `kill_${randomUUID().replaceAll('-', '')}`;
    const client = new pg.Client({ connectionString });
    await client.connect();
    const ledger = await openPostgresLedger({ connectionString, schema });
    try {
      await client.query(`CREATE TABLE ${schema}.store (id text PRIMARY KEY, digest text NOT NULL)`);
      const { generation } = await ledger.begin(targetOf, AT);
      await ledger.switchTo(generation, AT);
      const reader = ledger.reader(generation);
      let unfinished = 0;
      for (let life = 0; life < LIVES; life++) {
        await liveAndDie([connectionString ?? '', schema, String(life)]);
        await assertNothingOrphaned(reader, await readStore(client, schema));
        const chunks = await reader.allChunks(undefined, 1_000);
        unfinished += chunks.filter(({ state }) => state !== 'live').length;
      }
      // The longer form is sure to hit the middle of something; the short one may be lucky.
      if (LIVES > 20) expect(unfinished).toBeGreaterThan(0);
      const writer = ledger.writer(generation, 'the last one');
      await runRound({ writer, client, schema, random: () => 0.1 });
      const chunks = await reader.allChunks(undefined, 1_000);
      expect(chunks.every(({ state }) => state === 'live')).toBe(true);
      expect(new Map(chunks.map(({ chunkId, digest }) => [chunkId, digest]))).toEqual(
        await readStore(client, schema),
      );
      expect(chunks).toHaveLength(12 * 6);
    } finally {
      await ledger.close();
      await client.query(`DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    }
  },
  1_800_000,
);

/** A process that works for a random time and is killed then. */
async function liveAndDie(parameters: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', FIXTURE, ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { error: '' };
  child.stderr.on('data', (part: Buffer) => {
    said.error += part.toString();
  });
  await Promise.race([once(child.stdout, 'data'), failure(child, said)]);
  await Promise.race([sleep(Math.random() * MAX_LIFE_MS), failure(child, said)]);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  // What the server had begun for it ends on its own; its leases run out.
  await sleep(150);
}

async function failure(child: ChildProcess, said: { readonly error: string }): Promise<never> {
  await once(child, 'exit');
  throw new Error(`The process ended by itself: ${said.error}`);
}

async function readStore(client: pg.Client, schema: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; digest: string }>(
    `SELECT id, digest FROM ${schema}.store`,
  );
  return new Map(rows.map(({ id, digest }) => [id, digest]));
}
