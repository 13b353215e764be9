import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { StoreUnderTest } from './stores.js';

/** What every suite rests on: the interfaces and helpers of stores, and the contract. */
const OF_ALL = ['src/stores/*.ts', 'src/testing/vector-store/', 'tests/with-test-server.ts'];
const OWN_SERVERS = 'tools/test-stores/';
/** Of a run on this machine, and of nothing that is tested. */
const LEFT_BEHIND = /(^|\/)(node_modules|__pycache__)\//;

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional() })),
});

/** Says by its change that the tests of a store have to run again. */
export function contentHash(store: StoreUnderTest, root: string): string {
  const hash = createHash('sha256');
  // Tests of what it is about are not its own.
  const tested = filesOf(placesOf(store), root).filter((path) => !path.endsWith('.test.ts'));
  const paths = new Set([...filesOf([store.tests].flat(), root), ...tested]);
  for (const path of [...paths].sort())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  for (const [name, version] of versionsOf(store.packages ?? [], root)) hash.update(`${name}@${version}\0`);
  return hash.digest('hex').slice(0, 16);
}

/** What it tests, and with what. Folders end with a slash; `*.ts` stands for the files of a folder itself. */
const placesOf = ({ about = [], server, beside = [] }: StoreUnderTest): string[] => [
  ...OF_ALL,
  ...about,
  ...[server, ...beside].flatMap((one) => (one?.isOwn === true ? `${OWN_SERVERS}${one.folder}/` : [])),
];

function filesOf(places: readonly string[], root: string): string[] {
  return places.flatMap((place) => {
    if (place.endsWith('/*.ts')) return filesBelow(place.slice(0, -'*.ts'.length), root, false);
    return statSync(join(root, place)).isDirectory() ? filesBelow(place, root, true) : [place];
  });
}

const filesBelow = (folder: string, root: string, recursive: boolean): string[] =>
  readdirSync(join(root, folder), { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/').replace(/^\//, ''),
    )
    .filter((path) => !LEFT_BEHIND.test(path));

function versionsOf(names: readonly string[], root: string): [name: string, version: string][] {
  if (names.length === 0) return [];
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  return names.map((name) => {
    const version = packages[`node_modules/${name}`]?.version;
    if (version === undefined) throw new Error(`package-lock.json has no ${name}.`);
    return [name, version];
  });
}
