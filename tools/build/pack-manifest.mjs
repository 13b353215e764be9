// The `prepare` script builds a working copy. A consumer has nothing to build, and npm would warn of an install script that
// never runs, so the packed manifest has no development scripts, and the packed README nothing for a clone: `strip` before
// packing, `restore` after.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { packedReadme } from './packed-readme.mjs';

const packed = { 'package.json': packedManifest, 'README.md': packedReadme };

for (const [name, change] of Object.entries(packed)) {
  const file = new URL(`../../${name}`, import.meta.url);
  const original = new URL(`../../.${name}.original`, import.meta.url);
  if (process.argv[2] !== 'restore') {
    const text = readFileSync(file, 'utf8');
    writeFileSync(original, text);
    writeFileSync(file, change(text));
  } else if (existsSync(original)) renameSync(original, file);
}

function packedManifest(text) {
  const { scripts, devDependencies, overrides, allowScripts, ...published } = JSON.parse(text);
  return `${JSON.stringify(published, null, 2)}\n`;
}
