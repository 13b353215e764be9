import { randomUUID } from 'node:crypto';
import type { Answer, AnswerMode, AnswerSource, ConversationTurn, Engine } from 'ragstone';
import type { Log } from './rag-service.js';
import { type Satisfaction, SatisfactionCounter, type Verdict } from './satisfaction.js';

/** The four stages of the document's evolution, from naive to graph. */
export const MODES = ['naive', 'enhanced', 'agentic', 'graph'] as const satisfies readonly AnswerMode[];

/** A message to the chatbot. */
export interface ChatMessage {
  readonly message: string;
  /** Earlier turns, oldest first. */
  readonly conversation_history?: readonly ConversationTurn[];
  /** @default `rag.answering.mode` of ragstone.yaml */
  readonly mode?: AnswerMode;
}

/** A document that an answer rests on. */
export interface ChatSource {
  /** What `[n]` in the answer refers to. */
  readonly n: number;
  readonly document_id: string;
  readonly title: string;
  /** Where the text is from: `resume`, `project`. */
  readonly source: string;
  /** ISO-8601 date. */
  readonly date: string;
}

/** What the chatbot says. */
export interface ChatReply {
  /** For `regenerate` and `judge`. */
  readonly id: string;
  readonly answer: string;
  readonly outcome: Answer['outcome'];
  readonly mode: AnswerMode;
  /** Cited ones first. */
  readonly sources: readonly ChatSource[];
  readonly notices: readonly string[];
}

/** Answers that can be judged or asked for again: the latest so many. */
const REMEMBERED = 1_000;

interface Said {
  readonly message: ChatMessage;
  readonly reply: ChatReply;
  /** The passages that were shown, as feedback names them. */
  readonly shown: readonly { readonly chunkIds: readonly string[] }[];
}

/** Answers from the knowledge base, in one of four modes, and remembers what became of them. */
export class Chatbot {
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #said = new Map<string, Said>();
  readonly #counter = new SatisfactionCounter();

  constructor(engine: Engine, log: Log = () => {}) {
    this.#engine = engine;
    this.#log = log;
  }

  get satisfaction(): Satisfaction {
    return this.#counter.satisfaction;
  }

  async chat(message: ChatMessage): Promise<ChatReply> {
    const answer = await this.#engine.ask(message);
    this.#log({
      message: 'RAG search completed',
      query: message.message,
      num_results: answer.sources.length,
      latency_ms: answer.tookMs,
      top_score: Math.max(0, ...answer.sources.map(({ similarity }) => similarity)),
    });
    const reply: ChatReply = {
      id: randomUUID(),
      answer: answer.answer,
      outcome: answer.outcome,
      mode: answer.mode,
      sources: sourcesOf(answer).map(chatSource),
      notices: answer.notices,
    };
    this.#remember({ message, reply, shown: answer.sources.map(({ chunkIds }) => ({ chunkIds })) });
    this.#counter.countAnswer();
    return reply;
  }

  /** Another answer, by the mode that looks further; undefined where no such answer is remembered. */
  async regenerate(id: string): Promise<ChatReply | undefined> {
    const said = this.#said.get(id);
    if (said === undefined) return undefined;
    await this.#keep(said, 'regenerated');
    return this.chat({ ...said.message, mode: furtherMode(said.reply.mode) });
  }

  /** Takes down what a reader says of an answer; false where it is not remembered. */
  async judge(id: string, verdict: 'good' | 'bad'): Promise<boolean> {
    const said = this.#said.get(id);
    if (said === undefined) return false;
    await this.#keep(said, verdict);
    return true;
  }

  #remember(said: Said): void {
    this.#said.set(said.reply.id, said);
    const [oldest] = this.#said.keys();
    if (this.#said.size > REMEMBERED && oldest !== undefined) this.#said.delete(oldest);
  }

  /** `rag.feedback` of ragstone.yaml keeps it, with the question and what was shown. */
  async #keep({ message, reply, shown }: Said, verdict: Verdict): Promise<void> {
    // Feedback is about what was shown; an answer that found nothing is counted alone.
    if (!this.#counter.countVerdict(reply.id, verdict) || shown.length === 0) return;
    const { message: query } = message;
    await this.#engine.feedback({ query, kind: 'answer', shown, answer: verdict, requestId: reply.id });
  }
}

/** Who asks again wants more than he got: naive, then enhanced, then in steps. */
const furtherMode = (mode: AnswerMode): AnswerMode => (mode === 'naive' ? 'enhanced' : 'agentic');

/** Each document once, cited ones first. */
export function sourcesOf({ sources, citations }: Answer): AnswerSource[] {
  const cited = new Set(citations.map(({ n }) => n));
  const ordered = [...sources.filter(({ n }) => cited.has(n)), ...sources.filter(({ n }) => !cited.has(n))];
  return [
    ...new Map(ordered.toReversed().map((source) => [source.documentId, source])).values(),
  ].toReversed();
}

function chatSource({ n, title = '', source, date = '', metadata }: AnswerSource): ChatSource {
  return { n, document_id: String(metadata.document_id), title, source, date: date.slice(0, 10) };
}
