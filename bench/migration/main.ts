/**
 * `npm run bench:migration -- [--issues N] [--pairs lancedb:postgres,chroma:opensearch] [--home FOLDER] [--no-rates]`: Jira issues go from each store into each
 * other one. Each migration is killed once in the middle. Reports whether anything was lost or is there twice, how many results are the same as in
 * the index that was copied, beside those of an index that was built afresh in the new store, and the rate beside the bare rate of the slower side:
 * the same adapters and nothing else (`bare-rates.ts`). Servers are those of RAGSTONE_TEST_POSTGRES_URL, _OPENSEARCH_URL and _CHROMA_URL. With
 * `--home` the indexes that are copied stay there, and in the servers, for the next run; with `--no-rates` the adapters are not measured alone.
 */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EVERYTHING } from '../../src/core/filter.js';
import { openEngine } from '../../src/engine/create-engine.js';
import { mean } from '../../src/evaluation/metrics.js';
import type { MigrationResult } from '../../src/index.js';
import { listAll } from '../../src/stores/list-pages.js';
import { readIssues } from '../sync/jira-issues.js';
import { bareReads, bareWrites, rateOfLast } from './bare-rates.js';
import { answersOf, buildOnce, type Place, placeIn, removeIndex, STORES } from './places.js';

const QUERIES = 300;
const TOP_K = 10;
const WORKER = fileURLToPath(new URL('migrating-process.ts', import.meta.url));

const { values } = parseArgs({
  options: {
    ...{ issues: { type: 'string' }, pairs: { type: 'string' }, home: { type: 'string' } },
    rates: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const pairs =
  values.pairs?.split(',').map((pair) => pair.split(':')) ??
  STORES.flatMap((b) => STORES.flatMap((a) => (a === b ? [] : [[a, b]])));

const home =
  values.home === undefined ? mkdtempSync(join(tmpdir(), 'migration-bench-')) : resolve(values.home);
mkdirSync(home, { recursive: true });

const JIRA = fileURLToPath(new URL('../../../shared/data/fixtures/jira-issues', import.meta.url));
const issues = readIssues(JIRA, Number(values.issues ?? Infinity)) ?? [];
if (issues.length === 0) throw new Error(`There are no issues in ${JIRA}.`);
const queries = issues
  .filter((_, i) => i % Math.max(1, Math.floor(issues.length / QUERIES)) === 0)
  .slice(0, QUERIES)
  .map(({ title }) => title);

function overlap(a: readonly string[][], b: readonly string[][]): number {
  const shares = a.flatMap((ids, i) =>
    ids.length === 0 ? [] : [ids.filter((id) => b[i]?.includes(id) === true).length / ids.length],
  );
  return mean(shares);
}

async function idsOf(place: Place): Promise<string[]> {
  const { engine, resources } = await openEngine(place);
  const { collection } = await resources.stores.collection();
  const ids = (await listAll(collection, { filter: EVERYTHING })).map(({ id }) => id);
  await engine.close();
  return ids;
}

/** What the copy lacks of the old index, and holds beyond it. */
async function differences(
  from: Place,
  to: Place,
): Promise<{ readonly lost: number; readonly more: number }> {
  const [old, copied] = [await idsOf(from), await idsOf(to)];
  const there = new Set(copied);
  const lost = old.filter((id) => !there.has(id)).length;
  return { lost, more: copied.length - (old.length - lost) };
}

interface Line {
  readonly stage?: string;
  readonly done?: number;
  readonly total?: number;
  readonly result?: MigrationResult;
}

/** Migrates in a process of its own; killed where half of the chunks are copied, where that is asked for. */
async function migrate(from: Place, to: Place, isKilled: boolean): Promise<MigrationResult | undefined> {
  const child = spawn(
    process.execPath,
    [...process.execArgv, WORKER, JSON.stringify({ from, to, cwd: home })],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let result: MigrationResult | undefined;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    result = line.result ?? result;
    const { stage, done = 0, total = 0 } = line;
    if (isKilled && stage === 'copying' && done > 0 && done >= total / 2) child.kill('SIGKILL');
  }
  await ended;
  return result;
}

/** Made once for each name. */
function once<Made>(make: (name: string) => Promise<Made>): (name: string) => Promise<Made> {
  const made = new Map<string, Promise<Made>>();
  return (name) => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
}

const index = once(async (store) => {
  const place = placeIn(home, store, store);
  const seconds = await buildOnce(place, issues);
  say(`${store}: ${issues.length} issues ${seconds === undefined ? 'are there' : `indexed in ${seconds} s`}`);
  return { place, answers: await answersOf(place, queries, TOP_K) };
});
const reads = once(async (store) => bareReads((await index(store)).place));
/** Of one store's chunks, which are those of all. */
const writes = once(async (store) => {
  const { place } = await index(pairs.find(([, b]) => b === store)?.[0] ?? store);
  say(`${store}: writes alone`);
  return bareWrites(place, placeIn(home, store, `${store}-bare`));
});

function say(text: string): void {
  console.error(`${new Date().toISOString()} ${text}`);
}

async function measured(a: string, b: string): Promise<readonly (string | number)[]> {
  const from = await index(a);
  const fresh = await index(b);
  const to = placeIn(home, b, `${a}-to-${b}`);
  rmSync(to.dataDir, { recursive: true, force: true });
  const bareRead = values.rates ? await reads(a) : [];
  const written = values.rates ? await writes(b) : [];
  say(`${a} to ${b}: first call`);
  if ((await migrate(from.place, to, true)) !== undefined)
    throw new Error(`${a} to ${b} was over before it was killed.`);
  say(`${a} to ${b}: second call`);
  const result = await migrate(from.place, to, false);
  if (result?.outcome !== 'switched') throw new Error(`${a} to ${b}: ${JSON.stringify(result)}`);
  const load = (loadavg()[1] ?? 0).toFixed(1);
  const copy = await answersOf(to, queries, TOP_K);
  const { lost, more } = await differences(from.place, to);
  say(
    `${a} to ${b}: ${lost} lost, ${more} more, overlap ${overlap(from.answers, copy)}, afresh ${overlap(from.answers, fresh.answers)}`,
  );
  await removeIndex(to);
  const rate = (result.copied * 1_000) / result.copyMs;
  const read = rateOfLast(bareRead, Infinity);
  const write = rateOfLast(written, result.copied);
  return [
    ...[a, b, result.chunks, lost, more],
    ...[overlap(from.answers, copy), overlap(from.answers, fresh.answers)].map((share) => share.toFixed(4)),
    ...[result.copied, ...[rate, read, write, rateOfLast(written.slice(0, 2), Infinity)].map(Math.round)],
    ...[(rate / Math.min(read, write)).toFixed(2), load],
  ];
}

console.log(
  '| from | to | chunks | lost | more than once | overlap of the copy | of an index built afresh | copied after the death | chunks/s | bare read | bare write | of the first 2,000 | share of the slower | load |',
);
console.log(`|${'---|'.repeat(14)}`);
try {
  for (const [a = '', b = ''] of pairs) {
    const cells = (await measured(a, b)).map((cell) => (String(cell) === 'NaN' ? '-' : cell));
    console.log(`| ${cells.join(' | ')} |`);
  }
} finally {
  if (values.home === undefined) rmSync(home, { recursive: true, force: true });
}
