import { useState } from 'preact/hooks';
import type { QueriesPage } from 'ragstone/client';
import { Age, Columns, Empty, Loading } from '../../parts/basics.js';
import { Failure } from '../../parts/failure.js';
import { Scrolls } from '../../parts/scrolls.js';
import { type Address, firstOf, withQuery, writeAddress } from '../../state/address.js';
import { useSession } from '../../state/session.js';
import { go } from '../../state/use-address.js';
import { useLoad } from '../../state/use-load.js';
import { countOf, shown } from '../../text/shown.js';

const VIEWS = [
  ['', 'All'],
  ['without-results', 'Without a result'],
  ['withheld', 'Answers withheld'],
] as const;

/** What was asked, newest first: all, what found nothing, or what was not answered. Each is judged where it is asked again. */
export function QueryLog({ address }: { address: Address }) {
  const { client, caller } = useSession();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const only = VIEWS.map(([name]) => name).find((name) => name === firstOf(address, 'only')) ?? '';
  const cursor = cursors.at(-1);
  const { value, error, isLoading, reload } = useLoad(`queries ${only} ${cursor ?? ''}`, (signal) =>
    client.queries(
      { ...(only === '' ? {} : { only }), ...(cursor === undefined ? {} : { cursor }) },
      { signal },
    ),
  );
  return (
    <section class="panel stack" aria-label="Log of questions" aria-busy={isLoading}>
      <header class="row spread">
        <h2>What was asked</h2>
        <fieldset class="row" aria-label="Which questions">
          {VIEWS.map(([name, title]) => (
            <button
              key={name}
              type="button"
              class="button"
              aria-pressed={name === only}
              onClick={() => {
                setCursors([]);
                go(withQuery(address, { only: [name] }));
              }}
            >
              {title}
            </button>
          ))}
          <button type="button" class="button plain" onClick={reload}>
            Read again
          </button>
        </fieldset>
      </header>
      {caller.offers.queryTexts ? null : (
        <p class="note small">
          The log holds no texts of questions: <code>rag.audit.text: true</code> keeps them.
        </p>
      )}
      {error === undefined ? null : <Failure error={error} retry={reload} />}
      {value === undefined && isLoading ? <Loading what="the log" /> : null}
      {value === undefined ? null : value.queries.length === 0 ? (
        <Empty
          title={
            value.cursor !== undefined
              ? 'None among the youngest; older ones may be'
              : only === ''
                ? 'Nothing was asked yet'
                : 'There is none of these'
          }
        />
      ) : (
        <Queries page={value} />
      )}
      <div class="row">
        {cursors.length === 0 ? null : (
          <button type="button" class="button" onClick={() => setCursors(cursors.slice(0, -1))}>
            Newer
          </button>
        )}
        {value?.cursor === undefined ? null : (
          <button type="button" class="button" onClick={() => setCursors([...cursors, value.cursor ?? ''])}>
            Older
          </button>
        )}
        {value?.isWhole === false ? (
          <span class="small quiet">The log goes further back than was read for this page.</span>
        ) : null}
      </div>
    </section>
  );
}

function Queries({ page: { queries } }: { page: QueriesPage }) {
  return (
    <Scrolls label="Questions">
      <table class="table wide">
        <Columns names={['question', 'kind', 'found', 'outcome', 'by', 'when']} />
        <tbody>
          {queries.map(({ at, kind, text, results, isWithheld, reason, caller, requestId }) => (
            <tr key={`${at} ${requestId ?? ''}`}>
              <td class="wordy">
                {text === undefined ? (
                  <span class="quiet">not kept</span>
                ) : (
                  <a
                    href={writeAddress({
                      screen: kind === 'answer' ? 'answer' : 'search',
                      query: { q: [text] },
                    })}
                    title="Ask it again, and judge what comes"
                  >
                    <bdi>{shown(text)}</bdi>
                  </a>
                )}
              </td>
              <td class="tight">{kind}</td>
              <td class="right">{reason === 'ABORTED' ? '' : countOf(results)}</td>
              <td class="tight">
                {reason === 'ABORTED' ? (
                  <span class="state off">cancelled</span>
                ) : reason === undefined ? (
                  isWithheld ? (
                    <span class="state warn">withheld</span>
                  ) : results === 0 ? (
                    <span class="state warn">nothing</span>
                  ) : (
                    ''
                  )
                ) : (
                  <span class="state bad">{reason}</span>
                )}
              </td>
              <td class="tight">{shown(caller ?? '')}</td>
              <td class="tight">
                <Age of={at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}
