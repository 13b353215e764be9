import type { PreparedChunk } from '../prepare-document.js';

/**
 * Batches of chunks on their way from a thread to whoever writes them: they wait here, and the thread is told what was read,
 * so that it sends no more than is wanted.
 */
export class ChunkStream implements AsyncIterableIterator<readonly PreparedChunk[]> {
  readonly #waiting: (readonly PreparedChunk[])[] = [];
  readonly #onRead: () => void;
  readonly #onDrop: () => void;
  #state: 'open' | 'ended' | { readonly error: unknown } = 'open';
  #wake: () => void = () => undefined;

  constructor({ onRead, onDrop }: { readonly onRead: () => void; readonly onDrop: () => void }) {
    this.#onRead = onRead;
    this.#onDrop = onDrop;
  }

  push(chunks: readonly PreparedChunk[]): void {
    this.#waiting.push(chunks);
    this.#wake();
  }

  end(): void {
    if (this.#state === 'open') this.#state = 'ended';
    this.#wake();
  }

  /** What was sent before is lost: a document is written whole or not at all. */
  fail(error: unknown): void {
    if (this.#state === 'open') this.#state = { error };
    this.#wake();
  }

  async next(): Promise<IteratorResult<readonly PreparedChunk[]>> {
    while (this.#state === 'open' && this.#waiting.length === 0)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if (typeof this.#state === 'object') throw this.#state.error;
    const value = this.#waiting.shift();
    if (value === undefined) return { done: true, value };
    this.#onRead();
    return { done: false, value };
  }

  /** Gives up what was not read. */
  async return(): Promise<IteratorResult<readonly PreparedChunk[]>> {
    this.#waiting.length = 0;
    if (this.#state === 'open') this.#onDrop();
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
