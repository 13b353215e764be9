import tseslint from 'typescript-eslint';

const NOT_THE_TERMINAL = ['stdout', 'stderr'].map((property) => ({
  object: 'process',
  property,
  message: 'Write through `Terminal` (src/faces/cli/terminal.ts), which lets nothing steer the terminal.',
}));

const HANDED_IN =
  'Take it from `runtime()` (src/core/runtime.ts): a program may hand in clocks, timers and chance.';
const notTheMachine = (names) => names.map((name) => ({ name, message: HANDED_IN }));

const OF_A_KIND =
  'Open it by src/platform/security/regular-file.ts: a pipe in the place of a file would be waited for without an end.';
const NOT_BY_NAME = [
  { name: 'node:fs', importNames: ['openSync', 'readFileSync', 'createReadStream'], message: OF_A_KIND },
  { name: 'node:fs/promises', importNames: ['open', 'readFile'], message: OF_A_KIND },
];

// Biome formats and lints; this adds only the rules that need types.
export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'dist.next.*/**',
      'node_modules/**',
      'bench/peers/**',
      'tools/build/**',
      '**/*.js',
      '**/*.cjs',
      '**/*.mjs',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parser: tseslint.parser,
      // One program for all: examples have configurations of their own, for where their packages are installed.
      parserOptions: {
        project: ['./tsconfig.json', './console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
    },
  },
  {
    files: ['examples/**/*.ts'],
    rules: {
      // Their tests are those of Node.js, which waits for them.
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: ['describe', 'test'], package: 'node:test' }] },
      ],
    },
  },
  {
    // What a terminal shows was often written by somebody else: one writer takes out what would steer it.
    files: ['src/**/*.ts'],
    ignores: ['src/faces/cli/terminal.ts', 'src/testing/**', '**/*.test.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': ['error', ...NOT_THE_TERMINAL],
    },
  },
  {
    // The command line is for people, whose time is that of the machine.
    files: ['src/**/*.ts'],
    ignores: [
      'src/core/runtime.ts',
      // The same for browsers.
      'src/faces/client/client-runtime.ts',
      'src/faces/cli/**',
      'src/testing/**',
      '**/*.test.ts',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        ...NOT_THE_TERMINAL,
        ...[
          ['Date', 'now'],
          ['performance', 'now'],
          ['Math', 'random'],
          ['AbortSignal', 'timeout'],
        ].map(([object, property]) => ({ object, property, message: HANDED_IN })),
      ],
      'no-restricted-globals': ['error', ...notTheMachine(['setTimeout', 'setInterval'])],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'node:timers/promises', importNames: ['setTimeout', 'setInterval'], message: HANDED_IN },
            { name: 'node:crypto', importNames: ['randomUUID'], message: HANDED_IN },
            { name: 'node:timers', message: HANDED_IN },
            ...NOT_BY_NAME,
          ],
        },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: HANDED_IN },
      ],
    },
  },
  {
    files: ['src/faces/cli/**/*.ts'],
    // Its own package.json.
    ignores: ['src/faces/cli/package-version.ts', '**/*.test.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: NOT_BY_NAME }] },
  },
  {
    // What opens files for all others.
    files: ['src/platform/security/regular-file.ts', 'src/platform/security/private-files.ts'],
    rules: { 'no-restricted-imports': 'off' },
  },
);
