import { expect, it } from 'vitest';
import { argumentsOf, elsewhere } from './vitest-arguments.js';

const PROJECTS = ['--project', 'unit', '--project', 'e2e'];

it.each([
  [[], { line: [...PROJECTS], isWhole: true, records: false }],
  [['--record'], { line: [...PROJECTS], isWhole: true, records: true }],
  [['src/core', '-t', 'x'], { line: [...PROJECTS, 'src/core', '-t', 'x'], isWhole: false, records: false }],
  [['--project', 'unit'], { line: ['--project', 'unit'], isWhole: false, records: false }],
  [['--project=unit'], { line: ['--project=unit'], isWhole: false, records: false }],
])('npm test with %j', (given, expected) => {
  expect(argumentsOf('test', given)).toEqual(expected);
});

it('a run that is not known is refused', () => {
  expect(() => argumentsOf('tests', [])).toThrow(/no run "tests": test, proofs/);
});

it('says which command runs a file of another one', () => {
  expect(elsewhere('test', ['src/a.test.ts', 'src/b.proof.test.ts', '--bail'])).toEqual([
    'src/b.proof.test.ts is run by `npm run test:proofs`.',
  ]);
  expect(elsewhere('proofs', ['src/b.proof.test.ts'])).toEqual([]);
});
