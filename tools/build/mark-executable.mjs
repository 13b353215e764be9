// `bin` files must be executable when npm links them from a working copy.
import { chmodSync } from 'node:fs';

chmodSync(new URL('../../dist/cli/main.js', import.meta.url), 0o755);
