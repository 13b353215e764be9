import { configDefaults, defineConfig } from 'vitest/config';
import { makeRunFolder } from './tests/run-folder.js';

const { state, temporary } = makeRunFolder();
/** Against what hangs; long enough for a machine that does ten other things. Milliseconds. */
const LIMIT = 300_000;
const TESTS = {
  testTimeout: LIMIT,
  hookTimeout: LIMIT,
  expect: { poll: { timeout: LIMIT } },
  env: { XDG_STATE_HOME: state },
  setupFiles: 'tests/property-seed.ts',
  // What users get is tested as it is built.
  globalSetup: 'tests/build-once.ts',
  // The built command runs as it is, not as the test runner would transform it.
  server: { deps: { external: [/\/dist\//] } },
};
const IN_MEMORY = { ...TESTS, env: { ...TESTS.env, TMPDIR: temporary } };
const PROOFS = '**/*.proof.test.ts';
const SLOW = '**/*.slow.test.ts';
/** Walked in a browser, which is on few machines. */
const BROWSER = '**/*.browser.test.ts';
const CONTRACTS = '**/*.contract.test.ts';

/** The name of a file says which command runs it (CONTRIBUTING.md). */
export default defineConfig({
  test: {
    // One process for each core; Vitest would leave one core to itself.
    maxWorkers: '100%',
    reporters: [
      'default',
      './tests/still-running-reporter.ts',
      ...(process.env.RAGSTONE_DURATIONS === undefined ? [] : ['./tools/budget/durations-reporter.ts']),
    ],
    projects: [
      {
        test: {
          ...IN_MEMORY,
          name: 'unit',
          // Files of one process share their modules; loading them again for each file took half of the time.
          isolate: false,
          include: ['{src,bench,tools,console}/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'tests/e2e/**', PROOFS, CONTRACTS, SLOW, BROWSER],
        },
      },
      {
        test: {
          ...IN_MEMORY,
          name: 'e2e',
          isolate: false,
          include: ['tests/e2e/**/*.test.ts'],
          exclude: [...configDefaults.exclude, PROOFS, CONTRACTS, SLOW],
        },
      },
      {
        test: {
          // What survives has to be on a disk, and many processes take long on a busy machine.
          ...TESTS,
          name: 'proofs',
          include: [`{src,tests,tools}/${PROOFS}`],
        },
      },
      {
        test: {
          ...IN_MEMORY,
          name: 'slow',
          include: [`{src,tests}/${SLOW}`],
        },
      },
      {
        test: {
          ...IN_MEMORY,
          name: 'console',
          include: [`tests/console/${BROWSER}`],
          // One browser at a time: a search is held against the clock.
          fileParallelism: false,
        },
      },
      {
        test: {
          ...IN_MEMORY,
          name: 'contracts',
          isolate: false,
          include: [`{src,tests}/${CONTRACTS}`],
        },
      },
    ],
  },
});
