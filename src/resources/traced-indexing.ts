import { type ErrorReason, isOfService, isReasonOfService, toRAGError } from '../core/errors.js';
import { publishLogEvent } from '../core/log-events.js';
import { type TelemetryPayloads, traced } from '../core/telemetry.js';
import type { IndexResult } from '../operations/engine.js';

type Indexing = TelemetryPayloads['index'];
type Stats = IndexResult['stats'];

/** Work that writes the index, and what it says of itself beforehand. */
export interface IndexingWork<Outcome> extends Pick<Indexing, 'kind' | 'tenant' | 'sources'> {
  readonly work: () => Promise<Outcome>;
  /** What was counted; several where requests were done together. */
  readonly statsOf: (outcome: Outcome) => readonly Stats[];
}

/** Does it and publishes what came of it. */
export async function tracedIndexing<Outcome>({
  kind,
  tenant,
  sources,
  work,
  statsOf,
}: IndexingWork<Outcome>): Promise<Outcome> {
  const payload: Indexing = { kind, tenant, sources };
  const outcome = await traced('index', payload, async () => {
    try {
      const outcome = await work();
      Object.assign(payload, countsOf(statsOf(outcome), { kind, sources }));
      return outcome;
    } catch (error) {
      // Who asked for what cannot be done is told so; nothing of the service failed.
      if (isOfService(error)) payload.failedSources = sources;
      throw error;
    }
  });
  publishLogEvent(() => ({
    event: 'indexing_complete',
    documents: payload.documentsProcessed ?? 0,
    chunks: payload.chunksCreated ?? 0,
    duration: Math.round(payload.tookMs ?? 0),
    errors: payload.errors ?? 0,
  }));
  return outcome;
}

/** Deletes documents by name or for good, and publishes how many. */
export function tracedDeletion<Outcome>(
  { kind, tenant }: { readonly kind: 'delete' | 'forget'; readonly tenant: string },
  work: () => Promise<Outcome>,
  documentsOf: (outcome: Outcome) => number,
): Promise<Outcome> {
  const payload: Indexing = { kind, tenant, sources: [] };
  return traced('index', payload, async () => {
    const outcome = await work();
    payload.documentsDeleted = documentsOf(outcome);
    return outcome;
  });
}

/** Work that writes the index, as it says of itself before it can begin. */
export type AskedIndexing = Pick<Indexing, 'kind' | 'tenant' | 'sources'>;

/**
 * Gets what the work needs to begin, the lock of the index: on a full disk nobody gets it. Where the service is at fault, it is published as
 * work that failed.
 */
export async function tracedBeginning<T>(
  asked: AskedIndexing | undefined,
  begin: () => Promise<T>,
): Promise<T> {
  try {
    return await begin();
  } catch (error) {
    if (asked !== undefined && isOfService(error)) {
      const failure = toRAGError(error, 'INTERNAL', 'The index could not be locked.');
      const failed = { ...asked, failedSources: asked.sources };
      await traced('index', failed, () => Promise.reject(failure)).catch(() => undefined);
    }
    throw error;
  }
}

function countsOf(
  all: readonly Stats[],
  { kind, sources }: Pick<Indexing, 'kind' | 'sources'>,
): Partial<Indexing> {
  const sum = (countOf: (stats: Stats) => number): number =>
    all.reduce((total, stats) => total + countOf(stats), 0);
  const documentsProcessed = sum((stats) => stats.documentsProcessed);
  const documentsFailed = sum((stats) => stats.documentsFailed);
  const whole = new Set(
    all.flatMap(({ errors }) => errors.flatMap(({ source, item }) => (item === undefined ? source : []))),
  );
  // Who pushes a document that cannot be read is told so: the mistake is the caller's.
  const counted = (reason: ErrorReason): boolean => kind !== 'push' || isReasonOfService(reason);
  // Where nothing was written, nobody can tell whose the failures are but by their names.
  const empty = new Set(
    documentsFailed > 0 && documentsProcessed === 0
      ? all.flatMap(({ errors }) => errors.flatMap(({ source, reason }) => (counted(reason) ? source : [])))
      : [],
  );
  const failedSources = [...new Set([...sources, ...whole, ...empty])].filter(
    (source) => whole.has(source) || empty.has(source),
  );
  return {
    documentsProcessed,
    documentsFailed,
    documentsUnchanged: sum((stats) => stats.documentsUnchanged),
    documentsDeleted: sum((stats) => stats.documentsDeleted),
    chunksCreated: sum((stats) => stats.chunksCreated),
    errors: sum((stats) => stats.errors.length),
    failedSources,
    // Requests that were done together took their time together.
    stages: all[0]?.stages ?? {},
  };
}
