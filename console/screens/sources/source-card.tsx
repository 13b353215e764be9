import type { IndexStatus } from 'ragstone/client';
import { Age, Worded } from '../../parts/basics.js';
import { type NextRead, nextReadOf } from '../../text/next-read.js';
import { countOf, several, shown } from '../../text/shown.js';

interface CardProps {
  readonly source: IndexStatus['sources'][number];
  readonly following: NonNullable<IndexStatus['following']>['sources'][number] | undefined;
  readonly work: NonNullable<IndexStatus['work']>['sources'][number] | undefined;
  readonly skipped: Readonly<Record<string, number>> | undefined;
}

/** One source: how old what is known of it is, when it is read next, what failed and what was left out. */
export function SourceCard({ source: of, following, work, skipped = {} }: CardProps) {
  const { source, sourceType, documents, failedItems, chunks, sync, unread = {}, redactions = {} } = of;
  const next = nextReadOf(following, Date.now());
  const isFailing = (sync?.consecutiveFailures ?? 0) > 0 || (following?.failures ?? 0) > 0;
  return (
    <section class="panel stack" aria-label={shown(source)}>
      <header>
        <h2>
          <bdi>{shown(source)}</bdi>
        </h2>
        <p class="row small">
          {isFailing ? (
            <span class="state bad">failing</span>
          ) : failedItems > 0 ? (
            <span class="state warn">{several(failedItems, 'item')} failed</span>
          ) : (
            <Step next={next} lastSuccessAt={sync?.lastSuccessAt} />
          )}
          <span class="quiet">{shown(sourceType)}</span>
        </p>
      </header>
      <dl class="facts">
        <dt>last success</dt>
        <dd>{sync?.lastSuccessAt === undefined ? 'never' : <Age of={sync.lastSuccessAt} />}</dd>
        <dt>last full listing</dt>
        <dd>{sync?.lastReconcileAt === undefined ? 'never' : <Age of={sync.lastReconcileAt} />}</dd>
        <dt>read next</dt>
        <dd>
          {next.kind === 'at' ? (
            <Age of={next.at} />
          ) : next.kind === 'overdue' ? (
            <>
              due <Age of={next.at} />, not begun
            </>
          ) : next.kind !== 'unscheduled' ? (
            WHEN[next.kind]
          ) : sync?.isConfigured === true ? (
            <>
              no schedule: read by <code>ragstone index</code>, <code>ragstone sync</code> or the button above
            </>
          ) : (
            'by nobody: it is not configured'
          )}
        </dd>
        <dt>documents</dt>
        <dd class="number">
          {countOf(documents.indexed)} in {several(chunks, 'passage')}
          {counts({ pending: documents.pending, outdated: documents.outdated, failed: documents.failed })}
        </dd>
        {work === undefined ? null : (
          <>
            <dt>left to workers</dt>
            <dd class="number">
              {countOf(work.waiting)} wait, {countOf(work.active)} under way; the oldest{' '}
              <Age of={work.oldestAt} />
            </dd>
          </>
        )}
        <Counts title="left out by rule" of={skipped} />
        <Counts title="not read" of={unread} />
        <Counts title="taken out" of={redactions} />
      </dl>
      {sync?.lastError === undefined ? null : (
        <div class="note bad small">
          <p>
            <Worded text={sync.lastError.message} />
          </p>
          <p class="quiet">
            {sync.lastError.reason}, <Age of={sync.lastError.at} />
          </p>
        </div>
      )}
      {following?.problem === undefined || following.problem === sync?.lastError?.message ? null : (
        <p class="note warn small">
          <Worded text={following.problem} />
        </p>
      )}
    </section>
  );
}

const WHEN = {
  running: 'it is read now',
  change: 'when a file changes',
  interval: 'at intervals: its files cannot be watched',
} as const;

/** What nobody follows is as old as its last read; more is not known of it. */
function Step({ next, lastSuccessAt }: { next: NextRead; lastSuccessAt: string | undefined }) {
  if (next.kind === 'overdue') return <span class="state warn">overdue</span>;
  if (next.kind !== 'unscheduled' && lastSuccessAt !== undefined) return <span class="state">in step</span>;
  return (
    <span class="state off">
      {lastSuccessAt === undefined ? (
        'never read whole'
      ) : (
        <>
          read <Age of={lastSuccessAt} />
        </>
      )}
    </span>
  );
}

const counts = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `, ${countOf(count)} ${name}`)
    .join('');

function Counts({ title, of }: { title: string; of: Readonly<Record<string, number>> }) {
  const known = Object.entries(of).filter(([, count]) => count > 0);
  if (known.length === 0) return null;
  return (
    <>
      <dt>{title}</dt>
      <dd>{known.map(([kind, count]) => `${countOf(count)} ${shown(kind)}`).join(', ')}</dd>
    </>
  );
}
