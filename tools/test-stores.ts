/**
 * `npm run test:stores [-- STORE...] [--all] [--json] [--record]`: the contract suite and what else needs a store, each server started from nothing. Without a
 * name PostgreSQL and the suites of which something changed since they passed last (`tests/stores-tested.json`); with `--all` everything.
 *
 * A server is started by `RAGSTONE_SERVERS/NAME/start.sh` (default `../shared/servers`), unless its variable
 * (`RAGSTONE_TEST_POSTGRES_URL`) names one that runs. Exit 1 where a test fails, a server does not start or a contract was
 * skipped. What passed is recorded, but for `CI=true`; its processor time is held
 * against tests/budget.json, or with `--record` written there.
 */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { messageOf } from '../src/core/errors.js';
import { holdParts, recordParts } from './budget/budget-file.js';
import { childSeconds, loopSeconds, median } from './budget/measure.js';
import { contentHash } from './test-stores/content-hash.js';
import { type ContractOutcome, type ContractRun, runContract } from './test-stores/run-contract.js';
import { selectStores, withPassed } from './test-stores/select-stores.js';
import type { CommandWrapper, ServerUnderTest } from './test-stores/servers.js';
import { type RunningServer, startServer, stopAllOnExit } from './test-stores/start-server.js';
import { STORES, type StoreUnderTest } from './test-stores/stores.js';
import { readTested, writeTested } from './test-stores/tested.js';

interface StoreReport {
  readonly name: string;
  readonly version: string;
  readonly server: 'real' | 'fake';
  readonly passed: number;
  readonly failed: number;
  readonly differences: readonly string[];
  /** Why the tests could not run. */
  readonly error?: string;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Hashes of what passed. */
const TESTED = join(ROOT, 'tests/stores-tested.json');
const SCRIPTS = resolve(ROOT, process.env.RAGSTONE_SERVERS ?? '../shared/servers');
const VARIABLES = STORES.flatMap(({ server, beside = [] }) =>
  [server, ...beside].flatMap((one) => one?.variable ?? []),
);

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function testStore(store: StoreUnderTest): Promise<StoreReport> {
  const { name, kind } = store;
  say(`${name}: testing`);
  try {
    const { version, outcome } = await testWithServer(store);
    for (const failure of outcome.failures) say(`${name}: ${failure}`);
    const { passed, failed, differences } = outcome;
    const report = { name, version, server: kind, passed, failed, differences };
    return outcome.contract > 0 ? report : { ...report, error: 'The contract did not run.' };
  } catch (error) {
    const problem = messageOf(error);
    say(`${name}: ${problem}`);
    return { name, version: '', server: kind, passed: 0, failed: 0, differences: [], error: problem };
  }
}

async function testWithServer(store: StoreUnderTest): Promise<{ version: string; outcome: ContractOutcome }> {
  const { server, tests, beside = [] } = store;
  const projects = store.isProof === true ? ['proofs'] : ['unit', 'e2e', 'contracts'];
  if (server === undefined) {
    const outcome = await runContract({ tests, projects, env: {}, without: VARIABLES });
    return { version: store.version?.() ?? '', outcome };
  }
  if (process.env[server.variable] === undefined && server.wrapsCommand !== undefined)
    return testBesideServer({ tests, projects }, server, server.wrapsCommand);
  const running: (RunningServer & { readonly variable: string })[] = [];
  try {
    for (const one of [server, ...beside])
      running.push({ ...(await runningServer(one)), variable: one.variable });
    const env = Object.fromEntries(running.map(({ variable, url }) => [variable, url]));
    const version = running.map((one) => one.version).join(', ');
    return { version, outcome: await runContract({ tests, projects, env, without: VARIABLES }) };
  } finally {
    for (const { stop } of running) await stop();
  }
}

/** One that is named runs already, and is left alone. */
async function runningServer(server: ServerUnderTest): Promise<RunningServer> {
  const given = process.env[server.variable];
  if (given !== undefined)
    return { url: given, version: await server.versionOf(given), stop: async () => undefined };
  return startServer(server, { scripts: SCRIPTS, say: (line) => say(`${server.folder}: ${line}`) });
}

// The server has a network of its own, so the tests run beside it, and so does the question for its version.
async function testBesideServer(
  files: Pick<ContractRun, 'tests' | 'projects'>,
  server: ServerUnderTest,
  { port, versionPath, readVersion }: CommandWrapper,
): Promise<{ version: string; outcome: ContractOutcome }> {
  const script = resolve(SCRIPTS, server.folder, 'run.sh');
  const url = server.urlOf(port);
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-version-'));
  const answer = join(folder, 'answer');
  const ask = `curl -sf ${url}${versionPath} > ${answer}; exec "$@"`;
  try {
    const outcome = await runContract({
      ...files,
      env: { [server.variable]: url },
      without: VARIABLES,
      wrapper: ['bash', script, 'bash', '-c', ask, 'bash'],
    });
    return { version: readVersion(await readFile(answer, 'utf8')), outcome };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is left out is said, with why. */
function storesAskedFor(names: readonly string[]): readonly StoreUnderTest[] {
  const unknown = names.filter((name) => !STORES.some((store) => store.name === name));
  if (unknown.length > 0) {
    say(`There is no store ${unknown.join(', ')}. Stores: ${STORES.map(({ name }) => name).join(', ')}.`);
    process.exit(2);
  }
  const { chosen, leftOut } = selectStores(STORES, {
    names,
    all: values.all,
    tested: readTested(TESTED),
    hashOf: (store) => contentHash(store, ROOT),
    hasServer: ({ server }) => server !== undefined && process.env[server.variable] !== undefined,
  });
  for (const { name, reason } of leftOut) say(`${name}: left out, ${reason}`);
  return chosen;
}

/** What was tested is what there was before it began. */
async function testAndRecord(store: StoreUnderTest): Promise<StoreReport> {
  const hash = contentHash(store, ROOT);
  const before = childSeconds();
  const report = await testStore(store);
  if (hasPassed(report)) seconds[store.name] = (childSeconds() ?? 0) - (before ?? 0);
  const tested = readTested(TESTED);
  const now = withPassed(tested, store, hash, hasPassed(report));
  if (now !== tested && process.env.CI !== 'true') writeTested(TESTED, now);
  return report;
}

const hasPassed = ({ failed, error }: StoreReport): boolean => failed === 0 && error === undefined;

function printTable(reports: readonly StoreReport[]): void {
  const table = new Table({ head: ['store', 'version', 'server', 'passed', 'failed', 'differences'] });
  for (const { name, version, server, passed, failed, differences, error } of reports)
    table.push([name, version, server, passed, failed, error ?? differences.join('\n')]);
  process.stdout.write(`${table.toString()}\n`);
}

const { values, positionals } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
stopAllOnExit();
/** Processor time of each suite that passed. */
const seconds: Record<string, number> = {};
const loopsBefore = loopSeconds();
const reports: StoreReport[] = [];
for (const store of storesAskedFor(positionals)) reports.push(await testAndRecord(store));
if (values.json) process.stdout.write(`${JSON.stringify({ stores: reports }, null, 2)}\n`);
else printTable(reports);
const isGood = reports.length > 0 && reports.every(hasPassed);
const isCheap = isWithinBudget();
process.exitCode = isGood && isCheap ? 0 : 1;

/** Servers are not counted: they are no children of this process. */
function isWithinBudget(): boolean {
  if (childSeconds() === undefined || process.env.RAGSTONE_SLOW === '1') return true;
  const loop = median([...loopsBefore, ...loopSeconds()]);
  const parts = Object.fromEntries(Object.entries(seconds).map(([name, taken]) => [name, taken / loop]));
  const loops = Object.values(parts).reduce((sum, part) => sum + part, 0);
  if (!values.record) return holdParts('stores', { loops, parts });
  recordParts('stores', parts);
  return true;
}
