import type { ResolvedConfig } from '../config/resolved-config.js';
import { RAGError } from '../core/errors.js';
import { EVERYTHING, type Filter } from '../core/filter.js';
import { type Notice, noticesOfKind } from '../core/notice.js';
import { comparesCallersField } from '../core/pushed-fields.js';
import type { Scope } from '../core/scope.js';
import { withDeadline } from '../core/with-deadline.js';
import type { RunRecord } from '../ledger/ledger.js';
import type { SearchQuery } from '../operations/engine.js';
import type {
  RankedCandidate,
  RemovedCandidate,
  RetrievalRequest,
  RetrievalResult,
} from '../retrieval/retriever.js';
import { RESTRICTED_NOTICE, remembersReach } from '../stores/scope-reach.js';
import type { VectorCollection } from '../stores/vector-store.js';
import type { SearchedIndex } from './searched-index.js';

interface SearchOfIndex {
  readonly live: SearchedIndex;
  readonly scope: Scope;
  readonly request: RetrievalRequest;
  readonly run: RunRecord | undefined;
  readonly config: ResolvedConfig;
}

/** What of the index a search cannot find or compare, whatever it is asked. */
export async function noticesOfIndex(asked: SearchOfIndex): Promise<readonly Notice[]> {
  const { past, sealing } = asked.live;
  if (past !== undefined) return past.notices;
  const isIncomplete = sealing.isOverFolded && comparesCallersField(asked.request.filter);
  return [
    ...noticesOfKind('filters-incomplete', isIncomplete ? [FILTERS_INCOMPLETE] : []),
    ...noticesOfKind('documents-hidden', (await isRestricted(asked)) ? [RESTRICTED_NOTICE] : []),
  ];
}

const FILTERS_INCOMPLETE =
  'Documents that an earlier version indexed keep fields under `knowledgeMetadata`, where a filter misses names with dots and metadata that was a text. Run `ragstone index` to bring them in step.';

/** Whether the tenant keeps what the scope may not read. A store that cannot count, or not in time, fails no search. */
async function isRestricted({ live, scope, run, config }: SearchOfIndex): Promise<boolean> {
  const deadline = {
    timeoutMs: config.rag.retrieval.laneDeadlineMs,
    lateError: () => new RAGError('STORE_TIMEOUT', 'The store did not count in time.'),
  };
  try {
    return !(await withDeadline(deadline, () => remembersReach(live.collection, scope, run)));
  } catch {
    return false;
  }
}

/** Why nothing was found, where the scope or the filters are the reason. */
export async function noticesOfNothing(
  { lanes, candidates, removed }: RetrievalResult,
  {
    query,
    scope,
    scoped,
    filter,
  }: {
    readonly query: SearchQuery;
    readonly scope: Scope;
    readonly scoped: VectorCollection;
    readonly filter: Filter;
  },
): Promise<Notice[]> {
  if (candidates.length + removed.length > 0 || lanes.some(({ status }) => status === 'failed')) return [];
  const holds = async (wanted: Filter): Promise<boolean> => (await scoped.count(wanted, query.signal)) > 0;
  if (!(await holds(EVERYTHING))) {
    const text = `Nothing that this scope may read is indexed for the tenant "${scope.tenant}".`;
    return [{ kind: 'nothing-readable', text }];
  }
  const hasFilters = Object.keys(query.filters ?? {}).length > 0 || query.filter !== undefined;
  if (!hasFilters || (await holds(filter))) return [];
  const { describeEmptyFilters } = await import('./unknown-filters.js');
  return [{ kind: 'filters-empty', text: await describeEmptyFilters(query, scoped) }];
}

/** Names the fields that are missing in what is shown, for no one else can tell that they were there. */
export function undecryptableNotice(
  passages: readonly RankedCandidate[],
  undecryptable: ReadonlyMap<string, readonly string[]>,
): Notice[] {
  const found = passages.filter(({ chunk }) => undecryptable.has(chunk.id));
  if (found.length === 0) return [];
  const documents = new Set(found.map(({ chunk }) => chunk.documentId)).size;
  const fields = new Set(found.flatMap(({ chunk }) => undecryptable.get(chunk.id) ?? []));
  const named = [...fields].sort().map((field) => JSON.stringify(field));
  const text = `Metadata of ${documents === 1 ? '1 document' : `${documents} documents`} cannot be decrypted and is left out (${named.join(', ')}): the key is not in \`rag.security.encryption.keys\`, or the value was changed. Add the key, or index the document again.`;
  return [{ kind: 'metadata-undecryptable', text }];
}

interface LeftOutOptions {
  /** How many more passages the response would have shown. */
  readonly room: number;
  readonly request: Pick<RetrievalRequest, 'minSimilarity' | 'scoreFall'>;
  /** The query states the threshold; else the configuration does. */
  readonly isStated: boolean;
}

/** How many passages a threshold of scores took from a response, what the best of them scores, and where the threshold is set. */
export function leftOutNotices(
  removed: readonly RemovedCandidate[],
  { room, request: { minSimilarity, scoreFall }, isStated }: LeftOutOptions,
): Notice[] {
  const below = scoresOf(removed, 'threshold');
  const fallen = scoresOf(removed, 'score-fall').slice(0, Math.max(0, room));
  const texts = [
    ...leftOut(fallen, {
      why: `less likely than ${scoreFall} of the best one`,
      remedyFor: () => 'a lower rag.retrieval.adaptiveTopK.ratio leaves out less',
    }),
    ...leftOut(below.slice(0, Math.max(0, room - fallen.length)), {
      why: `below the threshold of ${minSimilarity}`,
      remedyFor: (best) =>
        `lower the threshold to ${best} to see more (${isStated ? STATED : 'rag.retrieval.minSimilarity'})`,
    }),
  ];
  return texts.map((text) => ({ kind: 'below-threshold', text }));
}

const STATED = 'minSimilarity, --min-similarity, in requests to the service minScore';

const scoresOf = (removed: readonly RemovedCandidate[], step: RemovedCandidate['step']): number[] =>
  removed
    .filter((candidate) => candidate.step === step)
    .map(({ score = 0 }) => score)
    .sort((a, b) => b - a);

function leftOut(
  scores: readonly number[],
  { why, remedyFor }: { readonly why: string; readonly remedyFor: (best: number) => string },
): string[] {
  const [best] = scores;
  if (best === undefined) return [];
  const passages = scores.length === 1 ? '1 passage is' : `${scores.length} passages are`;
  const which = scores.length === 1 ? 'it' : 'the best of them';
  return [`${passages} left out, ${why}; ${which} scores ${atMost(best)}: ${remedyFor(atMost(best))}.`];
}

/** Two figures, rounded down: a threshold of so much shows the passage. */
const atMost = (score: number): number => Math.floor(score * 100) / 100;
