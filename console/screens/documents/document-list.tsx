import { useEffect, useRef, useState } from 'preact/hooks';
import type { IndexedDocument, ServiceError } from 'ragstone/client';
import { Age, Empty, Loading, Told } from '../../parts/basics.js';
import { Failure } from '../../parts/failure.js';
import { Windowed } from '../../parts/windowed.js';
import { type Address, firstOf, withQuery, writeAddress } from '../../state/address.js';
import { useSession } from '../../state/session.js';
import { go } from '../../state/use-address.js';
import { asServiceError, useLoad } from '../../state/use-load.js';
import { countOf, several, shown } from '../../text/shown.js';

const PAGE = 500;
const ROW = 46;

/** The documents that the key may read, loaded a page at a time while one scrolls. */
export function DocumentList({ address }: { address: Address }) {
  const { client } = useSession();
  const stats = useLoad('stats', (signal) => client.stats({ signal }));
  const type = firstOf(address, 'type');
  const total = type === '' ? stats.value?.total_documents : stats.value?.by_type[type];
  const { documents, isWhole, error, loadMore, isLoading } = usePages(type);
  return (
    <div class="stack">
      <header class="row spread">
        <h1>Documents</h1>
        <label class="row small quiet">
          type
          <select
            class="input mode"
            value={type}
            onChange={(event) => go(withQuery(address, { type: [event.currentTarget.value] }))}
          >
            <option value="">all</option>
            {Object.entries(stats.value?.by_type ?? {}).map(([name, count]) => (
              <option key={name} value={name}>
                {shown(name)} ({countOf(count)})
              </option>
            ))}
          </select>
        </label>
      </header>
      <p class="small quiet" role="status">
        {countOf(documents.length)} loaded{total === undefined ? '' : ` of ${several(total, 'document')}`}
        {isWhole ? '' : '; more come as you scroll'}
      </p>
      {error === undefined ? null : <Failure error={error} retry={loadMore} />}
      {isLoading && documents.length === 0 ? <Loading what="documents" /> : null}
      {documents.length === 0 && isWhole ? (
        <Empty title="No documents">
          <p>
            On the machine of the service: <code>ragstone index FOLDER</code>
          </p>
        </Empty>
      ) : null}
      {documents.length === 0 ? null : (
        <Windowed
          class="documents"
          isList
          label="Documents"
          count={documents.length}
          rowHeight={ROW}
          onEnd={isWhole ? undefined : loadMore}
          row={(index) => <DocumentRow key={index} document={documents[index]} />}
        />
      )}
      <Told>{isWhole ? 'All documents are loaded' : ''}</Told>
    </div>
  );
}

function DocumentRow({ document }: { document: IndexedDocument | undefined }) {
  if (document === undefined) return null;
  const { id, title, externalId, sourceType, status, indexedAt } = document;
  return (
    <li class="document-row">
      <a href={writeAddress({ screen: 'documents', id, query: {} })}>
        <bdi>{shown(title ?? externalId)}</bdi>
      </a>
      <bdi class="path quiet">{shown(externalId)}</bdi>
      <span class="small quiet">{shown(sourceType)}</span>
      {status === 'indexed' ? (
        <span class="small quiet">
          <Age of={indexedAt} />
        </span>
      ) : (
        <span class={`small state ${status === 'failed' ? 'bad' : 'warn'}`}>{status}</span>
      )}
    </li>
  );
}

interface Pages {
  readonly documents: readonly IndexedDocument[];
  readonly isWhole: boolean;
  readonly isLoading: boolean;
  readonly error: ServiceError | undefined;
  readonly loadMore: () => void;
}

/** Pages of one type, each asked for once. */
function usePages(documentType: string): Pages {
  const { client } = useSession();
  const none = { documents: [], isWhole: false, isLoading: false, error: undefined };
  const [pages, setPages] = useState<Omit<Pages, 'loadMore'>>(none);
  const next = useRef<{ cursor: string | undefined; controller: AbortController | undefined }>({
    cursor: undefined,
    controller: undefined,
  });
  const loadMore = (): void => {
    const state = next.current;
    if (state.controller !== undefined) return;
    const controller = new AbortController();
    state.controller = controller;
    setPages((before) => ({ ...before, isLoading: true, error: undefined }));
    const query = { limit: PAGE, cursor: state.cursor, ...(documentType === '' ? {} : { documentType }) };
    client.listDocuments(query, { signal: controller.signal }).then(
      ({ documents, cursor }) => {
        if (controller.signal.aborted) return;
        next.current = { cursor, controller: undefined };
        setPages((before) => ({
          documents: before.documents.concat(documents),
          isWhole: cursor === undefined,
          isLoading: false,
          error: undefined,
        }));
      },
      (cause: unknown) => {
        if (controller.signal.aborted) return;
        state.controller = undefined;
        setPages((before) => ({ ...before, isLoading: false, error: asServiceError(cause) }));
      },
    );
  };
  useEffect(() => {
    next.current = { cursor: undefined, controller: undefined };
    setPages(none);
    loadMore();
    return () => next.current.controller?.abort();
  }, [documentType]);
  return { ...pages, loadMore };
}
