// Entry of the processes that search. One writes nothing and may end at any moment.
import { unpackConfig } from '../../config/packed-config.js';
import { runtime } from '../../core/runtime.js';
import { sentError } from '../../core/sent-error.js';
import { recordOperations, type SentOperation, sentOperations } from '../../core/telemetry-listener.js';
import { EngineResources } from '../../resources/engine-resources.js';
import type { FromProcess, ToProcess } from '../../resources/processes/search-message.js';
import { LEAST_MS } from '../../retrieval/time-left.js';
import { findPassages } from '../find-passages.js';

const indexes = new Map<number, EngineResources>();
const underWay = new Map<number, AbortController>();

const send = (message: FromProcess): void => {
  // Who is gone hears nothing; `disconnect` follows.
  if (process.connected) process.send?.(message);
};

async function find(message: Extract<ToProcess, { kind: 'find' }>): Promise<void> {
  const { job, index, scope, isHeard } = message;
  const query = withTimeLeft(message);
  const controller = new AbortController();
  underWay.set(job, controller);
  let operations = (): SentOperation[] => [];
  try {
    const resources = indexes.get(index);
    if (resources === undefined) throw new Error(`There is no index ${index}.`);
    // The asking process caches the results.
    const work = { resources, isCached: false };
    const search = () => findPassages({ ...query, signal: controller.signal }, scope, work);
    const recorded = isHeard ? recordOperations(search) : undefined;
    // The search itself is published by the process that asked for it.
    if (recorded !== undefined)
      operations = () => sentOperations(recorded.operations.flatMap(({ inside }) => inside));
    const found = await (recorded?.result ?? search());
    send({ kind: 'found', job, found, operations: operations() });
  } catch (error) {
    send({ kind: 'failed', job, failure: sentError(error), operations: operations() });
  } finally {
    underWay.delete(job);
  }
}

/** Of the deadline what is left: those who waited for a process are planned for less. */
function withTimeLeft({ query, waitedMs, sentAt }: Extract<ToProcess, { kind: 'find' }>): typeof query {
  const deadlineMs = query.options?.deadlineMs;
  if (deadlineMs === undefined) return query;
  const onTheWay = Math.max(0, runtime().now() - sentAt);
  const left = Math.max(LEAST_MS, deadlineMs - waitedMs - onTheWay);
  return { ...query, options: { ...query.options, deadlineMs: left } };
}

async function closeIndex(index: number): Promise<void> {
  const resources = indexes.get(index);
  indexes.delete(index);
  await resources?.close();
}

process.on('message', (message: ToProcess) => {
  if (message.kind === 'open') indexes.set(message.index, new EngineResources(unpackConfig(message.config)));
  else if (message.kind === 'close')
    // A server that is gone is gone.
    closeIndex(message.index).catch((error: unknown) => process.emitWarning(String(error)));
  else if (message.kind === 'try') indexes.get(message.index)?.breakers.tryNext(message.part);
  else if (message.kind === 'find') void find(message);
  else underWay.get(message.job)?.abort();
});

// A terminal and a service manager signal all processes; the parent decides when this one ends, also by its death.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());

send({ kind: 'ready' });
