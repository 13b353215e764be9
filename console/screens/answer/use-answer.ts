import { useEffect, useRef, useState } from 'preact/hooks';
import type { AnswerEvent, AnswerRequest, AnswerResponse, ServiceError } from 'ragstone/client';
import { useSession } from '../../state/session.js';
import { asServiceError } from '../../state/use-load.js';

export type Source = AnswerResponse['sources'][number];

/** One question and what is known of its answer so far. */
export interface Turn {
  readonly question: string;
  /** What was written until now; the whole answer stands in `answer`. */
  readonly text: string;
  readonly sources: readonly Source[];
  readonly answer?: AnswerResponse | undefined;
  readonly error?: ServiceError | undefined;
  /** Why what was written was taken back. */
  readonly takenBack?: string | undefined;
}

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly isAsking: boolean;
  /** Asks a follow-up; with `isNew` a question of its own. */
  readonly ask: (question: string, filters: Partial<AnswerRequest>, isNew?: boolean) => void;
  readonly stop: () => void;
  readonly clear: () => void;
}

/** Turns of a conversation, each answered as it comes. */
export function useConversation(): Conversation {
  const { client } = useSession();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [isAsking, setAsking] = useState(false);
  const controller = useRef<AbortController | undefined>(undefined);
  const stop = (): void => {
    controller.current?.abort();
    controller.current = undefined;
    setAsking(false);
  };
  useEffect(() => stop, []);
  const change = (changed: (last: Turn) => Turn): void =>
    setTurns((before) => before.map((turn, at) => (at === before.length - 1 ? changed(turn) : turn)));
  const ask = (question: string, filters: Partial<AnswerRequest>, isNew = false): void => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    const history = isNew ? [] : historyOf(turns);
    setTurns((before) => [...(isNew ? [] : before), { question, text: '', sources: [] }]);
    setAsking(true);
    const request = { ...filters, question, ...(history.length === 0 ? {} : { history }) };
    const run = async (): Promise<void> => {
      for await (const event of client.answerEvents(request, { signal: own.signal, timeoutMs: LONG_MS })) {
        if (own.signal.aborted) return;
        change((last) => afterEvent(last, event));
      }
    };
    run()
      .catch((cause: unknown) => {
        if (!own.signal.aborted) change((last) => ({ ...last, error: asServiceError(cause) }));
      })
      .finally(() => {
        if (controller.current === own) stop();
      });
  };
  const clear = (): void => {
    stop();
    setTurns([]);
  };
  return { turns, isAsking, ask, stop, clear };
}

/** A language model may take its time. */
const LONG_MS = 120_000;
/** The service takes 100. */
const MOST_HISTORY = 40;

function afterEvent(last: Turn, event: AnswerEvent): Turn {
  switch (event.type) {
    case 'start':
      return { ...last, sources: event.sources };
    case 'text':
      return { ...last, text: last.text + event.text };
    case 'reset':
      return { ...last, text: '', takenBack: event.reason };
    case 'answer':
      return { ...last, answer: event.answer, text: event.answer.answer, sources: event.answer.sources };
  }
}

const historyOf = (turns: readonly Turn[]): NonNullable<AnswerRequest['history']> =>
  turns
    .filter(({ answer }) => answer !== undefined)
    .flatMap(({ question, text }) => [
      { role: 'user' as const, content: question },
      { role: 'assistant' as const, content: text },
    ])
    .slice(-MOST_HISTORY);
