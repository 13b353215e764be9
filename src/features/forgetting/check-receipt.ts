import { triesFolderOf } from '../../config/find-project.js';
import { EVERYTHING } from '../../core/filter.js';
import type { Scope } from '../../core/scope.js';
import { keysOfVectors } from '../../embedding/prune-vectors.js';
import { allVersions } from '../../ledger/history/all-versions.js';
import type { ForgetReceipt, ReceiptCheck, RemovedFrom } from '../../operations/forget-types.js';
import { chunksIn, documentsIn } from '../../resources/ledger-rows.js';
import { openForReading } from '../../resources/open-collection.js';
import { listPages } from '../../stores/list-pages.js';
import { cachesOf } from './cache-keys.js';
import { triesOf } from './erase-tries.js';
import type { ForgettingHost } from './forgetting-host.js';
import { assertOfTenant, Receipts } from './receipts.js';
import { type TraceOf, tracesBy } from './traces.js';
import { unusedCopies } from './unused-copies.js';

const PAGE = 1_000;

/**
 * Looks for what a receipt names in every place that Ragstone keeps: ledger and store of every generation, and the caches. It reads
 * everything and writes nothing.
 */
export async function checkReceipt(
  idOrPath: string,
  { scope, signal }: { readonly scope: Pick<Scope, 'tenant'>; readonly signal: AbortSignal },
  host: ForgettingHost,
): Promise<ReceiptCheck> {
  const { config, resources, cwd } = host;
  const receipt = new Receipts(config.dataDir).read(idOrPath, cwd);
  assertOfTenant(receipt, scope);
  const traces = new Set(receipt.traces);
  const trace = tracesBy(receipt.key);
  const isTraced = (...name: Parameters<TraceOf>): boolean => traces.has(trace(...name));
  const looked: { place: string; entries: number }[] = [];
  const found: RemovedFrom[] = [];
  const look = async (place: string, what: string, hits: AsyncIterable<boolean>): Promise<void> => {
    let [entries, count] = [0, 0];
    for await (const isHit of hits) {
      entries++;
      if (isHit) count++;
    }
    looked.push({ place, entries });
    if (count > 0) found.push({ place, what, count });
  };
  const ledger = await resources.ledger.reading();
  const generations = (await ledger?.generations()) ?? [];
  for (const facts of generations) {
    if (ledger === undefined) break;
    const { generation, provider, state } = facts;
    const reader = ledger.reader(generation);
    const place = `generation ${generation} (${state})`;
    await look(
      `ledger, ${place}, documents`,
      'documents',
      mapped(documentsIn(reader, PAGE), ({ documentId }) => isTraced('document', documentId)),
    );
    await look(
      `ledger, ${place}, chunks`,
      'chunks',
      mapped(chunksIn(reader, PAGE), ({ chunkId }) => isTraced('chunk', chunkId)),
    );
    const store = await resources.stores.of(facts);
    if (state === 'building' && (await store.describe(facts.collection)) === undefined) continue;
    const collection = await openForReading(facts, store);
    const pages = listPages(collection, { filter: EVERYTHING, limit: PAGE, signal });
    await look(
      `store ${provider}, ${place}`,
      'chunks',
      mapped(flat(pages), ({ id, documentId }) => isTraced('chunk', id) || isTraced('document', documentId)),
    );
  }
  const versions = allVersions(ledger?.history, undefined);
  await look(
    'history',
    'versions of documents',
    mapped(versions, ({ documentId }) => isTraced('document', documentId)),
  );
  const caches = await cachesOf(config);
  if (caches.vectors !== undefined) {
    const keys = keysOfVectors(caches.vectors);
    await look(
      'cache of vectors',
      'vectors',
      mapped(flat([keys]), (key) => isTraced('vector', key)),
    );
  }
  if (caches.contexts !== undefined) {
    const keys = await caches.contexts.keys();
    await look(
      'cache of contexts',
      'contexts',
      mapped(flat([keys]), (key) => isTraced('context', key)),
    );
  }
  for (const { place, paths } of await unusedCopies(generations, host))
    await look(
      place,
      'files and folders',
      mapped(flat([paths]), () => true),
    );
  return {
    receipt: receipt.id,
    clean: found.length === 0 && receipt.state === 'done',
    looked,
    found,
    left: receipt.left,
    notices: [...noticesOf(receipt, found), ...triesNotice(config.dataDir)],
  };
}

function noticesOf({ state, id }: ForgetReceipt, found: readonly RemovedFrom[]): string[] {
  if (state !== 'done')
    return [`It was begun and is not finished. \`ragstone forget --resume\` goes on with it (${id}).`];
  if (found.length === 0) return [];
  return [
    'What was found may have come back: from its source, where it was let in again; from a backup that was put back; or it is a text that another document has too. `ragstone forget` removes it again.',
  ];
}

/** They were made after the forgetting, which removes them all, and have names of their own. */
const triesNotice = (dataDir: string): string[] =>
  triesOf(dataDir).length === 0
    ? []
    : [
        `${triesFolderOf(dataDir)} holds indexes of \`ragstone try\`, which are not looked at. If they may hold what was forgotten, remove that folder.`,
      ];

async function* mapped<T>(items: AsyncIterable<T>, isHit: (item: T) => boolean): AsyncGenerator<boolean> {
  for await (const item of items) yield isHit(item);
}

async function* flat<T>(pages: AsyncIterable<readonly T[]> | Iterable<readonly T[]>): AsyncGenerator<T> {
  for await (const page of pages) yield* page;
}
