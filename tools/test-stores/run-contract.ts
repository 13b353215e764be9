import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/** What came of the tests of one store. */
export interface ContractOutcome {
  readonly passed: number;
  readonly failed: number;
  /** Tests of the contract itself that passed: none means that it was skipped. */
  readonly contract: number;
  /** `name: reason`, as declared. */
  readonly differences: readonly string[];
  /** Full names of what failed, with the first line of why. */
  readonly failures: readonly string[];
}

export interface ContractRun {
  /** Test files, as vitest's filter takes them. */
  readonly tests: string | readonly string[];
  /** Vitest's projects that they are of. */
  readonly projects: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the tests must not see. */
  readonly without: readonly string[];
  /** A command that runs the rest of its line beside a server. */
  readonly wrapper?: readonly string[];
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const CONTRACTS = [
  'VectorStore contract',
  'Ledger contract',
  'KnowledgeStore contract',
  'isolation of tenants',
  'Work of many machines',
  'Service under faults',
  'Stores kept in step',
  'Migration between stores',
  'Import of ',
  'a PostgreSQL server that a customer provides',
  'PostgreSQL that is',
];
const DIFFERENCES = 'declared differences';

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          fullName: z.string(),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});
type Report = z.output<typeof reportSchema>;
type TestResult = Report['testResults'][number]['assertionResults'][number];

/** Runs the tests of one store with vitest. Throws where vitest gives no report. */
export async function runContract(run: ContractRun): Promise<ContractOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-report-'));
  const file = join(folder, 'report.json');
  try {
    const said = await runVitest(run, file);
    const report = await readFile(file, 'utf8').catch(() => undefined);
    if (report === undefined)
      throw new Error(`The tests of ${[run.tests].flat().join(', ')} gave no report:\n${said.slice(-2_000)}`);
    return outcomeOf(reportSchema.parse(JSON.parse(report)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runVitest(
  { tests, projects, env, without, wrapper = [] }: ContractRun,
  file: string,
): Promise<string> {
  const line = [
    process.execPath,
    VITEST,
    'run',
    ...[tests].flat(),
    ...projects.map((name) => `--project=${name}`),
    '--reporter=json',
    `--outputFile=${file}`,
  ];
  const [command = '', ...parameters] = [...wrapper, ...line];
  const inherited = Object.entries(process.env).filter(([name]) => !without.includes(name));
  const child = spawn(command, parameters, {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      said = (said + part.toString()).slice(-20_000);
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(said));
  });
}

export function outcomeOf({ testResults }: Report): ContractOutcome {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed');
  const failed = tests.filter(({ status }) => status === 'failed');
  // A file that cannot be loaded has no tests.
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  const isOfContract = ({ ancestorTitles }: TestResult): boolean =>
    ancestorTitles.some((title) => CONTRACTS.some((contract) => title.startsWith(contract)));
  const declared = tests.filter(({ ancestorTitles }) => ancestorTitles.includes(DIFFERENCES));
  return {
    passed: passed.length,
    failed: failed.length + broken.length,
    contract: passed.filter(isOfContract).length,
    differences: [...new Set(declared.map(({ title }) => title))],
    failures: [
      ...failed.map(({ fullName, failureMessages }) => `${fullName}: ${beginningOf(failureMessages?.[0])}`),
      ...broken.map(({ name, message }) => `${name}: ${beginningOf(message)}`),
    ],
  };
}

/** Characters of a failure that are shown: enough for what was expected and where. */
const SHOWN = 2_000;

const beginningOf = (text = 'no message'): string => text.slice(0, SHOWN);
