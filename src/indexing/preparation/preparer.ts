import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RawDocument } from '../../core/document.js';
import { throwIfAborted } from '../../core/errors.js';
import { parsingUntil } from '../../parsing/worker/parsing-threads.js';
import { type PreparationContext, type PreparedDocument, prepareDocument } from '../prepare-document.js';
import type { PreparationRecipe } from './preparation-recipe.js';

/** How one source's documents are prepared: with parts of this thread, and by what other threads open the same parts. */
export interface PreparationOrder extends PreparationContext {
  /** Absent where a part cannot be sent to a thread. */
  readonly recipe?: PreparationRecipe | undefined;
  /** Folder of the static model that embeds in the thread; absent where chunks are embedded when they are written. */
  readonly modelFolder?: string | undefined;
  /** Milliseconds that another thread has spent, by stage. */
  readonly addTimes: (times: Readonly<Record<string, number>>) => void;
}

/** Where documents are prepared. The result is the same everywhere. */
export interface Preparer {
  /** @throws RAGError what `prepareDocument` throws; `DOCUMENT_PARSE_STOPPED`, `DOCUMENT_PARSE_MEMORY` where its thread ended. */
  prepare(document: RawDocument, order: PreparationOrder): Promise<PreparedDocument>;
}

/** Prepares on this thread, one document after the other, each in a turn of the event loop of its own. */
export function inlinePreparer(signal: AbortSignal | undefined): Preparer {
  let last: Promise<unknown> = Promise.resolve();
  return {
    prepare: (document, order) => {
      const prepared = last.then(async () => {
        await nextTurn();
        throwIfAborted(signal);
        return parsingUntil(signal, () => prepareDocument(document, order));
      });
      last = prepared.catch(() => undefined);
      return prepared;
    },
  };
}
