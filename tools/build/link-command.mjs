// Makes the command of a working copy one of its own packages' (`node_modules/.bin`), for scripts of npm and for `npx` below
// `examples/`. At the root `npx ragstone` links the folder into the cache of npm and runs `prepare`, link or not.
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const binaries = new URL('../../node_modules/.bin/', import.meta.url);

// Windows needs a script in place of a link.
if (process.platform !== 'win32' && existsSync(new URL('..', binaries))) {
  mkdirSync(binaries, { recursive: true });
  const link = fileURLToPath(new URL('ragstone', binaries));
  rmSync(link, { force: true });
  symlinkSync('../../dist/faces/cli/main.js', link);
}
