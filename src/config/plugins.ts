import type { ExternalSearch } from '../answering/agentic/agent.js';
import type { SdkLanguageModel } from '../answering/sdk-language-model.js';
import type { Chunker } from '../chunking/chunker.js';
import type { ChatModel } from '../core/chat-model.js';
import type { Runtime } from '../core/runtime.js';
import type { Embedder } from '../embedding/embedder.js';
import type { Ledger } from '../ledger/ledger.js';
import type { WorkQueue } from '../ledger/queue/work-queue.js';
import type { Parser } from '../parsing/parser.js';
import type { Reranker } from '../reranking/reranker.js';
import type { Source } from '../sources/source.js';
import type { VectorStore } from '../stores/vector-store.js';

/**
 * Parts that a program brings as objects, in place of or beside those that the configuration names. They stay the program's:
 * the engine does not close them, so that several engines can share one.
 */
export interface Plugins {
  /** In place of `rag.embedding.model`. What it is recognised by later is its `identity`. */
  readonly embedder?: Embedder | undefined;
  /** In place of `rag.provider`. The index records its `name`, which must be none of a store that Ragstone has. */
  readonly store?: VectorStore | undefined;
  /**
   * In place of `rag.ledger`. Only engines that are given the same one see the index; where it has no `lock`, writers are kept
   * apart by a file of the data folder.
   */
  readonly ledger?: Ledger | undefined;
  /**
   * In place of `rag.queue`: listings leave their work to it, and `startWorkers` takes it from there. Hosts must share the ledger:
   * `rag.ledger.type: postgres`, or one of your own that has a `lock` and lets something be pending.
   */
  readonly queue?: WorkQueue | undefined;
  /** In place of `rag.retrieval.rerank.model`; used where reranking is on. */
  readonly reranker?: Reranker | undefined;
  /**
   * In place of `rag.chat.model`: a model of the AI SDK (`openai('gpt-5')`; specification 2 or 3), to which the settings of
   * `rag.chat` apply, or an object that implements `ChatModel`, to which they do not.
   */
  readonly chatModel?: ChatModel | SdkLanguageModel | undefined;
  /**
   * A search outside of the index, for answers with the mode `agentic` where the index has nothing. Questions leave the machine by it: off
   * unless it is handed in.
   */
  readonly externalSearch?: ExternalSearch | undefined;
  /** In place of the machine's clocks, timers, chance and threads, for all that the engine does. */
  readonly runtime?: Runtime | undefined;
  /** Beside `rag.sources`; their names must differ from those of the configuration. */
  readonly sources?: readonly Source[] | undefined;
  /** Chunking strategies that the configuration may name in `chunking.strategy`, and a source as `preferredChunking`. */
  readonly chunkers?: readonly Chunker[] | undefined;
  /** For media types that Ragstone does not read, or in place of its own parser of a media type. */
  readonly parsers?: readonly Parser[] | undefined;
}
