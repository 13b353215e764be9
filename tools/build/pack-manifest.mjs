// The `prepare` script builds a working copy. A consumer has nothing to build, and npm would warn of an install script that
// never runs, so the packed manifest has no development scripts: `strip` before packing, `restore` after.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const manifest = new URL('../../package.json', import.meta.url);
const original = new URL('../../.package.json.original', import.meta.url);

if (process.argv[2] === 'restore') {
  if (existsSync(original)) renameSync(original, manifest);
} else {
  const text = readFileSync(manifest, 'utf8');
  const { scripts, devDependencies, overrides, allowScripts, ...published } = JSON.parse(text);
  writeFileSync(original, text);
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);
}
