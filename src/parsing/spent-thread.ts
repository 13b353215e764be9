let isSpent = false;

/**
 * Says that a library of this thread failed in a way that leaves it in no known state and that it cannot be loaded anew: the WebAssembly runtime that all
 * grammars share.
 */
export function giveUpThread(): void {
  isSpent = true;
}

/** Whether the thread has to be replaced before it parses again. */
export const threadIsSpent = (): boolean => isSpent;
