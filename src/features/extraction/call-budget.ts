import type { ChatModel, ChatUsage } from '../../core/chat-model.js';
import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { ExtractionLimits, ExtractionSpent, ExtractionStop } from '../../operations/extraction-types.js';

export type Tokens = Pick<ChatUsage, 'inputTokens' | 'outputTokens'>;

/** Takes back what a call was expected to take, and counts what it took. */
export type Settle = (took: ChatUsage) => void;

/**
 * Counts what calls take. Several are under way at once, so each is counted at its most before it is made and at what it took afterwards: no
 * limit is passed by making it.
 */
export class CallBudget {
  readonly #limits: ExtractionLimits;
  readonly #model: Pick<ChatModel, 'id' | 'priceOf'>;
  readonly #since = runtime().elapsed();
  #calls = 0;
  #spent = { inputTokens: 0, outputTokens: 0, cost: 0 };
  #reserved = { tokens: 0, cost: 0 };
  #isPriced: boolean;

  /** @throws RAGError `CONFIG_INVALID` for a limit of a price that is not known */
  constructor(limits: ExtractionLimits, model: Pick<ChatModel, 'id' | 'priceOf'>) {
    this.#limits = limits;
    this.#model = model;
    this.#isPriced = this.#costOf({ inputTokens: 1, outputTokens: 1 }) !== undefined;
    if (limits.maxCost !== undefined && !this.#isPriced) throw unknownPrice(model.id);
  }

  /** Reserves a call at its most; the limit that forbids it, in place of that. */
  reserve(most: Tokens): Settle | ExtractionStop {
    const { maxCost = Infinity, maxTokens = Infinity, deadlineMs = Infinity } = this.#limits;
    const tokens = most.inputTokens + most.outputTokens;
    const cost = this.#costOf(most) ?? 0;
    const { inputTokens, outputTokens, cost: spent } = this.#spent;
    if (runtime().elapsed() - this.#since >= deadlineMs) return 'deadlineMs';
    if (inputTokens + outputTokens + this.#reserved.tokens + tokens > maxTokens) return 'maxTokens';
    if (spent + this.#reserved.cost + cost > maxCost) return 'maxCost';
    this.#reserved = { tokens: this.#reserved.tokens + tokens, cost: this.#reserved.cost + cost };
    return (took) => {
      this.#reserved = { tokens: this.#reserved.tokens - tokens, cost: this.#reserved.cost - cost };
      this.#count(took);
    };
  }

  get spent(): ExtractionSpent {
    const { inputTokens, outputTokens, cost } = this.#spent;
    return { calls: this.#calls, inputTokens, outputTokens, ...(this.#isPriced ? { cost } : {}) };
  }

  #count({ inputTokens, outputTokens, cost }: ChatUsage): void {
    this.#calls++;
    const price = cost ?? this.#costOf({ inputTokens, outputTokens }) ?? 0;
    this.#spent = {
      inputTokens: this.#spent.inputTokens + inputTokens,
      outputTokens: this.#spent.outputTokens + outputTokens,
      cost: this.#spent.cost + price,
    };
  }

  #costOf(tokens: Tokens): number | undefined {
    return this.#model.priceOf?.(tokens);
  }
}

const unknownPrice = (model: string): RAGError =>
  new RAGError(
    'CONFIG_INVALID',
    `What the language model ${model} costs is not known, so that a limit of money could not be kept. Set rag.chat.price, or limit tokens (--max-tokens).`,
    { details: { key: 'rag.chat.price' } },
  );
