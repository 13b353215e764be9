import { RAGError } from '../core/errors.js';
import type { Notice } from '../core/notice.js';
import type { Scope } from '../core/scope.js';
import { withDeadline } from '../core/with-deadline.js';
import type { QueryCorrection } from '../retrieval/retriever.js';
import { correctQuery } from '../retrieval/spelling/correct-query.js';
import { readableWords } from '../retrieval/spelling/readable-words.js';
import { scopeMemory } from '../stores/scope-memory.js';
import { scopeCollection } from '../stores/scoped-collection.js';
import type { FindResources } from './searched-index.js';
import { synonymRules } from './synonym-rules.js';

export interface CorrectionRequest {
  readonly scope: Scope;
  readonly resources: Pick<FindResources, 'stores' | 'config'>;
  readonly signal?: AbortSignal | undefined;
}

/** What became of the words of a query. */
export interface WordCheck {
  readonly correction?: QueryCorrection;
  /** Why words could not be checked. */
  readonly notices: readonly Notice[];
}

/**
 * Puts the mistyped words of a query right by the words that the scope may read. A store that does not answer in time leaves
 * the query as it is, and that is said.
 */
export async function correctWords(
  text: string,
  { scope, resources, signal }: CorrectionRequest,
): Promise<WordCheck> {
  const { retrieval, enabled } = resources.config.rag;
  if (!enabled || !retrieval.spelling.enabled) return UNCHANGED;
  const { collection, store, ledger, sealing } = await resources.stores.collection();
  const known = new Set((await synonymRules(resources.config)).rules.flatMap(({ from }) => from.flat()));
  const held = heldTerms(collection, scope, await ledger.lastRun());
  const deadline = {
    timeoutMs: retrieval.laneDeadlineMs,
    signal,
    lateError: () => new RAGError('STORE_TIMEOUT', 'the store did not answer in time.'),
  };
  try {
    return await withDeadline(deadline, async (abort) => {
      const scoped = scopeCollection(collection, scope, sealing);
      const { maxTopK } = store.capabilities;
      const words = readableWords({ collection: scoped, held, maxTopK, signal: abort });
      const correction =
        words === undefined
          ? undefined
          : await correctQuery(text, { words, known, loadLanguage: languageWords });
      return correction === undefined ? UNCHANGED : { correction, notices: [] };
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    const reason = RAGError.isInstance(error) ? error.message : 'it failed for an unexpected reason.';
    const text = `The query's words were not checked for typing mistakes: ${reason}`;
    return { notices: [{ kind: 'words-unchecked', text }] };
  }
}

const UNCHANGED: WordCheck = { notices: [] };

let loading: Promise<ReadonlySet<string>> | undefined;

/** Read when the first word is unknown, and kept. */
function languageWords(): Promise<ReadonlySet<string>> {
  loading ??= import('../embedding/static/language-words.js').then(({ loadLanguageWords }) =>
    loadLanguageWords(),
  );
  return loading;
}

/** Terms that were found to be held, so that a word is asked for once. */
const heldTerms = scopeMemory(() => new Set<string>());
