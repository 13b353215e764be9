import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Builds the command line where a source is newer than it, before tests that spawn it. */
export default function buildOnce(): void {
  const built = statSync(join(ROOT, 'dist/cli/main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const inputs = [
    'tsconfig.build.json',
    'tools/build/bundle-command.mjs',
    ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => join('src', path)),
  ].filter((path) => /\.(ts|mjs|json)$/.test(path) && !path.endsWith('.test.ts'));
  const newest = Math.max(...inputs.map((path) => statSync(join(ROOT, path)).mtimeMs));
  if (newest <= built) return;
  const { status } = spawnSync('npm', ['run', 'build', '--silent'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  // The compiler writes its output even so, and types are checked by another step than tests.
  if (status !== 0) console.warn('the build reports errors; tests of the command line run what it wrote');
}
