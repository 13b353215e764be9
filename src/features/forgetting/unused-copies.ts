import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { DATA_FILES, DATA_FOLDERS } from '../../core/data-folder.js';
import { holdsVectors } from '../../embedding/prune-vectors.js';
import type { Generation } from '../../ledger/ledger.js';
import type { LeftElsewhere, RemovedFrom } from '../../operations/forget-types.js';
import { earlierServers } from '../../platform/redis/remembered-servers.js';
import { PRIVATE_FILE } from '../../platform/security/private-files.js';
import { readRegularFileSync } from '../../platform/security/regular-file.js';
import { namesInJournal } from '../../stores/failover/names-in-journal.js';
import type { ForgettingHost } from './forgetting-host.js';

/** Files of the data folder that hold copies of what is indexed and that no setting keeps up any more. */
export interface UnusedCopy {
  readonly place: string;
  /** Files and folders that go whole. */
  readonly paths: readonly string[];
}

/** Names of stores that `rag.failover` named and that are kept elsewhere, of a journal that is gone. */
const EARLIER = 'earlier-stores.json';
/** What a store of `rag.failover` that is kept elsewhere has in the data folder. */
const BESIDE: ReadonlySet<string> = new Set<string>([DATA_FOLDERS.lexical]);
/** A lock in the folder of `rag.failover`, not a store. */
const COPY_LOCK = 'copy';

/**
 * Copies that an earlier configuration made: kept results, words of a server, stores of `rag.failover`, vectors. Nothing is deleted from them
 * document by document, for nobody opens them any more. An index that forgets has none: what stands in the folder is another one's.
 *
 * @param generations all of the index
 */
export async function unusedCopies(
  generations: readonly Generation[],
  { config, resources }: ForgettingHost,
): Promise<UnusedCopy[]> {
  if (resources.isForgetful) return [];
  const { dataDir, rag } = config;
  const copies: UnusedCopy[] = [];
  const add = (place: string, paths: readonly string[]): void => {
    const there = paths.filter((path) => existsSync(path));
    if (there.length > 0) copies.push({ place, paths: there });
  };
  if (!resources.results.keepsFile)
    add('results of an earlier cache', [join(dataDir, DATA_FILES.searchResults)]);
  const words = await Promise.all(generations.map((facts) => resources.stores.copiesWords(facts)));
  if (!words.includes(true))
    add('words of a server that are copied no more', [join(dataDir, DATA_FOLDERS.words)]);
  const folder = join(dataDir, DATA_FOLDERS.failover);
  if (rag.failover === undefined)
    add(
      'stores that rag.failover named',
      namesIn(folder)
        .filter((name) => name !== EARLIER)
        .map((name) => join(folder, name)),
    );
  else
    add(
      'stores that rag.failover named',
      foldersOfStores(folder)
        .filter((name) => name !== rag.failover?.secondary.name)
        .flatMap((name) => namesIn(join(folder, name)).map((entry) => join(folder, name, entry))),
    );
  const vectors = join(dataDir, DATA_FOLDERS.cache, 'embeddings');
  if (vectors !== rag.embedding.cache.path && holdsVectors(vectors))
    add('an earlier cache of vectors', [vectors]);
  return copies;
}

/** Removes them. Each step may be done twice. */
export async function eraseUnused(
  generations: readonly Generation[],
  host: ForgettingHost,
): Promise<RemovedFrom[]> {
  const copies = await unusedCopies(generations, host);
  if (copies.length === 0) return [];
  await rememberEarlier(host);
  for (const { paths } of copies) for (const path of paths) await rm(path, { recursive: true, force: true });
  return copies.map(({ place, paths }) => ({ place, what: 'files and folders', count: paths.length }));
}

/** What an earlier configuration kept elsewhere, where nothing was deleted: stores of `rag.failover`, and Redis servers. */
export async function leftOfEarlier(host: ForgettingHost): Promise<LeftElsewhere[]> {
  const stores = (await storesElsewhere(host)).map((name) => ({
    where: `the store ${JSON.stringify(name)}, which rag.failover named`,
    detail:
      'It is not kept in the data folder and no setting names it any more, so nothing was deleted from it. Remove what it holds of this index there; or name it in rag.failover again and run `ragstone stores sync`, which fills it anew.',
  }));
  const { dataDir, serviceDir = dataDir, rag } = host.config;
  const named = new Map<string, unknown>([
    ['rag.retrieval.cache.redis', rag.retrieval.cache.redis],
    ['rag.embedding.cache.redis', rag.embedding.cache.redis],
    ['rag.server.redis', rag.server.redis],
  ]);
  const servers = [...new Set([dataDir, serviceDir])].flatMap((folder) =>
    earlierServers(folder, (setting) => named.get(setting) !== undefined),
  );
  return [
    ...stores,
    ...servers.map(({ setting, server, ttl }) => ({
      where: `the Redis server ${server}, which ${setting} named`,
      detail: `No setting names it any more, so nothing was deleted from it. ${ON_SERVERS.get(setting) ?? ''} It keeps each for ${ttl} seconds. Remove them there, or name it in ${setting} again and forget once more.`,
    })),
  ];
}

const ON_SERVERS: ReadonlyMap<string, string> = new Map([
  [
    'rag.retrieval.cache.redis',
    "It may hold results of searches with the text of passages (`redis-cli --scan --pattern 'ragstone:query:*'`).",
  ],
  [
    'rag.embedding.cache.redis',
    "It may hold vectors under hashes, and no text (`redis-cli --scan --pattern 'sdap:embedding:*'`).",
  ],
  [
    'rag.server.redis',
    "It may hold questions and outcomes of writes (`redis-cli --scan --pattern 'ragstone:shown:*'` and `ragstone:write:*`).",
  ],
]);

async function storesElsewhere({ config: { dataDir, rag } }: ForgettingHost): Promise<string[]> {
  const folder = join(dataDir, DATA_FOLDERS.failover);
  if (!existsSync(folder)) return [];
  const [, ...seconds] = await namesInJournal(folder);
  const names = new Set([...earlierIn(folder), ...seconds]);
  if (rag.failover !== undefined) names.delete(rag.failover.secondary.name);
  for (const name of foldersOfStores(folder)) if (isKeptIn(join(folder, name))) names.delete(name);
  return [...names].sort();
}

/** Before the journal that names them is removed. */
async function rememberEarlier(host: ForgettingHost): Promise<void> {
  const { dataDir, rag } = host.config;
  if (rag.failover !== undefined) return;
  const elsewhere = await storesElsewhere(host);
  const path = join(dataDir, DATA_FOLDERS.failover, EARLIER);
  if (elsewhere.length > 0)
    writeFileSync(path, JSON.stringify(elsewhere), { mode: PRIVATE_FILE, flush: true });
}

function earlierIn(folder: string): readonly string[] {
  const path = join(folder, EARLIER);
  return existsSync(path)
    ? z.array(z.string()).parse(JSON.parse(readRegularFileSync(path).toString('utf8')))
    : [];
}

/** A folder that stays empty tells that the store was in it. */
const isKeptIn = (folder: string): boolean => {
  const names = namesIn(folder);
  return names.length === 0 || names.some((name) => !BESIDE.has(name));
};

const foldersOfStores = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && entry.name !== COPY_LOCK)
        .map(({ name }) => name)
    : [];

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
