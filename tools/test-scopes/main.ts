/**
 * `npm run test:scopes`: takes each check of a scope away in turn, in a copy of the sources, and expects tests to fail. A check
 * that no test misses could be lost tomorrow without anybody noticing. `npm run test:scopes -- PATH` looks at some files alone.
 *
 * The copy holds every check with a condition around it, and one Vitest runs the tests again and again: sources are compiled once.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest, type Vitest } from 'vitest/node';
import { findMutants, type Mutant, withMutants } from './find-mutants.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A check without which a test never ends was missed too. */
const TEST_TIMEOUT_MS = 30_000;

/** Tests of scopes, the quick ones first: a run ends with the first that fails. */
const SUITES = [
  'src/core/scope.test.ts',
  'src/stores/scoped-collection.test.ts',
  'src/engine/scope-checks.test.ts',
  'src/engine/scoped-engine.test.ts',
];
/** Those of the folder in which a check stands. */
const SUITES_OF_FOLDER: Readonly<Record<string, readonly string[]>> = {
  'src/features/explain-miss': ['src/features/explain-miss/explain-miss.test.ts'],
  'src/features/extraction': [
    'src/features/extraction/extract-facts.test.ts',
    'src/features/extraction/summarize-facts.test.ts',
  ],
  'src/features/feedback': [
    'src/features/feedback/feedback-log.test.ts',
    'src/features/feedback/feedback.test.ts',
  ],
  'src/indexing': ['src/indexing/abandoned-sources.test.ts', 'src/indexing/run-index.test.ts'],
  'src/compat/knowledge-store': ['src/compat/knowledge-store/knowledge-store.test.ts'],
  'src/features/maintenance': ['src/features/maintenance/verify-index.test.ts'],
  'src/searching': [
    'src/resources/query-adaptation.proof.test.ts',
    'src/searching/related.test.ts',
    'src/searching/conflicts.test.ts',
  ],
  'src/stores/libsql': [
    'src/stores/libsql/libsql-collection.test.ts',
    'src/stores/libsql/libsql-store.test.ts',
  ],
};

/** Checks that another one repeats, so that taking one of the two away changes nothing, or that other tests look at. By file and by a part of their text. */
const REPEATED: readonly { readonly path: string; readonly text: string; readonly because: string }[] = [
  {
    path: 'src/engine/documents.ts',
    text: 'document.tenant !== scope.tenant',
    because: 'the chunks of the document are read through the scoped collection',
  },
  {
    path: 'src/indexing/run-index.ts',
    text: 'tenant === options.scope.tenant',
    because: 'engine/index-requests.ts asks for no rebuild where another tenant has documents',
  },
  {
    path: 'src/resources/query-adaptation.ts',
    text: 'part.tenant === tenant',
    because: 'the hash of a sample is one over ids of chunks, which are hashes over the tenant',
  },
  {
    path: 'src/stores/postgres/rag-documents-layout.ts',
    text: 'record.tenant !== tenant',
    because: 'its tests need a PostgreSQL server, and `npm run test:stores` runs them',
  },
];

interface Check extends Mutant {
  readonly path: string;
}

const nameOf = ({ path, line, change }: Check): string => `${path}:${line} ${change}`;

function checksOf(wanted: readonly string[]): Check[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => join('src', path))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)))
    .sort()
    .flatMap((path) =>
      findMutants(path, readFileSync(join(ROOT, path), 'utf8')).map((mutant) => ({ ...mutant, path })),
    );
}

/** A copy whose sources hold the checks with their conditions; everything but sources and tests is the original. */
function copyProject(checks: readonly Check[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-scopes-'));
  const copied = ['src', 'tests'];
  for (const name of readdirSync(ROOT)) {
    if (copied.includes(name)) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    else if (!['.git', 'dist'].includes(name)) symlinkSync(join(ROOT, name), join(folder, name));
  }
  for (const path of new Set(checks.map((check) => check.path))) {
    const own = checks.filter((check) => check.path === path);
    writeFileSync(
      join(folder, path),
      withMutants(readFileSync(join(ROOT, path), 'utf8'), own, (mutant) => nameOf({ ...mutant, path })),
    );
  }
  return folder;
}

/** Whether the tests of scopes pass, run after run until one fails, without a check. */
async function passes(vitest: Vitest, suites: readonly string[], takenAway: string): Promise<boolean> {
  vitest.provide('ragstoneTakenAway', { ragstoneTakenAway: takenAway });
  for (const suite of suites) {
    const specifications = await vitest.globTestSpecifications([suite]);
    if (specifications.length === 0) throw new Error(`There is no test file ${suite}.`);
    const { testModules, unhandledErrors } = await vitest.rerunTestSpecifications(specifications);
    // The result names the modules of earlier runs too.
    const own = testModules.filter(({ moduleId }) => moduleId.endsWith(suite));
    if (unhandledErrors.length > 0 || own.length !== 1 || !own.every((module) => module.ok())) return false;
  }
  return true;
}

async function survivorsOf(vitest: Vitest, checks: readonly Check[]): Promise<string[]> {
  const survivors: string[] = [];
  await assertSound(vitest);
  for (const check of checks) {
    const name = nameOf(check);
    const repeated = REPEATED.find(({ path, text }) => path === check.path && check.change.includes(text));
    if (repeated !== undefined) {
      console.log(`repeated   ${name} (${repeated.because})`);
      continue;
    }
    const suites = [...SUITES, ...(SUITES_OF_FOLDER[dirname(check.path)] ?? [])];
    const isMissed = !(await passes(vitest, suites, name));
    console.log(`${isMissed ? 'missed    ' : 'NOT MISSED'} ${name}`);
    if (!isMissed) survivors.push(name);
  }
  // A run that goes wrong for another reason must not count as a check that was missed.
  await assertSound(vitest);
  return survivors;
}

async function assertSound(vitest: Vitest): Promise<void> {
  const everySuite = [...SUITES, ...Object.values(SUITES_OF_FOLDER).flat()];
  if (!(await passes(vitest, everySuite, '')))
    throw new Error('The tests of scopes fail with every check in place.');
}

async function main(wanted: readonly string[]): Promise<number> {
  const checks = checksOf(wanted);
  if (checks.length === 0) throw new Error(`No scope check is found in ${wanted.join(', ') || 'src'}.`);
  const folder = copyProject(checks);
  const vitest = await createVitest('test', {
    config: false,
    root: folder,
    watch: false,
    include: ['src/**/*.test.ts'],
    isolate: false,
    maxWorkers: 1,
    reporters: [{}],
    setupFiles: [join(ROOT, 'tools/test-scopes/take-away.ts')],
    env: { XDG_STATE_HOME: join(folder, 'state') },
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
  });
  try {
    const survivors = await survivorsOf(vitest, checks);
    console.log(`${checks.length} checks, ${survivors.length} of which no test misses.`);
    return survivors.length === 0 ? 0 : 1;
  } finally {
    await vitest.close();
    rmSync(folder, { recursive: true });
  }
}

process.exitCode = await main(process.argv.slice(2));
