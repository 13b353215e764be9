// Makes `npx ragstone` in a working copy run the build at once, as it does where Ragstone is installed. Without the link npx
// installs the folder into a cache of its own first, which is slow, and breaks when it is interrupted.
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const command = new URL('../../dist/cli/main.js', import.meta.url);
const binaries = new URL('../../node_modules/.bin/', import.meta.url);

chmodSync(command, 0o755);
// Windows needs a script in place of a link; there npx takes the slow way.
if (process.platform !== 'win32' && existsSync(new URL('..', binaries))) {
  mkdirSync(binaries, { recursive: true });
  const link = fileURLToPath(new URL('ragstone', binaries));
  rmSync(link, { force: true });
  symlinkSync('../../dist/cli/main.js', link);
}
