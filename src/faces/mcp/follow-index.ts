import { RAGError, type ScopeInput, type TenantIndexes } from '../../index.js';
import { callsThrough } from '../../operations/operations.js';
import type { ReadableIndex } from './readable-index.js';

/** An index that may not be there yet, for one scope. */
export interface FollowedIndex extends ReadableIndex {
  close(): Promise<void>;
}

/** The indexes of all tenants, with their end. */
export interface OpenedIndexes extends TenantIndexes {
  close(): Promise<void>;
}

/**
 * Opens the indexes when it is first asked, and anew after it could not be opened or held nothing: an index that is made, a
 * configuration that is mended or a folder that is trusted meanwhile is found without a restart.
 */
export function followIndex(open: () => Promise<OpenedIndexes>, scope: ScopeInput): FollowedIndex {
  let opened: Promise<OpenedIndexes> | undefined;
  let isEmpty = false;

  async function indexes(): Promise<OpenedIndexes> {
    if (isEmpty) await letGo();
    opened ??= open();
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  }

  async function letGo(): Promise<void> {
    const before = opened;
    opened = undefined;
    isEmpty = false;
    await (await before?.catch(() => undefined))?.close();
  }

  return {
    ...callsThrough(async (_, work) => {
      try {
        const { view } = await (await indexes()).of(scope);
        return await work(view);
      } catch (error) {
        if (RAGError.isInstance(error) && error.reason === 'INDEX_EMPTY') isEmpty = true;
        throw error;
      }
    }),
    close: letGo,
  };
}
