import { useRef, useState } from 'preact/hooks';
import type { ExplainMissResponse } from 'ragstone/client';
import { CopyButton, Loading, Worded } from '../../parts/basics.js';
import { Failure, NotAllowed } from '../../parts/failure.js';
import { type Address, firstOf, withQuery, writeAddress } from '../../state/address.js';
import { lastQuestion, searchOfQuestion } from '../../state/last-search.js';
import { may, useSession } from '../../state/session.js';
import { go } from '../../state/use-address.js';
import { useFirstField } from '../../state/use-first-field.js';
import { useLoad } from '../../state/use-load.js';
import { rangeOf, shown } from '../../text/shown.js';
import { stepName } from '../../text/steps.js';
import { searchOf } from '../search/search-request.js';

/** Which step lost a document that a question should find, and the setting that brings it back. */
export function MissScreen({ address }: { address: Address }) {
  const session = useSession();
  const { client } = session;
  const query = firstOf(address, 'q').trim();
  const document = firstOf(address, 'document').trim();
  // As the search page searches, its number of results included.
  const { query: _, filters, ...settings } = searchOf(address);
  const request = { query, document, ...settings, ...filters };
  const isAsked = query !== '' && document !== '' && may(session, 'maintain');
  const { value, error, isLoading, reload } = useLoad(
    isAsked ? JSON.stringify(request) : undefined,
    (signal) => client.explainMiss(request, { signal }),
  );
  if (!may(session, 'maintain'))
    return <NotAllowed what="Why a document was not found" permission="maintain" />;
  return (
    <div class="stack narrow">
      <h1>Why was it not found?</h1>
      <MissForm key={`${query}\n${document}`} address={address} query={query} document={document} />
      <div aria-live="polite" class="stack">
        {error === undefined ? null : error.reason === 'DOCUMENT_NOT_FOUND' ||
          error.reason === 'INVALID_REQUEST' ? (
          <p class="note warn">{shown(error.message)}</p>
        ) : (
          <Failure error={error} retry={reload} />
        )}
        {isLoading ? <Loading what="the steps of the search" /> : null}
        {value === undefined || isLoading ? null : <Explained miss={value} query={query} address={address} />}
      </div>
    </div>
  );
}

function MissForm({ address, query, document }: { address: Address; query: string; document: string }) {
  const [asked, setAsked] = useState(query === '' ? lastQuestion() : query);
  const [wanted, setWanted] = useState(document);
  const names = useDocumentNames();
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);
  useFirstField(asked === '' ? first : second, document === '');
  return (
    <form
      class="form panel"
      onSubmit={(event) => {
        event.preventDefault();
        const search = { ...searchOfQuestion(asked), ...address.query };
        go({ ...address, query: { ...search, q: [asked], document: [wanted] } });
      }}
    >
      <label class="field">
        Question or words that should find it
        <input
          class="input"
          ref={first}
          data-first
          value={asked}
          required
          maxLength={10_000}
          onInput={(event) => setAsked(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        Document: its path, the end of it, or its id; with lines (audit.md:12-18) a passage
        <input
          class="input"
          ref={second}
          data-first
          list="document-names"
          value={wanted}
          required
          maxLength={1_000}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      </label>
      <datalist id="document-names">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div>
        <button type="submit" class="button main">
          Explain
        </button>
      </div>
    </form>
  );
}

/** Names to choose from: those of the first page. */
function useDocumentNames(): readonly string[] {
  const { client } = useSession();
  const { value } = useLoad('names', (signal) => client.listDocuments({ limit: 1_000 }, { signal }));
  return (value?.documents ?? []).map(({ externalId }) => externalId);
}

const STATES = {
  passed: { word: 'passed', class: 'state' },
  noted: { word: 'noted', class: 'state warn' },
  lost: { word: 'lost here', class: 'state bad' },
  off: { word: 'off', class: 'state off' },
} as const;

interface ExplainedProps {
  readonly miss: ExplainMissResponse;
  readonly query: string;
  readonly address: Address;
}

function Explained({ miss, query, address }: ExplainedProps) {
  const { document, found, rank, lostAt, reason, remedies, steps, chunk } = miss;
  return (
    <>
      <div class={found ? 'note' : 'note bad'}>
        <p>
          <strong>
            {found
              ? `It is found${rank === undefined ? '' : `, at rank ${rank}`}.`
              : `Lost at “${stepName(lostAt ?? '', 'lost')}”.`}
          </strong>
        </p>
        <p>
          <Worded text={reason} />
        </p>
        {document === undefined ? null : (
          <p class="small">
            <a href={writeAddress({ screen: 'documents', id: document.id, query: { q: [query] } })}>
              {shown(document.title ?? document.externalId)}
            </a>{' '}
            <bdi class="path">
              {shown(document.externalId)}
              {chunk === undefined ? '' : `:${rangeOf(chunk.lines)}`}
            </bdi>
          </p>
        )}
      </div>
      {found ? null : (
        <section class="stack" aria-label="What brings it back">
          <h2>What brings it back</h2>
          {remedies.length === 0 ? (
            <p class="quiet">No setting does: ask in other words, or add them to the document.</p>
          ) : (
            <ul class="stack">
              {remedies.map((remedy) => (
                <Remedy
                  key={remedy.setting}
                  remedy={remedy}
                  isName={document === undefined && !remedy.setting.startsWith('ragstone ')}
                  address={address}
                />
              ))}
            </ul>
          )}
        </section>
      )}
      <section aria-label="Steps of the search">
        <h2>Step by step</h2>
        <ol class="steps">
          {steps.map(({ stage, status, detail }) => (
            <li key={stage} class={status === 'lost' ? 'lost' : ''}>
              <span>
                <span class={STATES[status].class}>{stepName(stage, status)}</span>
                <span class="unseen">: {STATES[status].word}</span>
              </span>
              <span class={status === 'lost' ? '' : 'quiet'}>
                <Worded text={detail} />
              </span>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

interface RemedyProps {
  readonly remedy: ExplainMissResponse['remedies'][number];
  /** Of a document that was meant, in place of a setting. */
  readonly isName: boolean;
  readonly address: Address;
}

/** A setting or a command to be copied, a document that was meant, or what to ask otherwise. */
function Remedy({ remedy: { setting, detail }, isName, address }: RemedyProps) {
  if (isName)
    return (
      <li class="row">
        Did you mean
        <button type="button" class="button" onClick={() => go(withQuery(address, { document: [setting] }))}>
          <bdi>{shown(setting)}</bdi>
        </button>
      </li>
    );
  return (
    <li class="row">
      {setting === 'the query' ? null : (
        <>
          <code>{shown(setting)}</code>
          <CopyButton what="the setting" text={() => setting}>
            Copy
          </CopyButton>
        </>
      )}
      <span class="small quiet">
        <Worded text={detail} />
      </span>
    </li>
  );
}
