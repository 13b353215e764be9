import { publishLogEvent } from '../core/log-events.js';
import { type TelemetryPayloads, traced } from '../core/telemetry.js';
import type { IndexResult } from './engine.js';

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
      Object.assign(payload, countsOf(statsOf(outcome), sources));
      return outcome;
    } catch (error) {
      payload.failedSources = sources;
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

function countsOf(all: readonly Stats[], sources: readonly string[]): Partial<Indexing> {
  const sum = (countOf: (stats: Stats) => number): number =>
    all.reduce((total, stats) => total + countOf(stats), 0);
  const documentsProcessed = sum((stats) => stats.documentsProcessed);
  const documentsFailed = sum((stats) => stats.documentsFailed);
  const whole = new Set(
    all.flatMap(({ errors }) => errors.flatMap(({ source, item }) => (item === undefined ? source : []))),
  );
  // Where nothing was written, nobody can tell whose the failures are but by their names.
  const empty = new Set(
    documentsFailed > 0 && documentsProcessed === 0
      ? all.flatMap(({ errors }) => errors.map(({ source }) => source))
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
