/**
 * `npm run bench:migration -- [--issues N] [--pairs lancedb:postgres,chroma:opensearch]`: Jira issues go from each store into each other one. Each
 * migration is killed once in the middle. Reports whether anything was lost, how many results are the same as in the index that was copied, beside
 * those of an index that was built afresh in the new store, and the rate beside the bare rate of the slower side: reads, or writes, by the same
 * adapters and nothing else. Servers are those of RAGSTONE_TEST_POSTGRES_URL, _OPENSEARCH_URL and _CHROMA_URL.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EVERYTHING } from '../../src/core/filter.js';
import { openEngine } from '../../src/engine/create-engine.js';
import type { MigrationResult, RAGSettingsInput } from '../../src/index.js';
import { listAll } from '../../src/stores/list-pages.js';
import type { VectorCollection } from '../../src/stores/vector-store.js';
import { readIssues, textOfIssue } from '../sync/jira-issues.js';

const QUERIES = 300;
const TOP_K = 10;
const AT_ONCE = 1_000;
/** Chunks that are read and written for the bare rates. */
const BARE_CHUNKS = 2_000;
const WORKER = fileURLToPath(new URL('migrating-process.ts', import.meta.url));

const SERVERS: Readonly<Record<string, string | undefined>> = {
  postgres: process.env.RAGSTONE_TEST_POSTGRES_URL,
  opensearch: process.env.RAGSTONE_TEST_OPENSEARCH_URL,
  chroma: process.env.RAGSTONE_TEST_CHROMA_URL,
};
const STORES = ['lancedb', 'postgres', 'opensearch', 'chroma'];

const { values } = parseArgs({ options: { issues: { type: 'string' }, pairs: { type: 'string' } } });
const pairs =
  values.pairs?.split(',').map((pair) => pair.split(':')) ??
  STORES.flatMap((a) => STORES.flatMap((b) => (a === b ? [] : [[a, b]])));

const home = mkdtempSync(join(tmpdir(), 'migration-bench-'));

interface Place {
  readonly config: RAGSettingsInput;
  readonly dataDir: string;
}

function place(store: string, name: string): Place {
  const url = SERVERS[store];
  if (store !== 'lancedb' && url === undefined)
    throw new Error(`RAGSTONE_TEST_${store.toUpperCase()}_URL names no server.`);
  const config = {
    provider: store as NonNullable<RAGSettingsInput['provider']>,
    ...(url === undefined ? {} : { storage: { server: { url, namespace: `bench${process.pid}` } } }),
  };
  return { config, dataDir: join(home, name) };
}

const JIRA = fileURLToPath(new URL('../../../shared/data/fixtures/jira-issues', import.meta.url));
const issues = readIssues(JIRA, Number(values.issues ?? Infinity)) ?? [];
if (issues.length === 0) throw new Error(`There are no issues in ${JIRA}.`);
const queries = issues
  .filter((_, i) => i % Math.max(1, Math.floor(issues.length / QUERIES)) === 0)
  .slice(0, QUERIES)
  .map(({ title }) => title);

/** Results of all queries, by ids. */
async function answers(of: Place): Promise<string[][]> {
  const { engine } = await openEngine({ ...of, cwd: home });
  const found: string[][] = [];
  for (const text of queries) {
    const options = { topK: TOP_K, minSimilarity: 0 };
    found.push((await engine.search({ text, options })).results.map(({ id }) => id));
  }
  await engine.close();
  return found;
}

function overlap(a: readonly string[][], b: readonly string[][]): number {
  const shares = a.flatMap((ids, i) =>
    ids.length === 0 ? [] : [ids.filter((id) => b[i]?.includes(id) === true).length / ids.length],
  );
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
}

async function build(of: Place): Promise<void> {
  const { engine } = await openEngine({ ...of, cwd: home });
  for (let start = 0; start < issues.length; start += AT_ONCE)
    await engine.push(
      issues.slice(start, start + AT_ONCE).map((issue) => ({
        id: issue.issuekey,
        title: issue.title,
        text: textOfIssue(issue),
      })),
    );
  await engine.close();
}

/** Chunks a second that are read with their vectors, and written, by the adapters alone. */
async function bareRates(from: Place, to: Place): Promise<{ readonly read: number; readonly write: number }> {
  const source = await openEngine({ ...from, cwd: home });
  const { collection, facts } = await source.resources.collection();
  const ids = (await listAll(collection, { filter: EVERYTHING })).map(({ id }) => id).slice(0, BARE_CHUNKS);
  const target = await openEngine({ ...to, cwd: home });
  const { store } = await target.resources.store();
  const name = `bare-${process.pid}`;
  const spec = { name, dimensions: facts.dimensions, fingerprint: facts.fingerprint };
  const bare: VectorCollection = await store.open(spec);
  let readMs = 0;
  let writeMs = 0;
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    let began = performance.now();
    const chunks = await collection.get(ids.slice(start, start + AT_ONCE), { includeVectors: true });
    readMs += performance.now() - began;
    const records = chunks.flatMap(({ vector, ...chunk }) =>
      vector === undefined ? [] : [{ ...chunk, vector, searchText: chunk.content.toLowerCase() }],
    );
    began = performance.now();
    await bare.upsert(records);
    writeMs += performance.now() - began;
  }
  await store.drop(name);
  await source.engine.close();
  await target.engine.close();
  return { read: (ids.length * 1_000) / readMs, write: (ids.length * 1_000) / writeMs };
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

const built = new Map<string, { readonly place: Place; readonly answers: string[][] }>();
async function index(store: string) {
  const known = built.get(store);
  if (known !== undefined) return known;
  const of = place(store, store);
  const began = performance.now();
  await build(of);
  console.error(
    `${store}: ${issues.length} issues indexed in ${Math.round((performance.now() - began) / 1000)} s`,
  );
  const made = { place: of, answers: await answers(of) };
  built.set(store, made);
  return made;
}

console.log(
  '| from | to | chunks | lost | overlap of the copy | of an index built afresh | chunks/s | bare read | bare write | share of the slower |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|');
try {
  for (const [a = '', b = ''] of pairs) {
    const from = await index(a);
    const fresh = await index(b);
    const to = place(b, `${a}-to-${b}`);
    await migrate(from.place, to, true);
    const result = await migrate(from.place, to, false);
    if (result?.outcome !== 'switched') throw new Error(`${a} to ${b}: ${JSON.stringify(result)}`);
    const copy = await answers(to);
    const bare = await bareRates(from.place, fresh.place);
    const rate = (result.copied * 1_000) / result.copyMs;
    const cells = [
      ...[a, b, result.chunks, result.chunks - (result.check?.chunks ?? 0)],
      ...[overlap(from.answers, copy), overlap(from.answers, fresh.answers)].map((share) => share.toFixed(4)),
      ...[rate, bare.read, bare.write].map(Math.round),
      (rate / Math.min(bare.read, bare.write)).toFixed(2),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
