import { useEffect, useRef, useState } from 'preact/hooks';
import type { ExplainResponse } from 'ragstone/client';
import { Loading, Told } from '../../parts/basics.js';
import { Failure, Notices } from '../../parts/failure.js';
import { type Address, firstOf, withQuery, writeAddress } from '../../state/address.js';
import { noteOpened, noteSearch, takeOpened } from '../../state/last-search.js';
import { useSession } from '../../state/session.js';
import { go } from '../../state/use-address.js';
import { isNothingSelected } from '../../state/use-first-field.js';
import { useKeys } from '../../state/use-keys.js';
import { useLoad } from '../../state/use-load.js';
import { wantedWords } from '../../text/marks.js';
import { millisecondsOf, several, shown } from '../../text/shown.js';
import { Facets } from './facets.js';
import { NothingAsked, NothingFound } from './nothing-found.js';
import { documentOf, Result } from './result.js';
import { SearchField } from './search-field.js';
import { explainRequestOf, searchOf } from './search-request.js';
import { WhatRan } from './what-ran.js';

/** Passages as one types, why each stands where it does, and what the search did. */
export function SearchScreen({ address }: { address: Address }) {
  const { client } = useSession();
  const search = searchOf(address);
  const isExact = firstOf(address, 'exact') !== '';
  const request = explainRequestOf(search, isExact);
  const key = search.query === '' ? undefined : JSON.stringify(request);
  const load = useLoad(key, (signal) => client.explain(request, { signal }));
  const found = key === undefined ? undefined : load.value;
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (key !== undefined) noteSearch(address);
  }, [key]);
  const toFirst = (): boolean => {
    const first = section.current?.querySelector<HTMLElement>('.hit h2 a');
    first?.focus();
    return first != null;
  };
  return (
    <div class="search">
      <h1 class="unseen">Search</h1>
      <SearchField address={address} isLoading={load.isLoading} onResults={toFirst} />
      <Facets address={address} />
      <section ref={section} class="results" aria-label="Results" aria-busy={load.isLoading}>
        <Told>{toldOf(found, load.isLoading)}</Told>
        {load.error === undefined ? null : <Failure error={load.error} retry={load.reload} />}
        {key === undefined ? <NothingAsked /> : null}
        {found === undefined && load.isLoading ? <Loading what="results" /> : null}
        {found === undefined ? null : <Found found={found} address={address} isOld={load.isLoading} />}
      </section>
      <aside class="ran" aria-label="What the search did">
        {found === undefined ? null : <WhatRan found={found} search={search} />}
      </aside>
    </div>
  );
}

function toldOf(found: ExplainResponse | undefined, isLoading: boolean): string {
  if (isLoading) return 'Searching';
  return found === undefined
    ? ''
    : `${several(found.results.length, 'passage')} in ${millisecondsOf(found.tookMs)}`;
}

function Found({ found, address, isOld }: { found: ExplainResponse; address: Address; isOld: boolean }) {
  const list = useRef<HTMLOListElement>(null);
  const [chosen, setChosen] = useState(-1);
  const [open, setOpen] = useState<string | undefined>(undefined);
  const { results, requestId } = found;
  const linkOf = (at: number) => list.current?.children[at]?.querySelector<HTMLElement>('h2 a');
  useEffect(() => {
    const opened = takeOpened(address);
    const at = results.findIndex(({ id }) => id === opened);
    setChosen(at);
    setOpen(undefined);
    if (at >= 0 && isNothingSelected()) linkOf(at)?.focus();
  }, [requestId]);
  const step = (by: number): boolean => {
    const next = Math.min(results.length - 1, Math.max(0, chosen + by));
    if (results.length === 0) return false;
    setChosen(next);
    linkOf(next)?.focus({ preventScroll: true });
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
    return true;
  };
  const hit = results[chosen];
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    w: () => (hit === undefined ? false : setOpen(open === hit.id ? undefined : hit.id)),
    Enter: () => {
      // A link that has the focus opens by itself.
      if (hit === undefined || document.activeElement instanceof HTMLAnchorElement) return false;
      if (document.activeElement instanceof HTMLButtonElement) return false;
      noteOpened(address, hit.id);
      location.hash = documentOf(hit, address);
      return true;
    },
  });
  if (results.length === 0) return <NothingFound found={found} address={address} />;
  const words = wantedWords(found.correction?.searchedFor ?? found.query, found.understanding?.keywords);
  return (
    <div class={isOld ? 'busy stack' : 'stack'}>
      <Correction found={found} address={address} />
      <Notices of={found} />
      <ol class="hits" ref={list}>
        {results.map((one, at) => (
          <Result
            key={one.id}
            rank={at + 1}
            hit={one}
            next={results[at + 1]}
            words={words}
            address={address}
            requestId={requestId}
            isChosen={at === chosen}
            isOpen={open === one.id}
            onChoose={() => setChosen(at)}
            onOpen={() => setOpen(open === one.id ? undefined : one.id)}
          />
        ))}
      </ol>
      <More address={address} count={results.length} />
    </div>
  );
}

function More({ address, count }: { address: Address; count: number }) {
  const { topK = 10 } = searchOf(address);
  const isWhole = count < topK || topK >= 100;
  return (
    <p class="row small">
      {isWhole ? null : (
        <button
          type="button"
          class="button"
          onClick={() =>
            go(withQuery(address, { top: [String(Math.min(100, topK * 2))] }), { replace: true })
          }
        >
          Show more
        </button>
      )}
      {firstOf(address, 'weak') === '' && count < topK ? (
        <button type="button" class="button plain" onClick={() => go(withQuery(address, { weak: ['1'] }))}>
          Show weaker matches too
        </button>
      ) : null}
    </p>
  );
}

/** What was searched for in place of what was typed, and the way back. */
function Correction({ found, address }: { found: ExplainResponse; address: Address }) {
  if (found.correction === undefined) return null;
  return (
    <p class="note">
      Searched for <strong>{shown(found.correction.searchedFor)}</strong>.{' '}
      <a href={writeAddress(withQuery(address, { exact: ['1'] }))}>
        Search for “{shown(found.query)}” as it is typed
      </a>
    </p>
  );
}
