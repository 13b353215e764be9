import type { IndexStatus } from 'ragstone/client';
import { Loading } from '../../parts/basics.js';
import { Failure, NotAllowed, Notices } from '../../parts/failure.js';
import type { Address } from '../../state/address.js';
import { may, useSession } from '../../state/session.js';
import { useLoad } from '../../state/use-load.js';
import { countOf, several } from '../../text/shown.js';
import { FailedItems } from './failed-items.js';
import { RunPanel } from './run-panel.js';
import { SourceCard } from './source-card.js';
import { useRuns } from './use-runs.js';

/** Where documents come from, how old what is known of each is, what failed, and what runs now. */
export function SourcesScreen(_: { address: Address }) {
  const session = useSession();
  return may(session, 'maintain') ? (
    <Sources />
  ) : (
    <NotAllowed what="Sources and runs" permission="maintain" />
  );
}

function Sources() {
  const { client } = useSession();
  const runs = useRuns();
  const ended = runs.runs.filter(({ finishedAt }) => finishedAt !== undefined).length;
  // What a run does changes when it begins and when it has ended.
  const states = runs.runs.map(({ id, finishedAt }) => `${id} ${finishedAt ?? ''}`).join();
  const status = useLoad(`status ${states}`, (signal) => client.status({ signal }));
  const { value, error, isLoading, reload } = status;
  return (
    <div class="stack">
      <h1>Sources and runs</h1>
      <RunPanel runs={runs} lastRun={value?.lastRun} sources={value?.sources} />
      {error === undefined ? null : <Failure error={error} retry={reload} />}
      {value === undefined && isLoading ? <Loading what="the sources" /> : null}
      {value === undefined ? null : <Told status={value} />}
      <div class="columns">
        {value?.sources.map((source) => (
          <SourceCard
            key={source.source}
            source={source}
            following={value.following?.sources.find((one) => one.source === source.source)}
            work={value.work?.sources.find((one) => one.source === source.source)}
            skipped={value.lastRun?.stats?.skipped?.[source.source]}
          />
        ))}
      </div>
      {value === undefined ? null : <FailedItems of={ended} onRetry={runs.start} />}
    </div>
  );
}

function Told({ status }: { status: IndexStatus }) {
  return (
    <>
      <p class="quiet">
        {several(status.documents, 'document')} in {several(status.chunks, 'passage')}; {status.provider},{' '}
        {status.embedder} ({countOf(status.dimensions)} dimensions)
        {status.reading === undefined
          ? null
          : `; the reader has read ${countOf(status.reading.read)} of ${countOf(status.reading.passages)} passages ahead`}
      </p>
      <Notices of={status} />
    </>
  );
}
