import type { ChatModel } from '../../core/chat-model.js';
import { throwIfAborted } from '../../core/errors.js';
import type { ExtractionLimits } from '../../operations/extraction-types.js';
import { CallBudget } from './call-budget.js';
import { type FactHost, openFactModel, openFacts, type ReadFacts } from './fact-host.js';

/** What a run asks the language model with. */
export interface AskingRun {
  readonly host: FactHost;
  readonly read: ReadFacts;
  readonly model: ChatModel;
  readonly budget: CallBudget;
}

/**
 * Does work with the language model while no other process asks it for facts of this index.
 *
 * @param command as who waits for its end is told it
 * @throws RAGError `CONFIG_INVALID` where no model is configured, or a limit of money cannot be kept; `INDEX_EMPTY`; `INDEX_LOCKED` where
 *   another process is at it; `ABORTED`
 */
export async function askAlone<Outcome>(
  limits: ExtractionLimits,
  host: FactHost,
  { command, work }: { readonly command: string; readonly work: (run: AskingRun) => Promise<Outcome> },
): Promise<Outcome> {
  const { resources, signal } = host;
  const read = await openFacts(host);
  const { model, close } = await openFactModel(host);
  try {
    const budget = new CallBudget(limits, model);
    const lock = await resources.ledger.lock({ subject: 'extracting', command, signal });
    try {
      return await work({ host, read, model, budget });
    } finally {
      await lock.release();
    }
  } finally {
    await close();
  }
}

/** Several workers, until all have ended; then what one of them threw is thrown. */
export async function inParallel(
  workers: number,
  worker: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const ends = await Promise.allSettled(Array.from({ length: workers }, worker));
  throwIfAborted(signal);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
