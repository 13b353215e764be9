import { Age, CopyMenu, Marked } from '../../parts/basics.js';
import { Band, ScoreBar, WhyRank } from '../../parts/score.js';
import { Verdict } from '../../parts/verdict.js';
import { type Address, firstOf, writeAddress } from '../../state/address.js';
import { noteOpened } from '../../state/last-search.js';
import { useSession } from '../../state/session.js';
import { asCommand, asCurl, asMcpCall } from '../../text/copy-as.js';
import { excerptStart, plainExcerpt, unwrapped } from '../../text/marks.js';
import type { Hit } from '../../text/score.js';
import { rangeOf, several, shown } from '../../text/shown.js';
import { searchOf } from './search-request.js';

const EXCERPT = 420;

interface ResultProps {
  readonly rank: number;
  readonly hit: Hit;
  readonly next: Hit | undefined;
  readonly words: ReadonlySet<string>;
  readonly address: Address;
  readonly requestId: string;
  readonly isChosen: boolean;
  readonly isOpen: boolean;
  readonly onChoose: () => void;
  readonly onOpen: () => void;
}

/** One passage: where it stands, what it says, how well it matches. */
export function Result({
  rank,
  hit,
  next,
  words,
  address,
  requestId,
  isChosen,
  isOpen,
  onChoose,
  onOpen,
}: ResultProps) {
  const { caller } = useSession();
  const why = `why-${rank}`;
  return (
    <li class={isChosen ? 'hit chosen' : 'hit'} onFocusIn={onChoose}>
      <article aria-labelledby={`hit-${rank}`}>
        <header>
          <span class="rank number" aria-hidden="true">
            {rank}
          </span>
          <h2 id={`hit-${rank}`}>
            <a href={documentOf(hit, address)} onClick={() => noteOpened(address, hit.id)}>
              <bdi>
                <Marked text={hit.title ?? hit.source} words={words} />
              </bdi>
            </a>
          </h2>
          <Band match={hit.match} score={hit.score} />
        </header>
        <Place hit={hit} />
        <Passage hit={hit} words={words} isWhole={isOpen} />
        <footer>
          <ScoreBar hit={hit} />
          <div class="row">
            <button
              type="button"
              class="button plain"
              aria-expanded={isOpen}
              aria-controls={why}
              onClick={onOpen}
            >
              Why {isOpen ? '\u25b4' : '\u25be'}
            </button>
            <CopyMenu entries={copies(hit, address, { needsKey: !caller.isLocal })} />
            {caller.offers.feedback ? (
              <Verdict requestId={requestId} rank={rank} isChosen={isChosen} />
            ) : null}
            {hit.more === undefined ||
            hit.more.passages + hit.more.copies + (hit.more.alike ?? 0) === 0 ? null : (
              <span class="small quiet">{moreOf(hit.more)}</span>
            )}
          </div>
        </footer>
        <div id={why} hidden={!isOpen}>
          {isOpen ? <WhyRank hit={hit} next={next} /> : null}
        </div>
      </article>
    </li>
  );
}

/** Path, lines or pages, headings, age. */
export function Place({ hit }: { hit: Pick<Hit, 'source' | 'lines' | 'headingPath' | 'metadata'> }) {
  const pages = pagesOf(hit.metadata.pages);
  const { updatedAt, createdAt } = hit.metadata;
  const headings = hit.headingPath.map(shown).join(' \u203a ');
  return (
    <p class="place">
      <bdi class="path">{shown(hit.source)}</bdi>
      <span class="number">
        {pages === undefined
          ? `lines ${rangeOf(hit.lines)}`
          : `${pages.start === pages.end ? 'page' : 'pages'} ${rangeOf(pages)}`}
      </span>
      {headings === '' ? null : <bdi class="headings">{headings}</bdi>}
      <Age of={text(updatedAt) ?? text(createdAt)} />
    </p>
  );
}

/** The passage itself; from where the words of the query stand, unless it is shown whole. */
function Passage({ hit, words, isWhole }: { hit: Hit; words: ReadonlySet<string>; isWhole: boolean }) {
  const content = plainExcerpt(unwrapped(isWhole ? hit.content.trim() : bodyOf(hit)), hit.source);
  const start = isWhole ? 0 : excerptStart(content, words, EXCERPT);
  const end = isWhole ? content.length : Math.min(content.length, start + EXCERPT * 1.5);
  return (
    <p class={isWhole ? 'passage whole' : 'passage'} dir="auto" tabIndex={isWhole ? 0 : undefined}>
      {start === 0 ? '' : '… '}
      <Marked text={content.slice(start, end)} words={words} />
      {end < content.length ? ' …' : ''}
    </p>
  );
}

/** Without what the headings above it say already, and without empty lines. */
function bodyOf({ content, headingPath, title }: Hit): string {
  const [first = '', ...rest] = content.trim().split(/\n+/);
  const heading = first.replace(/^#+\s+/, '').trim();
  const isSaid =
    rest.length > 0 && (heading === headingPath.at(-1) || (heading === title && first !== heading));
  return isSaid ? rest.join('\n') : [first, ...rest].join('\n');
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export function pagesOf(value: unknown): { readonly start: number; readonly end: number } | undefined {
  if (typeof value !== 'object' || value === null || !('start' in value) || !('end' in value))
    return undefined;
  const { start, end } = value;
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : undefined;
}

const moreOf = ({ passages, copies: same, alike = 0 }: NonNullable<Hit['more']>): string =>
  [
    passages === 0 ? '' : `${several(passages, 'more passage')} of it`,
    same === 0 ? '' : several(same, 'copy', 'copies'),
    alike === 0 ? '' : `${several(alike, 'document')} alike`,
  ]
    .filter((words) => words !== '')
    .join(', ');

/** The address of the document, with the passage that was found. */
export function documentOf(hit: Hit, address: Address): string {
  const offsets = pagesOf(hit.metadata.offsets);
  return writeAddress({
    screen: 'documents',
    id: hit.documentId,
    query: {
      ...(offsets === undefined ? {} : { from: [String(offsets.start)], to: [String(offsets.end)] }),
      q: [firstOf(address, 'q')],
    },
  });
}

const copies = (hit: Hit, address: Address, { needsKey }: { needsKey: boolean }) =>
  [
    ['Passage', () => hit.content],
    ['Place', () => `${hit.source}:${rangeOf(hit.lines)}`],
    ['Link to the passage', () => new URL(documentOf(hit, address), location.href).href],
    ['Search as command', () => asCommand(searchOf(address))],
    ['Search as curl', () => asCurl(searchOf(address), { base: new URL('.', location.href).href, needsKey })],
    ['Search as MCP call', () => asMcpCall(searchOf(address))],
  ] as const;
