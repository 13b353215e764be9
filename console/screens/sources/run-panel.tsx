import type { IndexStatus } from 'ragstone/client';
import { Age } from '../../parts/basics.js';
import { Failure } from '../../parts/failure.js';
import { countOf, millisecondsOf, several, shown } from '../../text/shown.js';
import type { Run, Runs } from './use-runs.js';

interface PanelProps {
  readonly runs: Runs;
  readonly lastRun: IndexStatus['lastRun'];
  /** Undefined before they are known. */
  readonly sources: IndexStatus['sources'] | undefined;
}

/** What runs now, how fast and how long still; what the last run did; and a new one. */
export function RunPanel({ runs: { runs, error, isLost, start, stop }, lastRun, sources }: PanelProps) {
  const active = runs.filter(({ finishedAt }) => finishedAt === undefined);
  const canRun = sources?.some(({ sync }) => sync?.isConfigured === true);
  return (
    <section class="panel stack" aria-label="Runs">
      <header class="row spread">
        <h2>
          {active.length === 0
            ? 'No run is under way'
            : `${several(active.length, 'run is', 'runs are')} under way`}
        </h2>
        <div class="row">
          {active.some(({ by }) => by === 'request') ? (
            <button type="button" class="button" onClick={stop}>
              Stop
            </button>
          ) : null}
          <button type="button" class="button main" disabled={canRun !== true} onClick={() => start({})}>
            Run all sources now
          </button>
        </div>
      </header>
      {canRun !== false ? null : (
        <p class="small quiet">
          No source is configured (<code>rag.sources</code>), so that there is nothing to run. What a command
          indexed stays as it is.
        </p>
      )}
      {error === undefined ? null : <Failure error={error} />}
      {isLost ? (
        <p class="note warn" role="status">
          The service does not answer; this is what it said last. The page goes on by itself when it is back.
        </p>
      ) : null}
      {active.map((run) => (
        <Progress key={run.id} run={run} />
      ))}
      <LastRun run={runs.find(({ finishedAt }) => finishedAt !== undefined)} lastRun={lastRun} />
    </section>
  );
}

const STAGES = { listing: 'Listing', indexing: 'Indexing', optimizing: 'Tidying up', done: 'Done' } as const;

function Progress({ run }: { run: Run }) {
  const { progress, sources, retry, by } = run;
  const what =
    retry === true ? 'what failed' : sources === undefined ? 'all sources' : sources.map(shown).join(', ');
  return (
    <div class="stack">
      <p class="row spread">
        <span>
          {progress === undefined ? 'Waiting' : STAGES[progress.stage]}{' '}
          {progress?.source === undefined ? what : shown(progress.source)}{' '}
          <span class="small quiet">{by === 'sync' ? 'as configured' : 'asked for here'}</span>
        </span>
        <span class="small quiet number">
          {progress === undefined ? 'another writer has its turn' : rates(progress)}
        </span>
      </p>
      <progress
        class="progress"
        aria-label={`Progress of ${what}`}
        max={Math.max(1, progress?.itemsTotal ?? 1)}
        value={progress?.stage === 'listing' ? undefined : progress?.itemsDone}
      />
    </div>
  );
}

function rates(progress: NonNullable<Run['progress']>): string {
  const { stage, itemsListed, itemsDone, itemsTotal, itemsPerSecond, chunksPerSecond, etaMs } = progress;
  if (stage === 'listing') return `${several(itemsListed, 'document')} listed`;
  return [
    `${countOf(itemsDone)} of ${countOf(itemsTotal)}`,
    `${itemsPerSecond.toFixed(0)} documents/s`,
    `${chunksPerSecond.toFixed(0)} passages/s`,
    ...(etaMs === undefined ? [] : [`${millisecondsOf(etaMs)} left`]),
  ].join(', ');
}

/** What the last run did, of this service or of an earlier process. */
function LastRun({ run, lastRun }: { run: Run | undefined; lastRun: IndexStatus['lastRun'] }) {
  const last = run ?? lastRun;
  if (last === undefined) return <p class="small quiet">Nothing ran since the index was made.</p>;
  const { finishedAt, success, stats, error } = last;
  const isWell = success === true;
  return (
    <div class="small">
      <p class="row">
        <span class={finishedAt === undefined ? 'state warn' : isWell ? 'state' : 'state bad'}>
          Last run {finishedAt === undefined ? 'has not ended' : isWell ? 'succeeded' : 'failed in part'}
        </span>
        <span class="quiet">
          <Age of={finishedAt ?? last.startedAt} />
          {error === undefined ? '' : `, ended by ${error.reason}`}
        </span>
      </p>
      {stats === undefined ? null : (
        <p class="quiet number">
          {several(stats.documentsProcessed, 'document')} read, {countOf(stats.documentsUnchanged)} unchanged,{' '}
          {countOf(stats.documentsDeleted)} deleted, {countOf(stats.documentsFailed)} failed;{' '}
          {several(stats.chunksCreated, 'passage')} written in {millisecondsOf(stats.timeElapsed)}
        </p>
      )}
      {run?.failed?.map(({ source, reason, documents }) => (
        <p key={source + reason} class="state bad">
          {shown(source)}: {documents === undefined ? '' : several(documents, 'document')} {reason}
        </p>
      ))}
    </div>
  );
}
