import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const TIMEOUTS = { testTimeout: 60_000, hookTimeout: 60_000 };
/** What tests trust is none of the person's who runs them. */
const STATE = mkdtempSync(join(tmpdir(), 'ragstone-state-'));
process.once('exit', () => rmSync(STATE, { recursive: true, force: true }));

export default defineConfig({
  test: {
    // One process for each core; Vitest would leave one core to itself.
    maxWorkers: '100%',
    reporters: ['default', './tests/still-running-reporter.ts'],
    projects: [
      {
        test: {
          ...TIMEOUTS,
          env: { XDG_STATE_HOME: STATE },
          name: 'unit',
          setupFiles: 'tests/property-seed.ts',
          // Files of one process share their modules; loading them again for each file took half of the time.
          isolate: false,
          include: [
            '{src,bench,tools}/**/*.test.ts',
            'tests/{deployments,docs,failover,history,upgrade,pins,identifiers,hostile,ledger,simulation,sync,workers}/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...TIMEOUTS,
          env: { XDG_STATE_HOME: STATE },
          name: 'e2e',
          isolate: false,
          // The built command runs as it is, not as the test runner would transform it.
          server: { deps: { external: [/\/dist\//] } },
          setupFiles: 'tests/property-seed.ts',
          include: ['tests/{e2e,faults}/**/*.test.ts'],
          // Only a run that holds such tests builds the command line.
          globalSetup: 'tests/build-once.ts',
        },
      },
    ],
  },
});
