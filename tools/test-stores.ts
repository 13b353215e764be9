/**
 * `npm run test:stores [-- STORE...] [--servers] [--json]`: the contract suite against real servers, each started from nothing; with
 * `--servers` the embedded stores, which `npm test` tests, are left out.
 *
 * A server is started by `RAGSTONE_SERVERS/NAME/start.sh` (default `../shared/servers`), unless its variable
 * (`RAGSTONE_TEST_POSTGRES_URL`) names one that runs. Exit 1 where a test fails, a server does not start or a contract was
 * skipped.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { type ContractOutcome, runContract } from './test-stores/run-contract.js';
import { type RunningServer, startServer, stopAllOnExit } from './test-stores/start-server.js';
import {
  type CommandWrapper,
  type ServerUnderTest,
  STORES,
  type StoreUnderTest,
} from './test-stores/stores.js';

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
    const problem = error instanceof Error ? error.message : String(error);
    say(`${name}: ${problem}`);
    return { name, version: '', server: kind, passed: 0, failed: 0, differences: [], error: problem };
  }
}

async function testWithServer(store: StoreUnderTest): Promise<{ version: string; outcome: ContractOutcome }> {
  const { server, tests, beside = [] } = store;
  if (server === undefined) {
    const outcome = await runContract({ tests, env: {}, without: VARIABLES });
    return { version: store.version?.() ?? '', outcome };
  }
  if (process.env[server.variable] === undefined && server.wrapsCommand !== undefined)
    return testBesideServer(tests, server, server.wrapsCommand);
  const running: (RunningServer & { readonly variable: string })[] = [];
  try {
    for (const one of [server, ...beside])
      running.push({ ...(await runningServer(one)), variable: one.variable });
    const env = Object.fromEntries(running.map(({ variable, url }) => [variable, url]));
    const version = running.map((one) => one.version).join(', ');
    return { version, outcome: await runContract({ tests, env, without: VARIABLES }) };
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
  tests: StoreUnderTest['tests'],
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
      tests,
      env: { [server.variable]: url },
      without: VARIABLES,
      wrapper: ['bash', script, 'bash', '-c', ask, 'bash'],
    });
    return { version: readVersion(await readFile(answer, 'utf8')), outcome };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function selectStores(names: readonly string[]): readonly StoreUnderTest[] {
  const unknown = names.filter((name) => !STORES.some((store) => store.name === name));
  if (unknown.length > 0) {
    say(`There is no store ${unknown.join(', ')}. Stores: ${STORES.map(({ name }) => name).join(', ')}.`);
    process.exit(2);
  }
  const isIncluded = ({ name, server, isSlow = server?.isSlow }: StoreUnderTest): boolean => {
    const wanted = names.length === 0 ? server !== undefined || !values.servers : names.includes(name);
    const isRunnable =
      isSlow !== true ||
      names.includes(name) ||
      process.env.RAGSTONE_SLOW === '1' ||
      (server !== undefined && process.env[server.variable] !== undefined);
    if (wanted && !isRunnable) say(`${name}: left out, it takes minutes; name it or set RAGSTONE_SLOW=1`);
    return wanted && isRunnable;
  };
  return STORES.filter(isIncluded);
}

function printTable(reports: readonly StoreReport[]): void {
  const table = new Table({ head: ['store', 'version', 'server', 'passed', 'failed', 'differences'] });
  for (const { name, version, server, passed, failed, differences, error } of reports)
    table.push([name, version, server, passed, failed, error ?? differences.join('\n')]);
  process.stdout.write(`${table.toString()}\n`);
}

const { values, positionals } = parseArgs({
  options: { servers: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
  allowPositionals: true,
});
stopAllOnExit();
const reports: StoreReport[] = [];
for (const store of selectStores(positionals)) reports.push(await testStore(store));
if (values.json) process.stdout.write(`${JSON.stringify({ stores: reports }, null, 2)}\n`);
else printTable(reports);
const isGood = reports.every(({ failed, error }) => failed === 0 && error === undefined);
process.exitCode = isGood && reports.length > 0 ? 0 : 1;
