import { RAGError, type ScopeInput, type TenantIndexes } from '../../index.js';
import type { ReadableIndex } from './readable-index.js';

/** An index that may not be there yet, for one scope. */
export interface FollowedIndex extends ReadableIndex {
  close(): Promise<void>;
}

/** The indexes of all tenants, opened for whoever asks. */
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

  async function use<T>(work: (view: ReadableIndex) => Promise<T>): Promise<T> {
    try {
      const { view } = await (await indexes()).of(scope);
      return await work(view);
    } catch (error) {
      if (RAGError.isInstance(error) && error.reason === 'INDEX_EMPTY') isEmpty = true;
      throw error;
    }
  }

  return {
    search: (query) => use((view) => view.search(query)),
    ask: (request) => use((view) => view.ask(request)),
    explainMiss: (query, document) => use((view) => view.explainMiss(query, document)),
    related: (request) => use((view) => view.related(request)),
    conflicts: (request) => use((view) => view.conflicts(request)),
    get: (request) => use((view) => view.get(request)),
    list: (request) => use((view) => view.list(request)),
    status: () => use((view) => view.status()),
    close: letGo,
  };
}
