import {
  type Answer,
  type AnswerDependencies,
  type AnswerEvent,
  type AnswerSource,
  type ConversationTurn,
  DegradationLevel,
  type Models,
  type NoticeKind,
  type ScoredChunk,
  streamAnswer,
  tokenCounterFor,
} from 'ragstone';
import type { Database } from './database.js';
import type { Embeddings } from './embeddings.js';
import { SYSTEM_PROMPT } from './prompt.js';
import { documentsOfBugs, type FoundDocument, getStats, hasWord, similaritySearch } from './vector-store.js';

/** What answering works with. */
export interface Chat {
  readonly database: Database;
  readonly embeddings: Embeddings;
  readonly models: Models;
  /** Documents retrieved for a question. */
  readonly topK: number;
}

export interface ChatQuestion {
  readonly message: string;
  /** Earlier turns, oldest first. */
  readonly history?: readonly ConversationTurn[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The body of `POST /chat`. */
export interface ChatAnswer {
  readonly answer: string;
  readonly sources: readonly {
    readonly bug_id: string;
    readonly source_type: string;
    readonly chunk_text: string;
    readonly similarity: number;
  }[];
  /** What became of sentences that Claude wrote; absent where each stands as it was written. */
  readonly notices?: readonly string[];
}

/** What a stream of an answer gives: text as it is written, taken back by `reset`, and at the end the checked answer. */
export type ChatEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reset' }
  | { readonly type: 'answer'; readonly answer: ChatAnswer };

const MAX_TOKENS = 1024;
/** Longest time of an answer with its retries, in milliseconds. */
const CHAT_TIMEOUT_MS = 120_000;

const EMPTY_INDEX: ChatAnswer = {
  answer: 'Nothing is indexed yet, so there is no context to answer from. POST /rag/index fills the index.',
  sources: [],
};

/** Answers from the nearest documents: Claude writes where there is a key, else the passage that answers is quoted. */
export async function ragChat(question: ChatQuestion, chat: Chat): Promise<ChatAnswer> {
  for await (const event of streamChat(question, chat)) if (event.type === 'answer') return event.answer;
  throw new Error('Answering ended without an answer.');
}

/** The same as it comes about. */
export async function* streamChat(
  { message, history = [], signal }: ChatQuestion,
  chat: Chat,
): AsyncGenerator<ChatEvent> {
  if ((await getStats(chat.database)).total_documents === 0)
    return yield { type: 'answer', answer: EMPTY_INDEX };
  const request = { question: message, history, ...(signal === undefined ? {} : { signal }) };
  for await (const event of streamAnswer(request, dependenciesOf(chat))) {
    if (event.type === 'answer' && event.answer.fallback !== undefined)
      console.error(`A document is quoted: ${event.answer.fallback.detail}`);
    const shown = chatEvent(event);
    if (shown !== undefined) yield shown;
  }
}

function chatEvent(event: AnswerEvent): ChatEvent | undefined {
  if (event.type === 'text') return { type: 'text', text: event.text };
  if (event.type === 'reset') return { type: 'reset' };
  return event.type === 'answer' ? { type: 'answer', answer: chatAnswer(event.answer) } : undefined;
}

function chatAnswer({ answer, sources, notices, noticeKinds }: Answer): ChatAnswer {
  const checked = notices.filter((_, at) => CHECK_NOTICES.has(noticeKinds[at]));
  return {
    answer: withSourceNames(answer, sources),
    sources: sources.map(({ bug_id, source_type, chunk_text, similarity }) => ({
      bug_id,
      source_type,
      chunk_text,
      similarity,
    })),
    ...(checked.length === 0 ? {} : { notices: checked }),
  };
}

/** What is said of sentences that are marked or were removed. */
const CHECK_NOTICES: ReadonlySet<NoticeKind | undefined> = new Set([
  'sentences-unsupported',
  'sentences-removed',
  'answer-removed',
]);

/** `[1]` as `[BUG_REPORT — BUG-001]`, so that an answer that is copied still says which bugs it is about. */
const withSourceNames = (answer: string, sources: readonly AnswerSource[]): string =>
  answer.replaceAll(/\[(\d+(?:, ?\d+)*)\]/g, (mark, numbers: string) => {
    const names = numbers.split(',').map((n) => sources[Number(n) - 1]?.title);
    return names.includes(undefined) ? mark : `[${names.join('; ')}]`;
  });

function dependenciesOf({ database, embeddings, models, topK }: Chat): AnswerDependencies {
  return {
    retrieve: async (query, { topK: wanted, signal }) => {
      const embedding = await embeddings.embedQuery(query, signal);
      const near = { embedding, model: embeddings.model };
      const named = await documentsOfBugs(database, near, bugIdsIn(query));
      // Who asks about a bug wants to know of no other.
      const documents = named.length > 0 ? named : await similaritySearch(database, near, wanted);
      return {
        ranked: documents.map(passageOf),
        signals: { keyword: [], semantic: documents.slice(0, 2).map(({ similarity }) => similarity) },
        degradationLevel: DegradationLevel.FULL_RAG,
        notices: [],
      };
    },
    similarity: models.similarity,
    isKnownWord: (word) => hasWord(database, word),
    chatModel: models.chatModel,
    counter: tokenCounterFor,
    context: {},
    settings: {
      topK,
      unsupported: 'mark',
      maxOutputTokens: MAX_TOKENS,
      chatTimeoutMs: CHAT_TIMEOUT_MS,
      instructions: SYSTEM_PROMPT,
    },
  };
}

/** Bugs that a question names are looked up: vectors know little of `BUG-007`. */
const bugIdsIn = (question: string): string[] => [...new Set(question.match(/\b[A-Z][A-Z0-9]*-\d+\b/g))];

/** A row of the table as a passage that Ragstone answers from; its title is what citations of it become. */
function passageOf(document: FoundDocument): ScoredChunk {
  const { id, source_type, source_id, chunk_text, chunk_metadata, updated_at, similarity } = document;
  const [bugId = source_id] = source_id.split(':');
  const lines = chunk_text.split('\n').length;
  return {
    score: Math.max(0, similarity),
    chunk: {
      id,
      documentId: `${source_type}:${source_id}`,
      tenant: 'default',
      source: source_type,
      access: { groups: ['*'], level: 0 },
      content: chunk_text,
      identifiers: [bugId.toLowerCase()],
      metadata: {
        bug_id: bugId,
        source: source_id,
        sourceType: source_type,
        title: `${source_type.toUpperCase()} — ${bugId}`,
        updatedAt: updated_at.toISOString(),
        ...(chunk_metadata?.is_derived === true ? { is_derived: true } : {}),
        lines: { start: 1, end: lines },
        offsets: { start: 0, end: chunk_text.length },
        headingPath: [],
        revision: id,
        chunkIndex: 0,
        chunkTotal: 1,
      },
    },
  };
}
