import type { DocumentText } from 'ragstone/client';
import { Failure } from '../../parts/failure.js';
import { Part } from '../../parts/part.js';
import { type Address, writeAddress } from '../../state/address.js';
import { useSession } from '../../state/session.js';
import { useLoad } from '../../state/use-load.js';
import { shown, timeOf } from '../../text/shown.js';
import { Conflicts } from './document-conflicts.js';
import { Original, Passages, Versions } from './document-parts.js';
import type { Border, Passage } from './passage.js';

interface SideProps {
  readonly document: DocumentText;
  readonly address: Address;
  readonly borders: readonly Border[];
  readonly passage: Passage | undefined;
}

/** What is known of a document beside its text. */
export function DocumentSide({ document, address, borders, passage }: SideProps) {
  return (
    <aside class="document-side stack" aria-label="About the document">
      <Metadata document={document} />
      <Related id={document.id} />
      <Conflicts id={document.id} />
      <Passages borders={borders} address={address} passage={passage} />
      <Versions id={document.id} />
      <Original document={document} />
    </aside>
  );
}

/** Said elsewhere on the page. */
const SAID = new Set(['title', 'source', 'sourceType', 'lines', 'offsets', 'revision', 'documentId']);
const isTime = (name: string): boolean => /At$/.test(name);

function Metadata({ document }: { document: DocumentText }) {
  const { metadata, access, source, indexedAt, id, undecryptable = [] } = document;
  const fields = Object.entries(metadata).filter(([name]) => !SAID.has(name));
  const who = access.groups.includes('*') ? 'everyone in the tenant' : access.groups.map(shown).join(', ');
  return (
    <Part title="Metadata" isOpen>
      <dl class="facts">
        {fields.map(([name, value]) => (
          <>
            <dt>{shown(name)}</dt>
            <dd dir="auto">{shown(isTime(name) ? timeOf(String(value)) || String(value) : textOf(value))}</dd>
          </>
        ))}
        <dt>source</dt>
        <dd>{shown(source)}</dd>
        <dt>for</dt>
        <dd>
          {who === '' ? 'nobody' : who}
          {access.level > 0 ? `, clearance ${access.level}` : ''}
        </dd>
        <dt>indexed</dt>
        <dd>{timeOf(indexedAt)}</dd>
        <dt>id</dt>
        <dd>
          <code>{shown(id)}</code>
        </dd>
      </dl>
      {undecryptable.length === 0 ? null : (
        <p class="note warn">Cannot be decrypted, and is left out: {undecryptable.map(shown).join(', ')}</p>
      )}
    </Part>
  );
}

const textOf = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(textOf).join(', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

const WAYS: Readonly<Record<string, string>> = {
  out: 'refers to',
  in: 'is referred to by',
  shared: 'both name',
};

function Related({ id }: { id: string }) {
  const { client } = useSession();
  const { value, error, isLoading, reload } = useLoad(`related ${id}`, (signal) =>
    client.related({ item: id, limit: 12 }, { signal }),
  );
  return (
    <Part title="Related" isOpen>
      {error === undefined ? null : <Failure error={error} retry={reload} />}
      {isLoading ? <p class="small quiet">Loading…</p> : null}
      {value?.related.length === 0 ? (
        <p class="small quiet">Nothing refers to it, and it refers to nothing here.</p>
      ) : null}
      <ul class="related">
        {value?.related.map(({ id: other, title, externalId, path }) => {
          const [step] = path;
          return (
            <li key={other}>
              <a href={writeAddress({ screen: 'documents', id: other, query: {} })}>
                <bdi>{shown(title ?? externalId)}</bdi>
              </a>
              <span class="small quiet">
                {path.length > 1
                  ? `in ${path.length} steps`
                  : step === undefined
                    ? ''
                    : `${WAYS[step.direction] ?? ''} ${step.direction === 'shared' ? shown(step.via ?? '') : `(${step.kind})`}`}
              </span>
            </li>
          );
        })}
      </ul>
    </Part>
  );
}
