import type { RAGError } from '../../index.js';
import type { ReadableIndex } from './readable-index.js';

/** How an index is shown to assistants. */
export interface McpOptions {
  /** Of Ragstone. */
  readonly version: string;
  /** Most tokens of one output, at least 500. @default 6000 */
  readonly maxTokens?: number | undefined;
  /** The path of a file as the asker may be told of it; undefined for none. @default none */
  readonly showPath?: ((path: string) => string | undefined) | undefined;
  /** Commands in messages as they work for the asker. @default as they are */
  readonly own?: ((text: string) => string) | undefined;
  /**
   * Whether an asker may read the message of an error.
   *
   * @default all but what is internal; over HTTP only what is the asker's own mistake
   */
  readonly tells?: ((error: RAGError) => boolean) | undefined;
  /** Does a call of a tool or resource (`tools/call search`) with an index that notes what is done, and logs it. @default not logged */
  readonly audited?: AuditedCalls | undefined;
  /** Told what failed for a reason that no asker is told. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Does work with an index, and logs it. */
export type AuditedCalls = <Outcome>(
  action: string,
  index: ReadableIndex,
  work: (noted: ReadableIndex) => Promise<Outcome>,
) => Promise<Outcome>;

/** Five passages or some 15 kB of a document. */
export const DEFAULT_MAX_TOKENS = 6_000;
