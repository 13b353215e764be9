import { RAGError } from '../../core/errors.js';
import { type Notice, noticesOfKind } from '../../core/notice.js';
import { withDeadline } from '../../core/with-deadline.js';
import type { FoundCandidate, Hit } from '../candidate.js';
import type { FusionLane } from '../fusion/fuse.js';
import {
  findByText,
  findByVector,
  type LaneInput,
  type LaneOutcome,
  laneOff,
  runLane,
} from '../lanes/lane.js';
import { chunkReader } from '../read-chunks.js';
import type { ExpansionSettings, RetrievalMode } from '../retriever.js';
import type { RetrieverOptions } from '../retriever-options.js';
import { createAbbreviationExpander } from './abbreviation-expander.js';
import { createChatExpander, type LoadChatModel } from './chat-expanders.js';
import { createVectorFeedback, createWordFeedback } from './feedback-expanders.js';
import type {
  ExpandedQuery,
  ExpansionContext,
  ExpansionKind,
  ProcessedQuery,
  QueryExpander,
} from './query-expander.js';

export interface ExpansionInput {
  readonly query: ProcessedQuery;
  /** What the query itself found, best first. */
  readonly fused: readonly FoundCandidate[];
  /** How the lanes of the query itself searched. */
  readonly lane: LaneInput;
  readonly mode: RetrievalMode;
}

export interface ExpansionOutcome {
  readonly outcome: LaneOutcome;
  /** One for each search that was added. */
  readonly lanes: readonly FusionLane[];
  readonly expansions: readonly ExpandedQuery[];
  /** Of expanders that did not answer while others did: what a person should know. */
  readonly notices: readonly Notice[];
}

/**
 * Asks the configured expanders and searches for what they add. An expander that fails or is late is named in the report and the others
 * count; the report has the status `failed` where none could answer.
 */
export async function expandQuery(
  options: RetrieverOptions,
  { query, fused, lane, mode }: ExpansionInput,
): Promise<ExpansionOutcome> {
  const { loadChatModel = async () => undefined } = options;
  const settings = options.settings.expansion;
  const expanders = createExpanders(settings.kinds, loadChatModel);
  const off = (reason: string): ExpansionOutcome => ({
    outcome: laneOff('expansion', reason),
    lanes: [],
    expansions: [],
    notices: [],
  });
  if (expanders.length === 0) return off('No expansion is set up (rag.retrieval.expansion).');
  if (query.intent === 'identifier') return off('The query asks for an identifier, which says all.');
  let lanes: FusionLane[] = [];
  let expansions: readonly ExpandedQuery[] = [];
  let notices: readonly Notice[] = [];
  const run = async () => {
    const asked = await askAll(expanders, { query, settings, context: contextOf(options, fused), lane });
    expansions = asked.expansions;
    notices = noticesOfKind('search-degraded', asked.failures);
    lanes = await searchAll(expansions, { lane, mode, settings });
    const hits = lanes.flatMap((found) => found.hits);
    return { hits: distinct(hits), ...reasonOf(asked.failures, expansions) };
  };
  const outcome = await runLane('expansion', run, lane.signal);
  return outcome.report.status === 'failed'
    ? { outcome, lanes: [], expansions: [], notices: [] }
    : { outcome, lanes, expansions, notices };
}

interface Asked {
  readonly expansions: readonly ExpandedQuery[];
  /** In words, of the expanders that did not answer. */
  readonly failures: readonly string[];
}

interface AskInput {
  readonly query: ProcessedQuery;
  readonly settings: ExpansionSettings;
  readonly context: ExpansionContext;
  readonly lane: LaneInput;
}

async function askAll(
  expanders: readonly QueryExpander[],
  { query, settings: { deadlineMs }, context, lane }: AskInput,
): Promise<Asked> {
  const settled = await Promise.allSettled(
    expanders.map((expander) =>
      withDeadline(
        { timeoutMs: deadlineMs, signal: lane.signal, lateError: () => lateExpander(expander, deadlineMs) },
        (signal) => expander.expand(query, { ...context, signal }),
      ),
    ),
  );
  const rejected = settled.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
  const [first] = rejected;
  if (rejected.length === expanders.length) throw first;
  return {
    expansions: settled.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])),
    failures: rejected.map((error) =>
      RAGError.isInstance(error) ? error.message : 'An expansion failed for an unexpected reason.',
    ),
  };
}

/** All searches that were added share the weight of expansion equally. */
async function searchAll(
  expansions: readonly ExpandedQuery[],
  {
    lane,
    mode,
    settings,
  }: { readonly lane: LaneInput; readonly mode: RetrievalMode; readonly settings: ExpansionSettings },
): Promise<FusionLane[]> {
  const { filter, limit: topK } = lane;
  const searches = expansions.flatMap(({ terms = [], vector }): Promise<readonly Hit[]>[] => [
    ...(mode === 'dense' || terms.length === 0 ? [] : [findByText(lane, { terms, topK, filter })]),
    ...(mode === 'lexical' || vector === undefined || isZero(vector)
      ? []
      : [findByVector(lane, { vector, topK, filter })]),
  ]);
  const found = (await Promise.all(searches)).filter((hits) => hits.length > 0);
  return found.map((hits) => ({ signal: 'expansion', weight: settings.weight / found.length, hits }));
}

const isZero = (vector: Float32Array): boolean => vector.every((component) => component === 0);

function reasonOf(
  failures: readonly string[],
  expansions: readonly ExpandedQuery[],
): { readonly reason?: string } {
  if (failures.length > 0) return { reason: failures.join(' ') };
  return expansions.length === 0 ? { reason: 'There was nothing to add to the query.' } : {};
}

const distinct = (hits: readonly Hit[]): Hit[] => [
  ...new Map(hits.map((hit) => [hit.chunk.id, hit])).values(),
];

const lateExpander = ({ kind }: QueryExpander, deadlineMs: number): RAGError =>
  new RAGError(
    'SEARCH_FAILED',
    `The expansion ${kind} was not ready within ${deadlineMs} ms (rag.retrieval.expansion.deadlineMs) and was left out.`,
  );

/** The expanders of the kinds asked for, each once. */
function createExpanders(kinds: readonly ExpansionKind[], loadChatModel: LoadChatModel): QueryExpander[] {
  return [...new Set(kinds)].map((kind) => {
    switch (kind) {
      case 'abbreviations':
        return createAbbreviationExpander();
      case 'feedback-words':
        return createWordFeedback();
      case 'feedback-vectors':
        return createVectorFeedback();
      default:
        return createChatExpander(kind, loadChatModel);
    }
  });
}

function contextOf(
  { collection, embedQuery, embedPassage = embedQuery }: RetrieverOptions,
  fused: readonly FoundCandidate[],
): ExpansionContext {
  return {
    embedQuery,
    embedPassage,
    leading: async (count, { includeVectors } = { includeVectors: false }) => {
      const read = chunkReader(collection, { includeVectors, signal: undefined });
      return (await read(fused.slice(0, count).map(({ chunk: { id } }) => ({ chunk: { id } })))).map(
        ({ chunk }) => chunk,
      );
    },
  };
}
