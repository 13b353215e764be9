// Whether `dist/` is what the sources make. Contents count and no times: a checkout changes times alone, a removed file leaves none.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SETTINGS = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/** What a build is made of, as one hash. */
export function fingerprint(root) {
  const hash = createHash('sha256');
  for (const path of [
    ...SETTINGS,
    ...filesOf(root, 'src'),
    ...filesOf(root, 'console'),
    ...filesOf(root, 'tools/build'),
  ])
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}

/** Written into a build when it is whole. */
export const markBuilt = (dist, state) => writeFileSync(markOf(dist), state);

export const isBuiltOf = (dist, state) =>
  existsSync(markOf(dist)) && readFileSync(markOf(dist), 'utf8') === state;

/** No part of a build (`tsconfig.build.json`). */
const OF_TESTS = /^test-.*\.ts$|\.test\.ts$/;

const markOf = (dist) => join(dist, '.built');

const filesOf = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !OF_TESTS.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
    .sort();
