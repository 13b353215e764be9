import assert from 'node:assert/strict';
import { type ErrorReason, RAGError } from '../../core/errors.js';
import { EVERYTHING } from '../../core/filter.js';
import type { VectorCollection, VectorStore } from '../../stores/vector-store.js';
import { rejectsWith } from '../assertions.js';
import { FaultyProxy } from '../faulty-proxy.js';
import type { ContractContext, ContractPart } from './contract.js';
import { axis, idsOf, record, stored } from './records.js';

/** Where a server that is well answers later than this, because the machine has much to do, more is allowed: see `openHastily`. */
const TIMEOUT_MS = 500;
const HASTY_MS = 200;
/** A call may need several requests, each with the timeout; a caller is never left waiting for longer than so many timeouts. */
const MOST_TIMEOUTS = 12;
/** By how much a slow server is later than the timeout at least, as a factor. */
const TOO_SLOW = 1.25;
const LONG_MS = 60_000;
/** A call that needs no timeout to end ends long before `LONG_MS`, on a busy machine too. */
const SOON_MS = LONG_MS / 3;

/** What a store does while its server is dead, slow, half-dead or loses answers, and afterwards. Only for `options.server`. */
export const testFaults: ContractPart = (test, { server }) => {
  if (server === undefined) return;
  const faulty = (title: string, run: (context: FaultyContext) => Promise<void>): void =>
    test(title, (context) => withProxy(context, server, run));

  faulty('a server that is dead is STORE_UNAVAILABLE, and well again afterwards', async (context) => {
    const { proxy, connect } = context;
    const store = await connect(LONG_MS);
    const collection = await store.open(context.spec);
    proxy.mode = 'cut';
    for (const call of callsOn(collection)) await failsAt(proxy, 'STORE_UNAVAILABLE', call);
    assert.equal((await store.health()).ok, false);
    const fresh = await connect(LONG_MS);
    await failsAt(proxy, 'STORE_UNAVAILABLE', () => fresh.open(context.spec));
    proxy.mode = 'pass';
    await expectUnharmed(context, collection);
    assert.equal((await store.health()).ok, true);
  });

  faulty('a server that takes requests and says nothing is STORE_TIMEOUT, in time', async (context) => {
    const { proxy, connect } = context;
    const { store, collection, timeoutMs } = await openHastily(context, TIMEOUT_MS);
    const soonMs = MOST_TIMEOUTS * timeoutMs + SOON_MS;
    proxy.mode = 'silent';
    for (const call of callsOn(collection)) await failsAt(proxy, 'STORE_TIMEOUT', call, soonMs);
    const fresh = await connect(timeoutMs);
    await failsAt(proxy, 'STORE_TIMEOUT', () => fresh.open(context.spec), soonMs);
    assert.equal((await store.health()).ok, false);
    proxy.mode = 'pass';
    await expectUnharmed(context, collection);
  });

  faulty('a slow server is waited for, and no longer than allowed', async (context) => {
    const { proxy, connect } = context;
    const collection = await (await connect(LONG_MS)).open(context.spec);
    const hurried = await openHastily(context, HASTY_MS);
    proxy.delayMs = TOO_SLOW * hurried.timeoutMs;
    proxy.mode = 'slow';
    await expectUnharmed(context, collection);
    // Time in which this process is held up does not count for the store, and does for the proxy: on a busy machine it has to be later.
    for (;;)
      try {
        await failsAt(proxy, 'STORE_TIMEOUT', () => hurried.collection.count(EVERYTHING));
        return;
      } catch (error) {
        if (proxy.delayMs > SOON_MS) throw error;
        proxy.delayMs *= 2;
      }
  });

  faulty('connections that break are made anew without the caller noticing', async (context) => {
    const { proxy, connect } = context;
    const collection = await (await connect(LONG_MS)).open(context.spec);
    for (let i = 0; i < 3; i++) {
      proxy.cutAll();
      assert.equal(await collection.count(EVERYTHING), 1);
      proxy.cutAll();
      await collection.upsert([KEPT]);
    }
    await expectUnharmed(context, collection);
  });

  faulty('a cancelled call ends at once while the server says nothing', async (context) => {
    const { proxy, connect } = context;
    const collection = await (await connect(LONG_MS)).open(context.spec);
    proxy.mode = 'silent';
    for (const call of callsOn(collection)) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 20);
      const started = Date.now();
      await rejectsWith('ABORTED', () => call(abort.signal));
      assert.ok(Date.now() - started < SOON_MS, 'cancelled at once');
    }
    proxy.mode = 'pass';
    await expectUnharmed(context, collection);
  });

  faulty('a write whose answer is lost fails, leaves whole records and can be repeated', async (context) => {
    const { proxy } = context;
    const collection = context.follow((await openHastily(context, TIMEOUT_MS)).collection);
    const batch = [record('a', { content: 'new' }), record('b', { content: 'new' })];
    proxy.mode = 'mute';
    await failsAt(proxy, 'STORE_TIMEOUT', () => collection.upsert(batch));
    proxy.mode = 'pass';
    for (const chunk of await context.collection.get(['a', 'b']))
      assert.deepEqual(
        chunk,
        stored(...batch).find(({ id }) => id === chunk.id),
      );
    await untilInTime(() => collection.upsert(batch));
    await context.settle();
    assert.deepEqual(await context.collection.get(['a', 'b']), stored(...batch));
    assert.equal(await context.collection.count(EVERYTHING), 3);
  });
};

interface FaultyContext extends ContractContext {
  readonly proxy: FaultyProxy;
  /** The collection, reached directly; it holds one record. */
  readonly collection: VectorCollection;
  readonly spec: VectorCollection['spec'];
  /** A store that reaches its server through the proxy; closed by the suite. */
  readonly connect: (timeoutMs: number) => Promise<VectorStore>;
}

const KEPT = record('kept');

async function withProxy(
  context: ContractContext,
  server: string,
  run: (context: FaultyContext) => Promise<void>,
): Promise<void> {
  const { hostname, port } = new URL(server);
  assert.ok(port !== '', `the URL of the server names its port: ${server}`);
  const proxy = await FaultyProxy.start({ host: hostname, port: Number(port) });
  const opened: VectorStore[] = [];
  const connect = async (timeoutMs: number): Promise<VectorStore> => {
    assert.ok(context.reopen, 'a store with a server can be reopened');
    const store = await context.reopen({ host: '127.0.0.1', port: proxy.port, timeoutMs });
    opened.push(store);
    return store;
  };
  try {
    const collection = await context.open();
    await collection.upsert([KEPT]);
    await context.settle();
    await run({ ...context, proxy, collection, spec: collection.spec, connect });
  } finally {
    proxy.mode = 'pass';
    for (const store of opened) await store.close();
    await proxy.stop();
  }
}

/** Opens the collection with the shortest timeout, of those that are tried, within which this machine can do it now. */
async function openHastily(
  { connect, spec }: FaultyContext,
  leastMs: number,
): Promise<{
  readonly store: VectorStore;
  readonly collection: VectorCollection;
  readonly timeoutMs: number;
}> {
  for (let timeoutMs = leastMs; ; timeoutMs *= 2) {
    const store = await connect(timeoutMs);
    try {
      return { store, collection: await store.open(spec), timeoutMs };
    } catch (error) {
      if (!isLate(error) || timeoutMs > SOON_MS) throw error;
    }
  }
}

/** Calls a store with a short timeout whose server is well; where the machine is too busy for that, once more. */
async function untilInTime<Result>(call: () => Promise<Result>): Promise<Result> {
  for (const started = Date.now(); ; ) {
    try {
      return await call();
    } catch (error) {
      if (!isLate(error) || Date.now() - started > SOON_MS) throw error;
    }
  }
}

const isLate = (error: unknown): boolean => RAGError.isInstance(error) && error.reason === 'STORE_TIMEOUT';

type Call = (signal?: AbortSignal) => Promise<unknown>;

const callsOn = (collection: VectorCollection): Call[] => [
  (signal) => collection.upsert([record('never')], signal),
  (signal) => collection.delete(EVERYTHING, signal),
  (signal) => collection.count(EVERYTHING, signal),
  (signal) => collection.get(['kept'], signal === undefined ? {} : { signal }),
  (signal) => collection.list({ filter: EVERYTHING, limit: 5, ...(signal === undefined ? {} : { signal }) }),
  (signal) =>
    collection.searchVector({
      vector: axis(0),
      topK: 3,
      filter: EVERYTHING,
      ...(signal === undefined ? {} : { signal }),
    }),
];

/** The call fails for this reason, soon, and says where the server is and that trying again may help. */
async function failsAt(proxy: FaultyProxy, reason: ErrorReason, call: Call, soonMs = SOON_MS): Promise<void> {
  const started = Date.now();
  await assert.rejects(
    () => call(),
    (error: unknown) => {
      assert.ok(RAGError.isInstance(error), `expected a RAGError ${reason}, got ${String(error)}`);
      assert.equal(error.reason, reason, error.message);
      assert.ok(error.message.includes(`127.0.0.1:${proxy.port}`), `names the server: ${error.message}`);
      assert.equal(error.retryable, true);
      return true;
    },
  );
  assert.ok(Date.now() - started < soonMs, `${reason} after ${Date.now() - started} ms`);
}

/** Nothing was written or deleted, and every read works again. */
async function expectUnharmed(context: FaultyContext, collection: VectorCollection): Promise<void> {
  for (const target of [collection, context.collection]) {
    assert.equal(await untilInTime(() => target.count(EVERYTHING)), 1);
    assert.deepEqual(await untilInTime(() => target.get(['kept', 'never'])), stored(KEPT));
    const hits = await untilInTime(() =>
      target.searchVector({ vector: axis(0), topK: 3, filter: EVERYTHING }),
    );
    assert.deepEqual(idsOf(hits), ['kept']);
  }
}
