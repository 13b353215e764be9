import { defineConfig } from 'vitest/config';

const TIMEOUTS = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...TIMEOUTS,
          name: 'unit',
          include: ['src/**/*.test.ts', 'tests/{docs,upgrade,pins,identifiers,hostile}/**/*.test.ts'],
        },
      },
      {
        test: {
          ...TIMEOUTS,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          // Only a run that holds such tests builds the command line.
          globalSetup: 'tests/build-once.ts',
        },
      },
    ],
  },
});
