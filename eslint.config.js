import tseslint from 'typescript-eslint';

// Biome formats and lints; this adds only the rules that need types.
export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'node_modules/**',
      'bench/peers/**',
      'tools/build/**',
      '**/*.js',
      '**/*.cjs',
      '**/*.mjs',
    ],
  },
  {
    files: ['**/*.ts'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
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
    // What a terminal shows was often written by somebody else: one writer takes out what would steer it.
    files: ['src/**/*.ts'],
    ignores: ['src/cli/terminal.ts', 'src/testing/**', '**/*.test.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        ...['stdout', 'stderr'].map((property) => ({
          object: 'process',
          property,
          message: 'Write through `Terminal` (src/cli/terminal.ts), which lets nothing steer the terminal.',
        })),
      ],
    },
  },
);
