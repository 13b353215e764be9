// One store at one size in a process of its own: `measure-store.ts NAME PLACE PREPARED`. Prints a `StoreMeasurement`.

import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { eq } from '../../src/core/filter.js';
import { withoutUndefined } from '../../src/core/without-undefined.js';
import type { VectorCollection, VectorStore } from '../../src/stores/vector-store.js';
import { folderBytes } from '../shared/folder-state.js';
import { median, quantile, rounded, sum, timed } from '../shared/statistics.js';
import type { BareClient } from './bare-clients.js';
import { type BenchedStore, benchedStore, SPEC } from './benched-stores.js';
import { type BenchQuery, bucketFilter, recordBatches, SCOPE, TOP_K } from './dataset.js';
import { memoryOfTree } from './footprint.js';
import type { ServerPlace } from './store-process.js';

/** What one run hands to the processes that measure. */
export interface Prepared {
  readonly size: number;
  /** File of one text a line. */
  readonly texts: string;
  readonly queries: readonly BenchQuery[];
  readonly server?: ServerPlace;
}

export interface SearchTimes {
  readonly recall: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export interface StoreMeasurement {
  readonly store: string;
  readonly size: number;
  readonly recordsPerSecond: number;
  readonly insertSeconds: number;
  /** `optimize` after all records are written. A server that indexes while it writes has done its work before. */
  readonly indexSeconds: number;
  /** Candidates that a search visits; the default unless recall asked for more. */
  readonly effort: number;
  /** With the filter of the scope, as every search of the engine has. */
  readonly search: SearchTimes;
  /** With a filter on metadata beside it that admits 1 %. */
  readonly filtered: SearchTimes;
  /** The driver alone, in turn with `search`. */
  readonly bare?: { readonly p50Ms: number; readonly ratio: number };
  /** The contract's delete of one document of twelve chunks. */
  readonly deleteMs: number;
  readonly diskMiB?: number;
  /** Of the server, or what this process needs more than before it opened the store. */
  readonly memoryMiB?: number;
  readonly index: string;
  readonly note?: string;
}

/** Recall that a store must reach before its speed counts. */
const WANTED_RECALL = 0.95;
const RECORDS_PER_WRITE = 1_000;
const PASSES = 3;
const DELETIONS = 5;
const MIB = 2 ** 20;

const [name = '', place = '', input = ''] = process.argv.slice(2);

/** A server whose script runs this process beside it: both are children of one shell, which names the folder. */
const serverBeside = (): ServerPlace => ({
  folder: process.env.PERSISTENCE_DATA_PATH ?? '',
  pid: process.ppid,
});

async function measure(benched: BenchedStore, prepared: Prepared): Promise<StoreMeasurement> {
  const { size, texts, queries } = prepared;
  const server = benched.place === 'server' ? (prepared.server ?? serverBeside()) : undefined;
  const memoryBefore = memoryNow(server);
  const [firstEffort = 0] = benched.efforts;
  const first = await benched.open(place, firstEffort);
  const written = await fill(await first.open(SPEC), texts);
  const { store, collection, effort, recall } = await openWithRecall(benched, first, queries);
  const { search, bare } = await measureSearch(benched, { collection, queries, effort, recall });
  const filtered = await measureFiltered(collection, queries);
  const memoryAfter = memoryNow(server);
  const deleteMs = await measureDeletes(collection);
  const { vectorIndex, bytes } = await collection.stats();
  await store.close();
  const diskBytes = benched.place === 'memory' ? undefined : (bytes ?? folderBytes(server?.folder ?? place));
  const memoryMiB = server === undefined ? difference(memoryAfter, memoryBefore) : memoryAfter;
  return {
    store: benched.name,
    size,
    ...written,
    effort,
    search,
    filtered,
    ...withoutUndefined({ bare }),
    deleteMs,
    ...(diskBytes === undefined ? {} : { diskMiB: Math.round(diskBytes / MIB) }),
    ...withoutUndefined({ memoryMiB }),
    index: vectorIndex,
    ...withoutUndefined({ note: benched.note }),
  };
}

function memoryNow(server: Prepared['server']): number | undefined {
  globalThis.gc?.();
  return server === undefined ? memoryOfTree(process.pid) : memoryOfTree(server.pid, process.pid);
}

const difference = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : Math.max(0, a - b);

async function fill(collection: VectorCollection, texts: string) {
  const times: number[] = [];
  let records = 0;
  for await (const batch of recordBatches(texts, RECORDS_PER_WRITE)) {
    times.push((await timed(() => collection.upsert(batch))).ms);
    records += batch.length;
  }
  const { ms } = await timed(() => collection.optimize());
  const insertSeconds = sum(times) / 1000;
  return {
    insertSeconds: rounded(insertSeconds),
    recordsPerSecond: Math.round(records / insertSeconds),
    indexSeconds: rounded(ms / 1000),
  };
}

interface Opened {
  readonly store: VectorStore;
  readonly collection: VectorCollection;
  readonly effort: number;
  readonly recall: number;
}

/** Asks with ever more effort, from the store's default on, until enough is found. */
async function openWithRecall(
  benched: BenchedStore,
  first: VectorStore,
  queries: readonly BenchQuery[],
): Promise<Opened> {
  let store = first;
  for (const effort of benched.efforts) {
    if (effort !== benched.efforts[0]) store = await reopened(benched, store, effort);
    const collection = await store.open(SPEC);
    const recall = await recallOf(queries, async (query) => idsNear(collection, query), 'nearest');
    if (recall >= WANTED_RECALL || effort === benched.efforts.at(-1))
      return { store, collection, effort, recall };
  }
  throw new RangeError(`${benched.name} has no effort to try.`);
}

async function reopened(benched: BenchedStore, store: VectorStore, effort: number): Promise<VectorStore> {
  await store.close();
  return benched.open(place, effort);
}

const idsNear = async (collection: VectorCollection, { vector }: BenchQuery): Promise<string[]> =>
  (await collection.searchVector({ vector, topK: TOP_K, filter: SCOPE })).map(({ chunk }) => chunk.id);

async function recallOf(
  queries: readonly BenchQuery[],
  find: (query: BenchQuery) => Promise<readonly string[]>,
  truth: 'nearest' | 'nearestOfBucket',
): Promise<number> {
  let found = 0;
  for (const query of queries) {
    const expected = new Set(query[truth]);
    found += (await find(query)).filter((id) => expected.has(id)).length;
  }
  return found / sum(queries.map((query) => query[truth].length));
}

/** Store and driver are asked in turn, so that what else the machine does hits both. */
async function measureSearch(
  benched: BenchedStore,
  {
    collection,
    queries,
    effort,
    recall,
  }: Omit<Opened, 'store'> & { readonly queries: readonly BenchQuery[] },
): Promise<Pick<StoreMeasurement, 'search' | 'bare'>> {
  const client = await benched.bare?.(await import('./bare-clients.js'), place, effort);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let pass = 0; pass <= PASSES; pass++)
    for (const query of queries) {
      const { ms } = await timed(() => idsNear(collection, query));
      const bareMs = client === undefined ? 0 : await timeOfBare(client, query);
      // The first pass warms caches and the compiler.
      if (pass > 0) {
        ours.push(ms);
        bare.push(bareMs);
      }
    }
  await client?.close();
  const search = { recall: rounded(recall), ...quantiles(ours) };
  if (client === undefined) return { search };
  const p50Ms = median(bare);
  return { search, bare: { p50Ms: rounded(p50Ms), ratio: rounded(median(ours) / p50Ms) } };
}

async function timeOfBare(client: BareClient, { vector }: BenchQuery): Promise<number> {
  const { ms, value } = await timed(() => client.search(vector));
  if (value !== TOP_K)
    throw new Error(`The bare client found ${value} of ${TOP_K}: it does not ask the same.`);
  return ms;
}

async function measureFiltered(
  collection: VectorCollection,
  queries: readonly BenchQuery[],
): Promise<SearchTimes> {
  const times: number[] = [];
  const find = async ({ vector, bucket }: BenchQuery): Promise<string[]> => {
    const query = { vector, topK: TOP_K, filter: bucketFilter(bucket) };
    const { ms, value } = await timed(() => collection.searchVector(query));
    times.push(ms);
    return value.map(({ chunk }) => chunk.id);
  };
  // Once to warm up.
  await recallOf(queries.slice(0, 10), find, 'nearestOfBucket');
  times.length = 0;
  const recall = await recallOf(queries, find, 'nearestOfBucket');
  return { recall: rounded(recall), ...quantiles(times) };
}

const quantiles = (times: readonly number[]) => ({
  p50Ms: rounded(median(times)),
  p95Ms: rounded(quantile(times, 0.95)),
});

async function measureDeletes(collection: VectorCollection): Promise<number> {
  const { chunks } = await collection.list({ filter: SCOPE, limit: 500 });
  const documents = [...new Set(chunks.map(({ documentId }) => documentId))].slice(0, DELETIONS);
  const times: number[] = [];
  for (const document of documents)
    times.push((await timed(() => collection.delete(eq('$documentId', document)))).ms);
  return rounded(median(times));
}

const benched = benchedStore(name);
// Typed arrays and texts as the parent wrote them.
const prepared = deserialize(readFileSync(input)) as Prepared;
console.log(JSON.stringify(await measure(benched, prepared)));
