import { useMemo } from 'preact/hooks';
import type { AnswerResponse } from 'ragstone/client';
import { CopyButton, Told } from '../../parts/basics.js';
import { Failure, Notices } from '../../parts/failure.js';
import { LazyMarkdown } from '../../parts/lazy-markdown.js';
import { useSession } from '../../state/session.js';
import { outdented, wantedWords } from '../../text/marks.js';
import { millisecondsOf, several, shown } from '../../text/shown.js';
import { AnswerSource } from './answer-source.js';
import { Thumbs } from './thumbs.js';
import type { Turn } from './use-answer.js';
import { withCitations } from './with-citations.js';

interface TurnProps {
  readonly turn: Turn;
  readonly isAsking: boolean;
  readonly onAgain: () => void;
}

/** One question, its answer, and the passages that it rests on. */
export function AnswerTurn({ turn, isAsking, onAgain }: TurnProps) {
  const { question, text, sources, answer, error, takenBack } = turn;
  const name = useMemo(() => `turn-${nextName()}`, []);
  const words = useMemo(() => wantedWords(answer?.standaloneQuestion ?? question), [question, answer]);
  const cited = new Set(answer?.citations.map(({ n }) => n));
  const show = (n: number): void => {
    const place = document.getElementById(`${name}-${n}`);
    place?.focus();
    place?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <section class="turn" aria-label={`Question: ${shown(question)}`} aria-busy={isAsking}>
      <h2 class="asked">
        <bdi>{shown(question)}</bdi>
      </h2>
      {answer !== undefined && answer.standaloneQuestion !== question ? (
        <p class="small quiet">Understood as: {shown(answer.standaloneQuestion)}</p>
      ) : null}
      <div class="turn-body">
        <div class="stack">
          {takenBack !== undefined && answer === undefined ? <p class="note">{shown(takenBack)}</p> : null}
          {error === undefined ? null : <Failure error={error} retry={onAgain} />}
          {answer === undefined ? null : <Outcome answer={answer} />}
          {text === '' ? (
            isAsking ? (
              <p class="quiet">{sources.length === 0 ? 'Searching…' : 'Reading the passages…'}</p>
            ) : null
          ) : (
            <LazyMarkdown
              text={outdented(text)}
              textOf={withCitations({ support: answer?.support ?? [], onShow: show })}
            />
          )}
          {isAsking && text !== '' ? <span class="caret" aria-hidden="true" /> : null}
          {answer === undefined ? null : <Support answer={answer} />}
          {answer === undefined ? null : <Conflicts answer={answer} />}
          {answer === undefined ? null : <Notices of={answer} />}
          {answer === undefined ? null : <Ending answer={answer} onAgain={onAgain} />}
          <Told>{answer === undefined ? '' : `Answered: ${answer.answer}`}</Told>
        </div>
        <ol class="sources" aria-label={answer?.abstained === true ? 'Closest passages' : 'Passages'}>
          {sources.map((source) => (
            <AnswerSource
              key={source.n}
              id={`${name}-${source.n}`}
              source={source}
              isCited={cited.has(source.n)}
              isAnswered={answer?.abstained === false}
              quotes={quotesOf(answer, source.n)}
              words={words}
            />
          ))}
        </ol>
      </div>
    </section>
  );
}

/** What is quoted of a passage: by the answer, or beside it as the closest that was found. */
const quotesOf = (answer: AnswerResponse | undefined, wanted: number): string[] =>
  [...(answer?.citations ?? []), ...(answer?.abstained === true ? answer.further : [])]
    .filter(({ n }) => n === wanted)
    .map(({ quote }) => quote);

let names = 0;
const nextName = (): number => ++names;

const OUTCOMES = {
  answer: { word: 'Answered from the documents', class: 'state' },
  perhaps: { word: 'Perhaps: no passage clearly answers', class: 'state warn' },
  'not-found': { word: 'Nothing answers it', class: 'state off' },
} as const;

const UNSURE = { word: 'Perhaps: about as often wrong as right', class: 'state warn' } as const;

function Outcome({ answer }: { answer: AnswerResponse }) {
  const { outcome, isUnsure, confidence, abstention } = answer;
  const state = outcome === 'answer' && isUnsure === true ? UNSURE : OUTCOMES[outcome];
  return (
    <div class="small">
      <p class="row">
        <span class={state.class}>{state.word}</span>
        <span class="quiet number">confidence {confidence.toFixed(2)}</span>
      </p>
      {abstention?.missing === undefined || abstention.missing.length === 0 ? null : (
        <p class="quiet">No document says: {abstention.missing.map(shown).join(', ')}</p>
      )}
      {outcome === 'answer' ? null : <p class="quiet">The closest passages are beside it.</p>}
    </div>
  );
}

const VERDICTS: Readonly<Record<string, string>> = {
  unsupported: 'No passage says it',
  contradicted: 'A passage says otherwise',
  'not-checked': 'Could not be checked',
};

/** Sentences that do not stand, in the answer or taken out of it. */
function Support({ answer }: { answer: AnswerResponse }) {
  const doubtful = answer.support.filter(({ verdict, isRemoved }) => verdict !== 'supported' || isRemoved);
  if (doubtful.length === 0) return null;
  return (
    <details class="small" open={doubtful.some(({ isRemoved }) => !isRemoved)}>
      <summary>{several(doubtful.length, 'sentence')} that no passage supports</summary>
      <ul class="stack">
        {doubtful.map(({ sentence, verdict, isRemoved, problems }) => (
          <li key={sentence}>
            <p class={isRemoved ? 'removed' : ''}>{shown(sentence)}</p>
            <p class="quiet">
              {VERDICTS[verdict] ?? verdict}
              {isRemoved ? '; taken out of the answer' : ''}
              {problems.length === 0 ? '' : `: ${problems.map(shown).join('; ')}`}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Conflicts({ answer: { conflicts = [] } }: { answer: AnswerResponse }) {
  if (conflicts.length === 0) return null;
  return (
    <div class="note warn">
      <p>
        <strong>The documents disagree.</strong>
      </p>
      {conflicts.map(({ statements }, at) => (
        <ul key={at}>
          {statements.map(({ n, quote, source, date }) => (
            <li key={n}>
              “{shown(quote)}”{' '}
              <span class="quiet small">
                {shown(source)} {date?.slice(0, 10) ?? ''}
              </span>
            </li>
          ))}
        </ul>
      ))}
    </div>
  );
}

function Ending({ answer, onAgain }: { answer: AnswerResponse; onAgain: () => void }) {
  const { caller } = useSession();
  return (
    <div class="row">
      {caller.offers.feedback ? <Thumbs requestId={answer.requestId} /> : null}
      <CopyButton what="the answer" text={() => answer.answer}>
        Copy
      </CopyButton>
      <button type="button" class="button plain" onClick={onAgain}>
        Ask again
      </button>
      <span class="small quiet number">
        {answer.answerer === 'none' ? '' : answer.answerer === 'chat' ? 'by a language model, ' : 'quoted, '}
        {millisecondsOf(answer.tookMs)}
      </span>
    </div>
  );
}
