import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { runtime } from './runtime.js';
import { receivedError, type SentError, sentError } from './sent-error.js';
import { TELEMETRY_CHANNELS, type TelemetryChannel, type TelemetryPayloads } from './telemetry.js';

/** What is published of an operation, with what it failed with. */
export type OperationPayload<Name extends TelemetryChannel = TelemetryChannel> = TelemetryPayloads[Name] & {
  readonly error?: unknown;
};

/** Listens to operations. What `begin` makes of one is the parent of those inside of it. */
export interface TelemetryListener<Context> {
  /** @param parent what was made of the operation that this one is inside of */
  readonly begin?: (
    name: TelemetryChannel,
    payload: OperationPayload,
    parent: Context | undefined,
  ) => Context;
  /** @param own what `begin` made of it */
  readonly end: (name: TelemetryChannel, payload: OperationPayload, own: Context | undefined) => void;
}

/**
 * Listens to operations until the function that is returned is called. What a listener throws fails no operation: Node tells of it as of an
 * uncaught error, so a listener throws nothing.
 */
export function listenTo<Context>(
  listener: TelemetryListener<Context>,
  channels: readonly TelemetryChannel[] = TELEMETRY_CHANNELS,
): () => void {
  const contexts = new AsyncLocalStorage<Context>();
  const open = new WeakMap<object, Context>();
  const stops = channels.map((name) => {
    // The type of what goes through is that of the name.
    const channel = tracingChannel<unknown, OperationPayload>(`ragstone:${name}`);
    const { begin } = listener;
    const onEnd = (payload: unknown): void => {
      const operation = payload as OperationPayload;
      listener.end(name, operation, open.get(operation));
      open.delete(operation);
    };
    if (begin !== undefined)
      channel.start.bindStore(contexts, (payload) => {
        const own = begin(name, payload, contexts.getStore());
        open.set(payload, own);
        return own;
      });
    channel.asyncEnd.subscribe(onEnd);
    return () => {
      channel.asyncEnd.unsubscribe(onEnd);
      if (begin !== undefined) channel.start.unbindStore(contexts);
    };
  });
  return () => {
    for (const stop of stops) stop();
  };
}

/** Whether anybody listens to any operation. */
export const isTelemetryHeard = (): boolean =>
  TELEMETRY_CHANNELS.some((name) => tracingChannel(`ragstone:${name}`).hasSubscribers);

/** An operation of another process, with those inside of it; plain data. */
export interface SentOperation {
  readonly name: TelemetryChannel;
  readonly payload: object;
  readonly failure: SentError | undefined;
  readonly inside: readonly SentOperation[];
}

/** What work publishes, while it does. */
export interface Recorded {
  readonly name: TelemetryChannel;
  readonly payload: object;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  failure: SentError | undefined;
  readonly inside: Recorded[];
}

const recordings = new AsyncLocalStorage<Recorded[]>();
let isRecording = false;

/** Does work and keeps what it publishes, for the process that asked for it. `operations` is whole when the work is over. */
export function recordOperations<Result>(work: () => Promise<Result>): {
  readonly operations: readonly Recorded[];
  readonly result: Promise<Result>;
} {
  if (!isRecording) keepRecording();
  const operations: Recorded[] = [];
  return { operations, result: recordings.run(operations, work) };
}

/** From now on, for as long as the process lives. */
function keepRecording(): void {
  isRecording = true;
  listenTo<Recorded>({
    begin: (name, payload, parent) => {
      const own: Recorded = { name, payload, startedAt: runtime().now(), failure: undefined, inside: [] };
      (parent?.inside ?? recordings.getStore())?.push(own);
      return own;
    },
    end: (_, payload, own) => {
      if (own !== undefined && payload.error !== undefined) own.failure = sentError(payload.error);
    },
  });
}

/** As it can be sent to another process. */
export const sentOperations = (operations: readonly Recorded[]): SentOperation[] =>
  operations.map(({ name, payload, startedAt, failure, inside }) => {
    const { error: _, ...plain }: { readonly error?: unknown } = { ...payload };
    return { name, payload: { ...plain, startedAt }, failure, inside: sentOperations(inside) };
  });

/** Publishes what another process did, as if it had been done here. */
export function republish(operations: readonly SentOperation[]): void {
  for (const { name, payload, failure, inside } of operations) {
    const channel = tracingChannel<unknown, object>(`ragstone:${name}`);
    if (channel.hasSubscribers !== false) channel.start.runStores(payload, () => republish(inside));
    else republish(inside);
    channel.end.publish(payload);
    if (failure !== undefined)
      channel.error.publish(
        Object.assign(payload, { error: receivedError(failure) ?? new Error('INTERNAL') }),
      );
    channel.asyncStart.publish(payload);
    channel.asyncEnd.publish(payload);
  }
}
