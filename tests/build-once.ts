import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Builds the command line where it is not what the sources make, before tests that spawn it. */
export default function buildOnce(): void {
  execFileSync(process.execPath, ['tools/build/build.mjs', '--if-stale'], { cwd: ROOT, stdio: 'inherit' });
}
