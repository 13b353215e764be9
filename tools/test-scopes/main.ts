/**
 * `npm run test:scopes`: takes each check of a scope away in turn, in a copy of the sources, and expects tests to fail. A check
 * that no test misses could be lost tomorrow without anybody noticing. `npm run test:scopes -- PATH` looks at some files alone.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findMutants, type Mutant } from './find-mutants.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Tests of scopes, and those of the folder in which a check stands. */
const SUITES = [
  'src/core/scope.test.ts',
  'src/security/scoped-collection.test.ts',
  'src/engine/scope-checks.test.ts',
  'src/engine/scoped-engine.test.ts',
];
const SUITES_OF_FOLDER: Readonly<Record<string, readonly string[]>> = {
  'explain-miss': ['src/explain-miss/explain-miss.test.ts'],
  'knowledge-store': ['src/knowledge-store/knowledge-store.test.ts'],
};

/** Checks that another one repeats, by file and by a part of their text: taking one of the two away changes nothing. */
const REPEATED: readonly { readonly path: string; readonly text: string; readonly because: string }[] = [
  {
    path: 'src/engine/documents.ts',
    text: 'tenant === scope.tenant',
    because: 'the chunks of the document are read through the scoped collection',
  },
];

interface Check extends Mutant {
  readonly path: string;
}

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

/** A copy whose sources may be changed; everything else is the original. */
function copyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-scopes-'));
  const copied = ['src', 'tests'];
  for (const name of readdirSync(ROOT)) {
    if (copied.includes(name)) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    else if (!['.git', 'dist'].includes(name)) symlinkSync(join(ROOT, name), join(folder, name));
  }
  return folder;
}

/** Whether the tests of scopes pass in a copy. */
function passes(folder: string, path: string): boolean {
  const suites = [...SUITES, ...(SUITES_OF_FOLDER[path.split('/')[1] ?? ''] ?? [])];
  const { status, error } = spawnSync(
    join(ROOT, 'node_modules/.bin/vitest'),
    ['run', '--project', 'unit', '--bail', '1', ...suites],
    { cwd: folder, encoding: 'utf8', timeout: 600_000 },
  );
  if (error !== undefined && status !== null) throw error;
  return status === 0;
}

function main(wanted: readonly string[]): number {
  const checks = checksOf(wanted);
  if (checks.length === 0) throw new Error(`No scope check is found in ${wanted.join(', ') || 'src'}.`);
  const folder = copyProject();
  const survivors: string[] = [];
  try {
    if (!passes(folder, '')) throw new Error('The tests of scopes fail with every check in place.');
    for (const { path, start, end, replacement, line, change } of checks) {
      const name = `${path}:${line} ${change}`;
      const repeated = REPEATED.find((entry) => entry.path === path && change.includes(entry.text));
      if (repeated !== undefined) {
        console.log(`repeated  ${name} (${repeated.because})`);
        continue;
      }
      const original = readFileSync(join(ROOT, path), 'utf8');
      writeFileSync(join(folder, path), original.slice(0, start) + replacement + original.slice(end));
      const isMissed = !passes(folder, path);
      writeFileSync(join(folder, path), original);
      console.log(`${isMissed ? 'missed   ' : 'NOT MISSED'} ${name}`);
      if (!isMissed) survivors.push(name);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.log(`${checks.length} checks, ${survivors.length} of which no test misses.`);
  return survivors.length === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
