import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Imported first: the tests of a file have a data folder of their own, and leave nothing of it.
const folder = mkdtempSync(join(tmpdir(), 'spaarke-'));
process.env.SPAARKE_DATA = folder;
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
