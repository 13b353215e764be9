import type { CompareResponse } from 'ragstone/client';
import { Worded } from '../../parts/basics.js';
import { Band } from '../../parts/score.js';
import { writeAddress } from '../../state/address.js';
import { plainExcerpt } from '../../text/marks.js';
import { millisecondsOf, rangeOf, several, shown } from '../../text/shown.js';
import { type Settings, settingsWords } from './settings.js';

export type Search = CompareResponse['searches'][number];
type Results = Search['a']['results'];
type Move = Search['moves'][number];

/** How many moved, came and went. */
export function countsOf({ moves, a, b }: Pick<Search, 'moves' | 'a' | 'b'>): string {
  const gained = moves.filter(({ from }) => from === undefined).length;
  const lost = moves.filter(({ to }) => to === undefined).length;
  const moved = moves.filter(({ from, to }) => from !== undefined && to !== undefined && from !== to).length;
  if (gained + lost + moved === 0)
    return a.results.length + b.results.length === 0 ? 'nothing on either side' : 'no difference';
  return [
    moved === 0 ? '' : `${moved} moved`,
    gained === 0 ? '' : `${gained} gained`,
    lost === 0 ? '' : `${lost} lost`,
  ]
    .filter((words) => words !== '')
    .join(', ');
}

/** Both sides of one search, with what differs marked. */
export function ComparedSearch({ search, a, b }: { search: Search; a: Settings; b: Settings }) {
  const moves = new Map(search.moves.map((move) => [move.id, move]));
  return (
    <div class="stack">
      <p role="status">{countsOf(search)}</p>
      <div class="sides">
        <SideList
          name="A"
          words={settingsWords(a)}
          side={search.a}
          moves={moves}
          of="a"
          query={search.question}
        />
        <SideList
          name="B"
          words={settingsWords(b)}
          side={search.b}
          moves={moves}
          of="b"
          query={search.question}
        />
      </div>
    </div>
  );
}

interface SideProps {
  readonly name: string;
  readonly words: string;
  readonly side: Search['a'];
  readonly moves: ReadonlyMap<string, Move>;
  readonly of: 'a' | 'b';
  readonly query: string;
}

function SideList({ name, words, side, moves, of, query }: SideProps) {
  return (
    <section aria-label={`Side ${name}`}>
      <header class="row spread side-head">
        <h2>{name}</h2>
        <span class="small quiet">
          {words}; {several(side.results.length, 'result')} in {millisecondsOf(side.tookMs)}
        </span>
      </header>
      {side.notices.map((notice) => (
        <p key={notice} class="note small">
          <Worded text={notice} />
        </p>
      ))}
      <ol class="compared">
        {side.results.map((result, at) => (
          <Compared
            key={result.id}
            result={result}
            rank={at + 1}
            move={moves.get(result.id)}
            of={of}
            query={query}
          />
        ))}
      </ol>
      {side.results.length === 0 ? <p class="quiet small">Nothing matches.</p> : null}
    </section>
  );
}

function Compared({
  result,
  rank,
  move,
  of,
  query,
}: {
  result: Results[number];
  rank: number;
  move: Move | undefined;
  of: 'a' | 'b';
  query: string;
}) {
  const { words, class: name } = moveWords(move, of);
  return (
    <li class={`compared-hit ${name}`}>
      <span class="rank number">{rank}</span>
      <div>
        <p class="row spread">
          <a href={writeAddress({ screen: 'documents', id: result.documentId, query: { q: [query] } })}>
            <bdi>{shown(result.title ?? result.source)}</bdi>
          </a>
          {words === '' ? null : <span class="moved small">{words}</span>}
        </p>
        <p class="place">
          <bdi class="path">{shown(result.source)}</bdi>
          <span class="number">lines {rangeOf(result.lines)}</span>
          <Band match={result.match} score={result.score} />
        </p>
        <p class="small excerpt" dir="auto">
          {shown(plainExcerpt(result.excerpt, result.source))}
        </p>
      </div>
    </li>
  );
}

/** What became of a result of one side on the other. */
function moveWords(
  move: Move | undefined,
  of: 'a' | 'b',
): { readonly words: string; readonly class: string } {
  if (move === undefined || move.from === move.to) return { words: '', class: '' };
  const { from, to } = move;
  if (from === undefined) return { words: 'gained', class: 'gained' };
  if (to === undefined) return { words: 'lost', class: 'lost' };
  const arrow = to < from ? '\u2191' : '\u2193';
  return { words: of === 'a' ? `${arrow} to ${to}` : `${arrow} from ${from}`, class: 'shifted' };
}
