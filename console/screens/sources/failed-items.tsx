import { Age, Worded } from '../../parts/basics.js';
import { Failure } from '../../parts/failure.js';
import { Scrolls } from '../../parts/scrolls.js';
import { useSession } from '../../state/session.js';
import { useLoad } from '../../state/use-load.js';
import { countOf, several, shown } from '../../text/shown.js';

const MOST = 200;
const STATES = { due: 'tried with the next run', waiting: 'waits', 'given-up': 'given up' } as const;

/** Documents that could not be indexed, why, and when each is tried again. */
export function FailedItems({ of, onRetry }: { of: number; onRetry: (request: { retry: true }) => void }) {
  const { client } = useSession();
  const { value, error, reload } = useLoad(`failures ${of}`, (signal) =>
    client.failures({ limit: MOST }, { signal }),
  );
  if (error !== undefined) return <Failure error={error} retry={reload} />;
  if (value === undefined || value.total === 0) return null;
  return (
    <section class="panel stack" aria-label="What failed">
      <header class="row spread">
        <h2>{several(value.total, 'document')} failed</h2>
        <button type="button" class="button" onClick={() => onRetry({ retry: true })}>
          Try all of them again
        </button>
      </header>
      <Scrolls label="Failed documents">
        <table class="table wide">
          <thead>
            <tr>
              <th scope="col">document</th>
              <th scope="col">why</th>
              <th scope="col" class="right">
                tries
              </th>
              <th scope="col">last</th>
              <th scope="col">next</th>
            </tr>
          </thead>
          <tbody>
            {value.failures.map(
              ({ source, item, reason, message, attempts, failedAt, state, nextAttemptAt }) => (
                <tr key={`${source}\n${item}`}>
                  <td>
                    <bdi>{shown(item)}</bdi>
                  </td>
                  <td>
                    <Worded text={message} /> <span class="small quiet">{reason}</span>
                  </td>
                  <td class="right">{countOf(attempts)}</td>
                  <td>
                    <Age of={failedAt} />
                  </td>
                  <td>
                    {STATES[state]} {nextAttemptAt === undefined ? null : <Age of={nextAttemptAt} />}
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </Scrolls>
      {value.total > value.failures.length ? (
        <p class="small quiet">The first {countOf(value.failures.length)} are shown.</p>
      ) : null}
    </section>
  );
}
