import type { ExplainResponse } from 'ragstone/client';
import { Empty } from '../../parts/basics.js';
import { NothingIndexed, Notices } from '../../parts/failure.js';
import { type Address, withQuery, writeAddress } from '../../state/address.js';
import { may, useSession } from '../../state/session.js';
import { useLoad } from '../../state/use-load.js';
import { countOf, shown } from '../../text/shown.js';
import { hasFilters, searchOf, withoutFilters } from './search-request.js';

/** Before anything is asked: what is there to be asked. */
export function NothingAsked() {
  const { client } = useSession();
  const { value } = useLoad('stats', (signal) => client.stats({ signal }));
  if (value?.total_documents === 0) return <NothingIndexed />;
  return (
    <Empty title={value === undefined ? 'Search' : `${countOf(value.total_documents)} documents to search`}>
      <p>
        Type words, a question, a ticket or an error. Results come as you pause. <kbd>?</kbd> shows the keys.
      </p>
    </Empty>
  );
}

/** What would bring a result: weaker matches, fewer filters, other words, and why a document is missing. */
export function NothingFound({ found, address }: { found: ExplainResponse; address: Address }) {
  const session = useSession();
  const search = searchOf(address);
  const nearest = useNearest(address);
  const to = (next: Address): string => writeAddress(next);
  return (
    <div class="stack">
      <Notices of={found} />
      <Empty title="Nothing matches">
        <ul>
          {hasFilters(search) ? (
            <li>
              <a href={to(withoutFilters(address))}>Search without the filters</a>
              {nearest === undefined
                ? ''
                : `: ${nearest.unfiltered === 0 ? 'nothing matches there either' : `${nearest.unfiltered} or more match`}`}
            </li>
          ) : null}
          {search.minScore === 0 ? null : (
            <li>
              <a href={to(withQuery(address, { weak: ['1'] }))}>Show weaker matches</a>
              {nearest === undefined
                ? ''
                : `: ${nearest.weaker === 0 ? 'there are none' : `${nearest.weaker} or more, the best ${nearest.best.toFixed(2)}`}`}
            </li>
          )}
          {search.mode === undefined || search.mode === 'hybrid' ? null : (
            <li>
              <a href={to(withQuery(address, { mode: [] }))}>Search by words and meaning</a>
            </li>
          )}
          {found.correction === undefined ? null : (
            <li>
              <a href={to(withQuery(address, { exact: ['1'] }))}>
                Search for “{shown(found.query)}” as it is typed
              </a>
            </li>
          )}
          {may(session, 'maintain') ? (
            <li>
              <a href={to({ screen: 'miss', query: address.query })}>
                Why a document that should match was not found
              </a>
            </li>
          ) : null}
        </ul>
      </Empty>
    </div>
  );
}

/** What the same question would find with less asked of it. */
function useNearest(address: Address): { weaker: number; best: number; unfiltered: number } | undefined {
  const { client } = useSession();
  const search = searchOf(address);
  const { value } = useLoad(`nearest ${writeAddress(address)}`, async (signal) => {
    const request = { query: search.query, topK: 10 };
    const [weaker, unfiltered] = await Promise.all([
      client.explain({ ...request, ...search.filters, minScore: 0 }, { signal }),
      hasFilters(search) ? client.explain({ ...request, minScore: null }, { signal }) : undefined,
    ]);
    return {
      weaker: weaker.results.length,
      best: weaker.results[0]?.score ?? 0,
      unfiltered: unfiltered?.results.length ?? 0,
    };
  });
  return value;
}
