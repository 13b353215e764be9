import { useEffect, useRef, useState } from 'preact/hooks';
import { Empty } from '../../parts/basics.js';
import { type Address, firstOf, withQuery } from '../../state/address.js';
import { go } from '../../state/use-address.js';
import { useFirstField } from '../../state/use-first-field.js';
import { useKeys } from '../../state/use-keys.js';
import { filtersOf } from '../search/search-request.js';
import { AnswerTurn } from './answer-turn.js';
import { useConversation } from './use-answer.js';

/** Questions and their answers, with the passages that say so. */
export function AnswerScreen({ address }: { address: Address }) {
  const conversation = useConversation();
  const { turns, isAsking, ask, stop, clear } = conversation;
  const asked = firstOf(address, 'q');
  const latest = useRef('');
  useEffect(() => {
    // An address that was sent or gone back to begins anew: what was asked before is no part of it.
    if (asked === '' || asked === latest.current) return;
    latest.current = asked;
    ask(asked, filtersOf(address), true);
  }, [asked]);
  const submit = (question: string): void => {
    latest.current = question;
    ask(question, filtersOf(address));
    go(withQuery(address, { q: [question] }));
  };
  return (
    <div class="answer stack">
      <h1 class="unseen">Answers</h1>
      <QuestionField isFollowUp={turns.length > 0} isAsking={isAsking} onAsk={submit} onStop={stop} />
      {turns.length === 0 ? (
        <Empty title="Ask a question">
          <p>
            The answer cites the passages that say so. Where none does, it says that, and shows the closest
            passages.
          </p>
        </Empty>
      ) : (
        <p>
          <button
            type="button"
            class="button plain"
            onClick={() => {
              latest.current = '';
              clear();
              go(withQuery(address, { q: [] }));
            }}
          >
            New conversation
          </button>
        </p>
      )}
      <div class="stack turns">
        {turns
          .map((turn, at) => (
            <AnswerTurn
              key={at}
              turn={turn}
              isAsking={isAsking && at === turns.length - 1}
              onAgain={() => submit(turn.question)}
            />
          ))
          .reverse()}
      </div>
    </div>
  );
}

interface FieldProps {
  readonly isFollowUp: boolean;
  readonly isAsking: boolean;
  readonly onAsk: (question: string) => void;
  readonly onStop: () => void;
}

function QuestionField({ isFollowUp, isAsking, onAsk, onStop }: FieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  useFirstField(field);
  useKeys({ '/': () => field.current?.focus() });
  const submit = (): void => {
    if (text.trim() === '') return;
    onAsk(text.trim());
    setText('');
  };
  return (
    <form
      class="big question"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label class="unseen" for="question">
        {isFollowUp ? 'Ask a follow-up' : 'Ask a question'}
      </label>
      <textarea
        id="question"
        ref={field}
        class="input"
        rows={1}
        value={text}
        maxLength={10_000}
        placeholder={isFollowUp ? 'Ask a follow-up…' : 'Ask a question…'}
        data-first
        aria-keyshortcuts="/"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      {isAsking ? (
        <button type="button" class="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" class="button main" disabled={text.trim() === ''}>
          Ask
        </button>
      )}
    </form>
  );
}
