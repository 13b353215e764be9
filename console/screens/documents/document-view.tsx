import { useMemo } from 'preact/hooks';
import type { DocumentText } from 'ragstone/client';
import { Age, CopyButton, Loading } from '../../parts/basics.js';
import { Failure } from '../../parts/failure.js';
import { type Address, firstOf, withQuery, writeAddress } from '../../state/address.js';
import { may, useSession } from '../../state/session.js';
import { go } from '../../state/use-address.js';
import { useLoad } from '../../state/use-load.js';
import { lineOf } from '../../text/lines.js';
import { wantedWords } from '../../text/marks.js';
import { countOf, shown } from '../../text/shown.js';
import { DocumentSide } from './document-side.js';
import type { Border, Passage } from './passage.js';
import { Rendered } from './rendered.js';
import { SourceText } from './source-text.js';

/** Beyond this a text is shown by lines alone. Characters. */
const MOST_RENDERED = 400_000;
const RENDERED_TYPES = new Set([
  'markdown',
  'documentation',
  'wiki',
  'html',
  'confluence',
  'docx',
  'jira',
  'github',
]);

/** One document: its text, where the passage stands in it, and what is known of it. */
export function DocumentView({ id, address }: { id: string; address: Address }) {
  const { client } = useSession();
  const {
    value: document,
    error,
    isLoading,
    reload,
  } = useLoad(id, (signal) => client.getDocument(id, { signal, timeoutMs: LONG_MS }));
  if (error !== undefined) return <Failure error={error} retry={reload} />;
  if (document === undefined) return isLoading ? <Loading what="the document" /> : null;
  return <Whole document={document} address={address} />;
}

/** A document of 50 MB takes its time. */
const LONG_MS = 120_000;

function passageOf(address: Address, length: number): Passage | undefined {
  const [start, end] = [Number(firstOf(address, 'from')), Number(firstOf(address, 'to'))];
  if (firstOf(address, 'to') === '' || !Number.isInteger(start) || !Number.isInteger(end)) return undefined;
  return start >= 0 && end > start && end <= length ? { start, end } : undefined;
}

function Whole({ document, address }: { document: DocumentText; address: Address }) {
  const { text } = document;
  const passage = passageOf(address, text.length);
  const words = useMemo(() => wantedWords(firstOf(address, 'q')), [address]);
  const canRender =
    text.length <= MOST_RENDERED &&
    (RENDERED_TYPES.has(document.sourceType) ||
      /\.(?:md|mdx|markdown|html?|docx)$/i.test(document.externalId));
  const isSource = firstOf(address, 'view') === 'source' || !canRender;
  const borders = useBorders(document.id);
  const shownPassage = passage;
  const lines = useMemo(
    () =>
      shownPassage && { start: lineOf(text, shownPassage.start), end: lineOf(text, shownPassage.end - 1) },
    [text, shownPassage?.start, shownPassage?.end],
  );
  return (
    <div class="document">
      <Header document={document} address={address} />
      <fieldset class="row" aria-label="How the text is shown">
        {canRender ? (
          <>
            <Switch address={address} isOn={!isSource} view="">
              Rendered
            </Switch>
            <Switch address={address} isOn={isSource} view="source">
              Source
            </Switch>
          </>
        ) : null}
        <CopyButton what="the text" text={() => text}>
          Copy the text
        </CopyButton>
        <span class="small quiet number">{countOf(text.length)} characters</span>
      </fieldset>
      <div class="document-body panel">
        <h2 class="unseen">Text</h2>
        {isSource ? (
          <SourceText text={text} id={document.id} passage={shownPassage} borders={borders} words={words} />
        ) : (
          <Rendered text={text} lines={lines} words={words} />
        )}
      </div>
      <DocumentSide document={document} address={address} borders={borders} passage={passage} />
    </div>
  );
}

/** More than this are not outlined. */
const MOST_BORDERS = 2_000;

/** Where the document is cut into passages. */
function useBorders(id: string): readonly Border[] {
  const { client } = useSession();
  const { value } = useLoad(`passages ${id}`, async (signal) => {
    const borders: Border[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await client.documentPassages(id, { cursor }, { signal });
      borders.push(...page.passages);
      cursor = page.cursor;
      if (cursor === undefined || borders.length >= MOST_BORDERS) return borders;
    }
  });
  return value ?? NO_BORDERS;
}

const NO_BORDERS: readonly Border[] = [];

function Switch({
  address,
  isOn,
  view,
  children,
}: {
  address: Address;
  isOn: boolean;
  view: string;
  children: string;
}) {
  return (
    <button
      type="button"
      class="button"
      aria-pressed={isOn}
      onClick={() => go(withQuery(address, { view: [view] }), { replace: true })}
    >
      {children}
    </button>
  );
}

function Header({ document, address }: { document: DocumentText; address: Address }) {
  const session = useSession();
  const { title, externalId, url, indexedAt, sourceType, status } = document;
  const query = firstOf(address, 'q');
  return (
    <header>
      {query === '' ? null : (
        <p class="small">
          <a href={writeAddress({ screen: 'search', query: { q: [query] } })}>
            ‹ Results for “{shown(query)}”
          </a>
        </p>
      )}
      <h1>
        <bdi>{shown(title ?? externalId)}</bdi>
      </h1>
      <p class="place">
        <bdi class="path">{shown(externalId)}</bdi>
        <span>{shown(sourceType)}</span>
        {status === 'indexed' ? null : <span class="state warn">{status}</span>}
        <span>
          indexed <Age of={indexedAt} />
        </span>
        {url !== undefined && /^https?:/i.test(url) ? (
          <a href={url} target="_blank" rel="noopener noreferrer">
            Open at its source
          </a>
        ) : null}
        {may(session, 'maintain') ? (
          <a href={writeAddress({ screen: 'miss', query: { q: [query], document: [externalId] } })}>
            Why not found?
          </a>
        ) : null}
      </p>
    </header>
  );
}
