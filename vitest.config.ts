import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

/** What tests trust is none of the person's who runs them. */
const STATE = mkdtempSync(join(tmpdir(), 'ragstone-state-'));
process.once('exit', () => rmSync(STATE, { recursive: true, force: true }));

const TESTS = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  env: { XDG_STATE_HOME: STATE },
  setupFiles: 'tests/property-seed.ts',
};
const PROOFS = '**/*.proof.test.ts';
const CONTRACTS = '**/*.contract.test.ts';
// Only a run that holds tests of the command line builds it.
const BUILT = { globalSetup: 'tests/build-once.ts' };

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
          ...TESTS,
          name: 'unit',
          // Files of one process share their modules; loading them again for each file took half of the time.
          isolate: false,
          include: ['{src,bench,tools}/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'tests/e2e/**', PROOFS, CONTRACTS],
        },
      },
      {
        test: {
          ...TESTS,
          ...BUILT,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          exclude: [...configDefaults.exclude, PROOFS],
        },
      },
      {
        test: {
          ...TESTS,
          ...BUILT,
          name: 'proofs',
          include: [`{src,tests}/${PROOFS}`],
        },
      },
      {
        test: {
          ...TESTS,
          name: 'contracts',
          isolate: false,
          include: [`{src,tests}/${CONTRACTS}`],
        },
      },
    ],
  },
});
