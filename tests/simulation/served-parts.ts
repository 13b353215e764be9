import { RAGError, throwIfAborted } from '../../src/core/errors.js';
import { repeat, runtime, sleep } from '../../src/core/runtime.js';
import type { GenerationReader, GenerationWriter, Ledger } from '../../src/ledger/ledger.js';
import type { LockRequest, WriterLock } from '../../src/ledger/lock.js';
import { LISTING } from '../../src/ledger/pending-work.js';
import type { VectorCollection, VectorStore } from '../../src/stores/vector-store.js';
import type { LedgerServer } from './ledger-server.js';
import type { CallOptions, SimulatedProcess } from './simulated-process.js';

const LEDGER_SILENCE = () => new RAGError('INDEX_UNAVAILABLE', 'The ledger did not answer.');
const STORE_SILENCE = () => new RAGError('STORE_UNAVAILABLE', 'The store did not answer.');

/** Calls that would do another thing the second time: no driver sends them again. */
const ONCE: ReadonlySet<string> = new Set(['begin', 'startRun', 'failItem']);

/**
 * Calls after each of which store and ledger say different things, or somebody else may take what was held: a listing, an item; and the
 * question before each write to the store, whose answer a process that stands still takes for young.
 */
const WRITES: ReadonlySet<string> = new Set([
  'announce',
  'plan',
  'planDeletion',
  'upsert',
  'delete',
  'commit',
  'add',
  'release',
  'renew',
]);

type Method = (...args: unknown[]) => Promise<unknown>;

/** The same object, whose methods are calls of a process to somebody else. */
function overCalls<T extends object>(
  part: T,
  name: string,
  process: SimulatedProcess,
  silence: () => RAGError,
): T {
  const calls = new Map<string | symbol, Method>();
  return new Proxy(part, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const known = calls.get(key);
      if (known !== undefined) return known;
      const method = value as Method;
      const call: Method = (...args) => {
        const options: CallOptions = {
          silence,
          isRepeatable: !ONCE.has(String(key)),
          isWrite: WRITES.has(String(key)),
          method: isListing(args) ? `${String(key)} listing` : String(key),
          signal: signalOf(args),
        };
        return process.call(`${name}.${String(key)}`, () => method.apply(target, args), options);
      };
      calls.set(key, call);
      return call;
    },
  });
}

/** Whether it is of the right to list a source, not of items. */
const isListing = (args: readonly unknown[]): boolean =>
  args.some((arg) => Array.isArray(arg) && arg.length === 1 && arg[0] === LISTING);

/** The last argument, or a member of it. */
function signalOf(args: readonly unknown[]): AbortSignal | undefined {
  for (const arg of args) {
    if (arg instanceof AbortSignal) return arg;
    if (typeof arg === 'object' && arg !== null && 'signal' in arg && arg.signal instanceof AbortSignal)
      return arg.signal;
  }
  return undefined;
}

/** As one on a server has it, in milliseconds. */
const POLL_MS = 100;
const WATCH_MS = 2_000;

/** The ledger as a process has it that is connected to the server. */
export function connectedLedger(server: LedgerServer, process: SimulatedProcess): Ledger {
  const direct = server.connect();
  const ledger = overCalls(direct, 'ledger', process, LEDGER_SILENCE);
  let locks = 0;
  const writer = (generation: number, holder: string): GenerationWriter => {
    server.audit?.belongs(holder, process.name);
    const books = direct.writer(generation, holder);
    const pending =
      books.pendingWork && overCalls(books.pendingWork, 'pending work', process, LEDGER_SILENCE);
    const calls = overCalls(books, 'writer', process, LEDGER_SILENCE);
    return new Proxy(calls, {
      get: (target, key) => (key === 'pendingWork' ? pending : (Reflect.get(target, key, target) as unknown)),
    });
  };
  return new Proxy(ledger, {
    get: (target, key) => {
      if (key === 'reader')
        return (generation: number): GenerationReader =>
          overCalls(direct.reader(generation), 'reader', process, LEDGER_SILENCE);
      if (key === 'writer')
        return (generation: number, holder: string): GenerationWriter => writer(generation, holder);
      if (key === 'lock')
        return (request: LockRequest) => {
          locks += 1;
          return lock(request, { server, process, connection: `${process.name} lock ${locks}` });
        };
      if (key === 'close') return async () => undefined;
      return Reflect.get(target, key, target) as unknown;
    },
  });
}

/** As `acquireIndexLock` of the PostgreSQL ledger: a lock of the server on a connection of its own. */
async function lock(
  { subject, command, waitMs = 0, signal }: LockRequest,
  { server, process, connection }: { server: LedgerServer; process: SimulatedProcess; connection: string },
): Promise<WriterLock> {
  const ask = <T>(name: string, work: () => T) =>
    process.call(`lock.${name}`, async () => work(), { silence: LEDGER_SILENCE });
  const unlock = (): void => server.unlock(connection);
  const deadline = runtime().elapsed() + waitMs;
  try {
    while (!(await ask(`try ${subject}`, () => process.isAlive && server.tryLock(connection, subject)))) {
      throwIfAborted(signal);
      if (runtime().elapsed() >= deadline)
        throw new RAGError('INDEX_LOCKED', `The index is being written by another process than ${command}.`);
      await sleep(Math.min(POLL_MS, Math.max(1, deadline - runtime().elapsed())), signal);
    }
  } catch (error) {
    unlock();
    throw error;
  }
  const lost = new AbortController();
  let asking: Promise<unknown> = Promise.resolve();
  const watch = (): void => {
    asking = ask('watch', () => server.holds(connection)).then(
      (isHeld) => {
        if (!isHeld) lose();
      },
      () => lose(),
    );
  };
  const lose = (): void => {
    forget();
    lost.abort(LEDGER_SILENCE());
  };
  const forget = repeat(watch, WATCH_MS, { isBackground: true });
  return {
    lost: lost.signal,
    isShared: subject === 'items',
    release: async () => {
      forget();
      await asking;
      await ask('release', unlock).catch(() => undefined);
      // A connection that is closed frees its locks.
      unlock();
    },
  };
}

/** Told of the documents of which chunks were written or deleted, by the process that did so. */
type WriteWatch = (process: string, documentIds: readonly string[]) => void;

/** The same collection, that tells what is written when it is. */
function watched(collection: VectorCollection, process: string, wrote: WriteWatch): VectorCollection {
  const documentsOf = async (filter: Parameters<VectorCollection['delete']>[0]): Promise<string[]> => {
    const { chunks } = await collection.list({ filter, limit: 1_000 });
    return chunks.map(({ documentId }) => documentId);
  };
  const watching: Pick<VectorCollection, 'upsert' | 'delete'> = {
    upsert: async (records, signal) => {
      wrote(
        process,
        records.map(({ documentId }) => documentId),
      );
      await collection.upsert(records, signal);
    },
    delete: async (filter, signal) => {
      wrote(process, await documentsOf(filter));
      return collection.delete(filter, signal);
    },
  };
  return new Proxy(collection, {
    get: (target, key) => {
      if (key === 'upsert' || key === 'delete') return watching[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The store as a process has it that is connected to its server. */
export function connectedStore(
  server: VectorStore,
  process: SimulatedProcess,
  wrote: WriteWatch,
): VectorStore {
  const collections = new WeakMap<VectorCollection, VectorCollection>();
  const connected = (collection: VectorCollection): VectorCollection => {
    const known =
      collections.get(collection) ??
      overCalls(watched(collection, process.name, wrote), 'store', process, STORE_SILENCE);
    collections.set(collection, known);
    return known;
  };
  const calls = overCalls(server, 'store', process, STORE_SILENCE);
  return new Proxy(calls, {
    get: (target, key) => {
      if (key === 'name') return 'simulated';
      if (key === 'capabilities') return { ...server.capabilities, persistent: true };
      if (key === 'close') return async () => undefined;
      if (key === 'open')
        return async (spec: Parameters<VectorStore['open']>[0]) => connected(await target.open(spec));
      return Reflect.get(target, key, target) as unknown;
    },
  });
}
