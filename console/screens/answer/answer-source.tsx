import { Age, Marked } from '../../parts/basics.js';
import { writeAddress } from '../../state/address.js';
import { rangeOf, shown } from '../../text/shown.js';
import { pagesOf } from '../search/result.js';
import type { Source } from './use-answer.js';

interface SourceProps {
  readonly id: string;
  readonly source: Source;
  readonly isCited: boolean;
  readonly isAnswered: boolean;
  readonly quotes: readonly string[];
  readonly words: ReadonlySet<string>;
}

/** A passage that an answer rests on, with what was quoted of it. */
export function AnswerSource({ id, source, isCited, isAnswered, quotes, words }: SourceProps) {
  const { n, title, source: path, headingPath, lines, pages, date, flagged = [], chunk_text: text } = source;
  const offsets = pagesOf(source.metadata.offsets);
  const href = writeAddress({
    screen: 'documents',
    id: source.documentId,
    query: offsets === undefined ? {} : { from: [String(offsets.start)], to: [String(offsets.end)] },
  });
  return (
    <li id={id} tabIndex={-1} class={isCited ? 'source cited' : 'source'}>
      <header>
        <span class="citation-number" aria-hidden="true">
          {n}
        </span>
        <a href={href}>
          <bdi>{shown(title ?? path)}</bdi>
        </a>
        {isCited || !isAnswered ? null : <span class="small quiet">not cited</span>}
      </header>
      <p class="place">
        <bdi class="path">{shown(path)}</bdi>
        <span class="number">
          {pages === undefined ? `lines ${rangeOf(lines)}` : `pages ${rangeOf(pages)}`}
        </span>
        {headingPath.length === 0 ? null : <bdi>{headingPath.map(shown).join(' \u203a ')}</bdi>}
        <Age of={date} />
      </p>
      {flagged.map((sentence) => (
        <p key={sentence} class="note warn small">
          This reads like an order to a language model: “{shown(sentence)}”
        </p>
      ))}
      <details open={quotes.length > 0}>
        <summary class="small quiet">Passage</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
        <p class="passage whole" dir="auto" tabIndex={0}>
          <Quoted text={text} quotes={quotes} words={words} />
        </p>
      </details>
    </li>
  );
}

/** The passage with what was quoted of it marked; without a quotation the words of the question. */
function Quoted({
  text,
  quotes,
  words,
}: {
  text: string;
  quotes: readonly string[];
  words: ReadonlySet<string>;
}) {
  const quote = quotes.find((one) => one !== '' && text.includes(one));
  if (quote === undefined) return <Marked text={text.trim()} words={words} />;
  const at = text.indexOf(quote);
  return (
    <>
      {shown(text.slice(0, at).trimStart())}
      <mark>{shown(quote)}</mark>
      {shown(text.slice(at + quote.length).trimEnd())}
    </>
  );
}
