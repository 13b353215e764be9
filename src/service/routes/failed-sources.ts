import type { IndexResult } from '../../index.js';

/** What failed of a source in a run, for one reason. */
export interface FailedSource {
  readonly source: string;
  readonly reason: string;
  /** Documents that failed; absent where the source failed as a whole. */
  readonly documents?: number;
}

/**
 * Failures of a run by source and reason, so that a source with many bad documents does not fill the answer. The messages are left out:
 * they name folders of the machine.
 */
export function failedSources(errors: IndexResult['stats']['errors']): FailedSource[] {
  const found = new Map<string, FailedSource>();
  for (const { source, item, reason } of errors) {
    const key = JSON.stringify([source, reason, item === undefined]);
    const documents = (found.get(key)?.documents ?? 0) + 1;
    found.set(key, item === undefined ? { source, reason } : { source, reason, documents });
  }
  return [...found.values()];
}
