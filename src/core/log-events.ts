import { channel } from 'node:diagnostics_channel';

/** Characters of a query that an event holds at most. */
const QUERY_CHARACTERS = 100;

/**
 * What a log of the index may hold. Unlike telemetry (`telemetry.ts`) it has text: the beginning of queries, which may name people. So it is
 * published on a channel of its own, and only a log that the user configured listens.
 */
export type LogEvent =
  | {
      readonly event: 'indexing_complete';
      readonly documents: number;
      readonly chunks: number;
      /** Milliseconds. */
      readonly duration: number;
      readonly errors: number;
    }
  | {
      readonly event: 'search_performed';
      /** Its first 100 characters. */
      readonly query: string;
      readonly resultCount: number;
      /** Absent where nothing was found. */
      readonly topScore: number | undefined;
    };

const EVENTS = channel('ragstone:log-event');

/** Publishes an event to the logs; `make` is called only where one is kept. */
export function publishLogEvent(make: () => LogEvent): void {
  if (EVENTS.hasSubscribers) EVENTS.publish(make());
}

/** Listens until the function that is returned is called. */
export function listenToLogEvents(listener: (event: LogEvent) => void): () => void {
  // Nothing else is published there.
  const onEvent = (event: unknown): void => listener(event as LogEvent);
  EVENTS.subscribe(onEvent);
  return () => EVENTS.unsubscribe(onEvent);
}

/** Cut for privacy, and never in the middle of a character. */
export const queryInLog = (query: string): string =>
  query.length <= QUERY_CHARACTERS ? query : query.slice(0, QUERY_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
