import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { deploymentIdOf } from '../../src/operations/deployment-model.js';
import { numberAt } from '../../src/platform/sqlite/row.js';
import { SqliteDatabase } from '../../src/platform/sqlite/sqlite-database.js';
import { storeError } from '../../src/stores/libsql/store-errors.js';
import { seededRandom } from '../../src/testing/vector-store/records.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';
import { IS_LONG } from '../long-forms.js';
import { deploymentsOver, type MoveLogLine, STEADY, textOf } from './moving-scene.js';

const KILLS = IS_LONG ? 24 : 2;
/** Longest time that a service works before it is killed, in milliseconds. */
const MAX_LIFE_MS = IS_LONG ? 3_000 : 1_500;
/** Set it to repeat a run that failed. */
const SEED = Number(process.env.RAGSTONE_SEED ?? 7);
const FIXTURE = fileURLToPath(new URL('moving-process.ts', import.meta.url));

test('a service that is killed while it moves a tenant, writes and searches loses nothing, doubles nothing and goes on', {
  timeout: IS_LONG ? 1_800_000 : 120_000,
}, async () => {
  const random = seededRandom(SEED);
  const folder = temporaryFolder();
  const begin = await deploymentsOver(folder);
  await (await begin.of({ tenant: 'other' })).view.push([
    { id: 'theirs', text: 'A steady lamp, foreign to acme.' },
  ]);
  await (await begin.of({ tenant: 'acme' })).view.push(
    STEADY.map((id) => ({ id, text: `The steady lamp ${id} is blue.` })),
  );
  await begin.close();

  const stages: string[] = [];
  for (let life = 0; life < KILLS; life++) {
    await liveAndDie(folder, {
      life,
      // Every other one dies at a write to the store of the customer, where it comes so far.
      killAt: life % 2 === 0 ? 0 : 1 + Math.floor(random() * 120),
      lifeMs: life % 2 === 0 ? random() * MAX_LIFE_MS : 2 * MAX_LIFE_MS,
    });
    stages.push(stageIn(folder));
  }
  const lines = readLog(folder);
  expect(lines.filter(({ kind }) => kind === 'wrong')).toEqual([]);
  if (IS_LONG) {
    const moves = lines.filter(({ kind }) => kind === 'moved').length;
    process.stdout.write(`${moves} moves; killed in: ${stages.join(', ')}\n`);
    for (const stage of ['copying', 'cleaning']) expect(stages.join()).toContain(stage);
  }

  const deployments = await deploymentsOver(folder);
  onTestFinished(() => deployments.close());
  const problems: unknown[] = [];
  const onProblem = (_: string, error: unknown): void => void problems.push(error);
  const written = await deployments.finishWrites({ onProblem });
  await deployments.resumeMoves({ onProblem });
  expect(problems).toEqual([]);
  expect(written.flatMap(({ left }) => left)).toEqual([]);

  const { view } = await deployments.of({ tenant: 'acme' });
  const { documents } = await view.list({ limit: 1_000 });
  const held = new Map<string, string | undefined>();
  for (const { externalId } of documents) held.set(externalId, (await view.get(externalId))?.text);
  expect(documents).toHaveLength(held.size);
  expect([...held.keys()].filter((id) => id.startsWith('steady')).sort()).toEqual(STEADY);
  for (const [id, allowed] of allowedTexts(lines)) expect(allowed).toContain(held.get(id));
  const { results } = await view.search({ text: 'changing lamp', topK: 100, options: { minSimilarity: 0 } });
  for (const { content, metadata } of results)
    expect(held.get(String(metadata.source)) ?? '').toContain(content);
  expect(await view.verify()).toMatchObject({ ok: true, drift: [] });

  // In each model in turn it is there, and nowhere else.
  for (const model of ['Dedicated', 'Shared'] as const) {
    if ((await deployments.getDeploymentConfig('acme')).model !== model)
      await deployments.moveTenant({ tenantId: 'acme', model });
    const inShared = (await deployments.shared.list({ limit: 1_000 }, { tenant: 'acme' })).documents.length;
    expect(inShared).toBe(model === 'Shared' ? held.size : 0);
    expect(existsSync(join(folder, 'data', 'deployments', 'acme-knowledge'))).toBe(model === 'Dedicated');
    expect((await view.list({ limit: 1_000 })).documents.map(({ externalId }) => externalId).sort()).toEqual(
      [...held.keys()].sort(),
    );
  }
  expect(collectionsAtCustomer(folder)).toBe(0);
  expect((await deployments.shared.list({}, { tenant: 'other' })).documents).toHaveLength(1);
});

/** A service that works for a time and is killed, by its parent or by itself. */
async function liveAndDie(
  folder: string,
  { life, killAt, lifeMs }: { readonly life: number; readonly killAt: number; readonly lifeMs: number },
): Promise<void> {
  const args = ['--import', 'tsx', FIXTURE, folder, String(life), String(killAt)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (part: Buffer) => {
    said += part.toString();
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  const alive = new AbortController();
  void ended.then(() => alive.abort());
  await sleep(lifeMs, undefined, { signal: alive.signal }).catch(() => undefined);
  child.kill('SIGKILL');
  await ended;
  if (child.signalCode !== 'SIGKILL') throw new Error(`The service ended by itself: ${said}`);
}

const readLog = (folder: string): MoveLogLine[] =>
  readFileSync(join(folder, 'log'), 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as MoveLogLine]));

/** Texts that a document may have: of its last answered write, or of one that was never answered. Undefined: it is not there. */
function allowedTexts(lines: readonly MoveLogLine[]): Map<string, (string | undefined)[]> {
  const allowed = new Map<string, (string | undefined)[]>();
  for (const line of lines)
    if (line.kind === 'writing' || line.kind === 'written') {
      const text = line.version === undefined ? undefined : textOf(line.id, line.version);
      const before = allowed.get(line.id) ?? [undefined];
      allowed.set(line.id, line.kind === 'written' ? [text] : [...before, text]);
    }
  return allowed;
}

/** What serves, and the step of a move. */
function stageIn(folder: string): string {
  const path = join(folder, 'data', 'deployments', deploymentIdOf('acme'), 'deployment.json');
  if (!existsSync(path)) return 'Shared';
  const { deployment, move } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly deployment: { readonly model: string };
    readonly move?: { readonly stage: string };
  };
  return `${deployment.model}${move === undefined ? '' : ` ${move.stage}`}`;
}

/** Collections that were left in the store of the customer. */
function collectionsAtCustomer(folder: string): number {
  const path = join(folder, 'customer', 'store.db');
  if (!existsSync(path)) return 0;
  const database = SqliteDatabase.open(path, { toError: (_, cause) => storeError(path, 'other', cause) });
  try {
    const row = database.row('SELECT count(*) FROM store_collection');
    return row === undefined ? 0 : numberAt(row, 0);
  } finally {
    database.close();
  }
}
