// Makes `dist/`; with `--if-stale` only where it is not what the sources make. A build takes the place of the last one when it is
// whole, so that one that is killed leaves what was there, which is stale still. Types are checked by `npm run typecheck`.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprint, isBuiltOf, markBuilt } from './build-state.mjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const DIST = join(ROOT, 'dist');
const NEXT = 'dist.next.';
/** Of one that others disturb. */
const TRIES = 100;

const state = fingerprint(ROOT);
if (!process.argv.includes('--if-stale') || !isBuiltOf(DIST, state)) {
  removeLeftBehind();
  const next = join(ROOT, `${NEXT}${process.pid}`);
  run('node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck', '--outDir', next);
  run('tools/build/bundle-command.mjs', next);
  run('tools/build/bundle-console.mjs', next);
  // Beside `parsing/pdf/character-maps.js`; their licence lies with them.
  cpSync(join(ROOT, 'node_modules/pdfjs-dist/cmaps'), join(next, 'parsing/pdf/cmaps'), { recursive: true });
  chmodSync(join(next, 'faces/cli/main.js'), 0o755);
  markBuilt(next, state);
  takePlace(next);
}

/** What is there goes aside in one step, so that no kill leaves a part of it. Another build may take the place meanwhile: it is as good. */
function takePlace(next) {
  const old = `${next}-old`;
  for (let tries = 0; tries === 0 || (tries < TRIES && !isBuiltOf(DIST, state)); tries++)
    try {
      if (lstatSync(DIST, { throwIfNoEntry: false }) !== undefined) renameSync(DIST, old);
      renameSync(next, DIST);
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
      rmSync(old, { recursive: true, force: true });
    }
  for (const folder of [next, old]) rmSync(folder, { recursive: true, force: true });
  if (!isBuiltOf(DIST, state)) throw new Error(`${DIST} could not be replaced: other builds write to it.`);
}

/** What builds that were killed left. */
function removeLeftBehind() {
  for (const name of readdirSync(ROOT))
    if (name.startsWith(NEXT) && !isRunning(Number.parseInt(name.slice(NEXT.length), 10)))
      rmSync(join(ROOT, name), { recursive: true, force: true });
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch ({ code }) {
    return code === 'EPERM';
  }
}

function run(...args) {
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}
