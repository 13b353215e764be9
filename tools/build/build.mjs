// Makes `dist/`; with `--if-stale` only where it is not what the sources make. A build takes the place of the last one when it is
// whole, so that one that is killed leaves what was there, which is stale still. Types are checked by `npm run typecheck`.
import { execFileSync } from 'node:child_process';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprint, isBuiltOf, markBuilt } from './build-state.mjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const DIST = join(ROOT, 'dist');
const NEXT = join(ROOT, 'dist.next');

const state = fingerprint(ROOT);
if (!process.argv.includes('--if-stale') || !isBuiltOf(DIST, state)) {
  rmSync(NEXT, { recursive: true, force: true });
  run('node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck', '--outDir', NEXT);
  run('tools/build/bundle-command.mjs', NEXT);
  chmodSync(join(NEXT, 'cli/main.js'), 0o755);
  markBuilt(NEXT, state);
  rmSync(DIST, { recursive: true, force: true });
  renameSync(NEXT, DIST);
}

function run(...args) {
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}
