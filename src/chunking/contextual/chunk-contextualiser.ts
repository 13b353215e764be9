import { type ChatAnswer, type ChatModel, readAnswer } from '../../core/chat-model.js';
import type { ChunkSpan } from '../../core/chunk.js';
import { RAGError, throwIfAborted, toRAGError } from '../../core/errors.js';
import { ContextCache, contextKey } from './context-cache.js';
import { CONTEXT_PROMPT_VERSION, CONTEXT_TOKENS, contextPrompt } from './context-prompt.js';

export interface ChunkContextualiserOptions {
  /** Closed with the contextualiser. */
  readonly chatModel: ChatModel;
  /** Folder where contexts are kept between runs; undefined where none may be. */
  readonly cacheFolder: string | undefined;
  /** Tokens of a document that the model sees with each passage. */
  readonly maxDocumentTokens: number;
  /** Passages of a document that are written about at once. @default 4 */
  readonly parallel?: number;
}

/** A document whose chunks get contexts. */
export interface ContextualDocument {
  /** Identity within its source: equal passages of two documents have two contexts. */
  readonly id: string;
  /** Whose it is: nobody else is given its contexts. @default the default tenant */
  readonly owner?: string | undefined;
  readonly title?: string | undefined;
  readonly text: string;
}

export interface ContextualisedSpans {
  /** As many as there were, in their order; `context` is longer, and nothing else has changed. */
  readonly spans: readonly ChunkSpan[];
  /** Why some have no written context; they are indexed without. */
  readonly failure?: RAGError;
}

/** What writing will cost at most: kept beginnings of prompts are counted at their full price. */
export interface ContextEstimate {
  readonly chunks: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; absent where no price is known. */
  readonly cost?: number;
}

const DEFAULT_PARALLEL = 4;
// As `platform/providers/estimate-tokens.ts`: on the high side for prose.
const CHARACTERS_PER_TOKEN = 3;
const MAX_CONTEXT_CHARACTERS = 600;
const PROMPT_TOKENS = 150;
/** Failures that every further call of the run would meet. */
const LASTING: ReadonlySet<string> = new Set(['CHAT_REJECTED', 'SPEND_LIMIT_REACHED']);

/**
 * Contextual retrieval: a language model says of each chunk what it is about within its document, and that is indexed with the
 * chunk (https://www.anthropic.com/news/contextual-retrieval, September 2024). It never becomes part of the content. Contexts
 * are kept by document, chunk, model and version of the prompt, so that a second run costs nothing.
 */
export class ChunkContextualiser {
  readonly #options: ChunkContextualiserOptions;
  readonly #cache: ContextCache | undefined;
  readonly #maxCharacters: number;
  #lasting: RAGError | undefined;
  #usage = { contexts: 0, tokens: 0, cost: 0 };

  constructor(options: ChunkContextualiserOptions) {
    this.#options = options;
    this.#cache = options.cacheFolder === undefined ? undefined : new ContextCache(options.cacheFolder);
    this.#maxCharacters = options.maxDocumentTokens * CHARACTERS_PER_TOKEN;
  }

  /** `provider:model`. */
  get model(): string {
    return this.#options.chatModel.id;
  }

  /** What was written since it was opened: contexts, tokens of input and output, and US dollars where a price is known. */
  get usage(): { readonly contexts: number; readonly tokens: number; readonly cost: number } {
    return this.#usage;
  }

  /** Why contexts are not kept; absent while they are. */
  get problem(): string | undefined {
    return this.#cache?.problem;
  }

  /** Throws `ABORTED` only; other failures are part of the result. */
  async contextualise(
    document: ContextualDocument,
    spans: readonly ChunkSpan[],
    signal?: AbortSignal,
  ): Promise<ContextualisedSpans> {
    const contexts = await Promise.all(spans.map((span) => this.#kept(document, span)));
    const missing = spans.flatMap((span, index) =>
      contexts[index] === undefined && span.content.trim() !== '' ? [{ span, index }] : [],
    );
    const failures: RAGError[] = [];
    const write = async ({ span, index }: { span: ChunkSpan; index: number }): Promise<void> => {
      try {
        contexts[index] = await this.#write(document, span, signal);
      } catch (error) {
        const failure = toRAGError(error, 'INTERNAL', 'A context could not be written.');
        if (failure.reason === 'ABORTED') throw failure;
        if (LASTING.has(failure.reason)) this.#lasting = failure;
        failures.push(failure);
      }
    };
    // The first one alone: its prompt begins with the document, which providers keep for the others.
    const [first, ...others] = missing;
    if (first !== undefined) await write(first);
    await this.#inParallel(others, write);
    const failure = failures[0];
    return {
      spans: spans.map((span, index) => withContext(span, contexts[index])),
      ...(failure === undefined ? {} : { failure: describeFailures(failure, failures.length, spans.length) }),
    };
  }

  async #kept(document: ContextualDocument, span: ChunkSpan): Promise<string | undefined> {
    return this.#cache?.get(this.#keyOf(document, span));
  }

  /** What writing the contexts that are not kept yet will cost at most. Nothing is sent. */
  async estimate(document: ContextualDocument, spans: readonly ChunkSpan[]): Promise<ContextEstimate> {
    let chunks = 0;
    let characters = 0;
    for (const span of spans) {
      if (span.content.trim() === '') continue;
      if ((await this.#kept(document, span)) !== undefined) continue;
      chunks++;
      characters += Math.min(document.text.length, this.#maxCharacters) + span.content.length;
    }
    const inputTokens = Math.ceil(characters / CHARACTERS_PER_TOKEN) + chunks * PROMPT_TOKENS;
    const outputTokens = chunks * CONTEXT_TOKENS;
    const cost = this.#options.chatModel.priceOf?.({ inputTokens, outputTokens });
    return { chunks, inputTokens, outputTokens, ...(cost === undefined ? {} : { cost }) };
  }

  close(): Promise<void> {
    return this.#options.chatModel.close();
  }

  #keyOf(document: ContextualDocument, span: ChunkSpan): string {
    return keyOfContext(this.model, document, span);
  }

  async #write(
    document: ContextualDocument,
    span: ChunkSpan,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    throwIfAborted(signal);
    if (this.#lasting !== undefined) throw this.#lasting;
    const answer = await readAnswer(this.#options.chatModel, {
      messages: contextPrompt(document, span, this.#maxCharacters),
      maxOutputTokens: CONTEXT_TOKENS,
      temperature: 0,
      ...(signal === undefined ? {} : { signal }),
    });
    this.#count(answer);
    throwIfAborted(signal);
    const context = answer.text
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, MAX_CONTEXT_CHARACTERS)
      .toWellFormed();
    if (answer.reason === 'interrupted' || answer.reason === 'content-filter' || context === '') {
      throw new RAGError(
        'CHAT_OUTPUT_INVALID',
        `${this.model} wrote no context: ${answer.detail ?? (context === '' ? 'its answer was empty' : 'it withheld the answer')}`,
      );
    }
    await this.#cache?.set(this.#keyOf(document, span), context);
    return context;
  }

  #count({ usage }: ChatAnswer): void {
    const { contexts, tokens, cost } = this.#usage;
    const used = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
    this.#usage = { contexts: contexts + 1, tokens: tokens + used, cost: cost + (usage?.cost ?? 0) };
  }

  async #inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    const queue = [...items];
    const worker = async (): Promise<void> => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    };
    await Promise.all(Array.from({ length: this.#options.parallel ?? DEFAULT_PARALLEL }, worker));
  }
}

/** The key of a chunk's context in the cache. */
export function keyOfContext(
  model: string,
  { id, owner, title = '' }: Pick<ContextualDocument, 'id' | 'owner' | 'title'>,
  { content, headingPath }: Pick<ChunkSpan, 'content' | 'headingPath'>,
): string {
  const version = owner === undefined ? CONTEXT_PROMPT_VERSION : `${CONTEXT_PROMPT_VERSION} of ${owner}`;
  return contextKey([version, model, id, title, ...headingPath, content]);
}

function withContext(span: ChunkSpan, written: string | undefined): ChunkSpan {
  if (written === undefined) return span;
  return { ...span, context: [written, span.context ?? ''].filter((part) => part !== '').join('\n') };
}

const describeFailures = ({ reason, message, details }: RAGError, failed: number, total: number): RAGError =>
  new RAGError(
    reason,
    `${failed} of ${total} chunks are indexed without a written context, and are tried again in the next run: ${message}`,
    { details },
  );
