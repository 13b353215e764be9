import { RAGError } from '../core/errors.js';
import type { Filter } from '../core/filter.js';
import { withDeadline } from '../core/with-deadline.js';
import type { StoreCapabilities, VectorCollection } from '../stores/vector-store.js';
import { plainNameIn } from './lanes/definitions.js';
import { type IdentifierHit, searchIdentifiers } from './lanes/identifier-lane.js';
import {
  findByText,
  findByVector,
  type LaneHits,
  type LaneInput,
  type LaneOutcome,
  laneOff,
  runLane,
} from './lanes/lane.js';
import type { PreparedQuery } from './prepared-query.js';
import type { LaneReport, RetrievalMode } from './retriever.js';

/** Embeds a query; unit length, or all zero for text without any token that the model knows. */
export type EmbedQuery = (text: string, signal?: AbortSignal) => Promise<Float32Array>;

export interface LanesInput {
  readonly collection: VectorCollection;
  readonly capabilities: StoreCapabilities;
  readonly embedQuery: EmbedQuery;
  /** Whether the embedder knows the script of the query. @default true */
  readonly isRead?: boolean;
  readonly query: PreparedQuery;
  readonly mode: RetrievalMode;
  readonly filter: Filter;
  readonly limit: number;
  readonly includeVectors: boolean;
  /** Milliseconds after which a lane is given up. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface LaneOutcomes {
  readonly dense: LaneOutcome;
  readonly lexical: LaneOutcome;
  readonly identifier: LaneOutcome;
  readonly identifierHits: readonly IdentifierHit[];
}

/**
 * Runs the lanes of a mode in parallel. Where the only lane of the mode `dense` fails, or the model does not read the query, the words answer instead. Throws
 * `SEARCH_FAILED` where nothing is left that could answer, or the reason of a failure that lasts (`STORE_DAMAGED`).
 */
export async function runLanes(input: LanesInput): Promise<LaneOutcomes> {
  const [dense, lexical, identifier] = await Promise.all([
    runDense(input),
    input.mode === 'dense' ? laneOff('lexical', 'The mode is dense.') : runLexical(input),
    runIdentifier(input),
  ]);
  const outcomes = { dense, lexical, ...identifier };
  const settled =
    input.mode === 'dense' && (dense.report.status === 'failed' || input.isRead === false)
      ? { ...outcomes, lexical: await runLexical(input) }
      : outcomes;
  assertAnswered(settled);
  return settled;
}

/** Runs a lane until its deadline: one that hangs must not hold up the others' answer. */
function runInTime(
  lane: LaneReport['lane'],
  { collection, query, filter, limit, includeVectors, deadlineMs, signal }: LanesInput,
  search: (input: LaneInput) => Promise<LaneHits>,
): Promise<LaneOutcome> {
  const lateError = () =>
    new RAGError(
      'SEARCH_FAILED',
      `The ${lane} lane did not answer within ${deadlineMs} ms (rag.retrieval.laneDeadlineMs).`,
    );
  const run = () =>
    withDeadline({ timeoutMs: deadlineMs, signal, lateError }, (abort) =>
      search({ collection, query, filter, limit, includeVectors, signal: abort }),
    );
  return runLane(lane, run, signal);
}

async function runDense(input: LanesInput): Promise<LaneOutcome> {
  if (input.mode === 'lexical') return laneOff('dense', 'The mode is lexical.');
  if (input.isRead === false)
    return laneOff('dense', 'The embedding model does not read the script of the query.');
  return runInTime('dense', input, (lane) => searchDense(lane, input.embedQuery));
}

/** Nearest chunks by cosine. */
async function searchDense(input: LaneInput, embedQuery: EmbedQuery): Promise<LaneHits> {
  const { query, filter, limit, signal } = input;
  if (query.isWordless) return { hits: [], reason: 'The query holds no letter and no digit.' };
  const vector = await embedQuery(query.text, signal);
  // Every chunk is equally near to no direction at all: the store would answer with the first ids.
  if (vector.every((component) => component === 0))
    return { hits: [], reason: 'The embedding model knows no word of the query.' };
  return { hits: await findByVector(input, { vector, topK: limit, filter }) };
}

async function runLexical(input: LanesInput): Promise<LaneOutcome> {
  if (input.capabilities.lexical === 'none' || input.collection.searchText === undefined)
    return laneOff('lexical', 'The store cannot search for words.');
  const { addedTextIndex } = input.capabilities;
  const outcome = await runInTime('lexical', input, searchLexical);
  if (addedTextIndex === undefined || outcome.report.reason !== undefined) return outcome;
  return { ...outcome, report: { ...outcome.report, reason: `By ${addedTextIndex}.` } };
}

/** Chunks that share words with the query, by BM25; a word that the query repeats counts each time. */
async function searchLexical(input: LaneInput): Promise<LaneHits> {
  const { query, filter, limit } = input;
  const { terms, counts, isStopWordsOnly } = query.lexical;
  if (terms.length === 0)
    return {
      hits: [],
      reason: isStopWordsOnly
        ? 'The query holds only words that are in nearly every text.'
        : 'The query holds no word.',
    };
  return { hits: await findByText(input, { terms, weights: counts, topK: limit, filter }) };
}

async function runIdentifier(
  input: LanesInput,
): Promise<{ identifier: LaneOutcome; identifierHits: readonly IdentifierHit[] }> {
  const off = (reason: string) => ({ identifier: laneOff('identifier', reason), identifierHits: [] });
  if (input.mode === 'dense') return off('The mode is dense.');
  if (input.query.identifiers.length === 0 && plainNameIn(input.query) === undefined)
    return off('The query names no identifier.');
  if (!input.capabilities.filterOperators.includes('contains'))
    return off('The store cannot filter by membership in a list.');
  let identifierHits: readonly IdentifierHit[] = [];
  const identifier = await runInTime('identifier', input, async (lane) => {
    const found = await searchIdentifiers(lane);
    identifierHits = found.hits;
    return found;
  });
  return { identifier, identifierHits: identifier.report.status === 'failed' ? [] : identifierHits };
}

function assertAnswered({ dense, lexical, identifier }: LaneOutcomes): void {
  const hasAnswered = [dense, lexical].some(
    ({ report }) => report.status === 'ran' || report.status === 'empty',
  );
  if (hasAnswered) return;
  const failures = [dense, lexical, identifier].filter(({ report }) => report.status === 'failed');
  const [first] = failures;
  // What no second try can mend keeps its own reason, so that nobody is told to try again.
  const lasting = failures.map(({ error }) => error).find(isLasting);
  if (lasting !== undefined) throw lasting;
  const said = failures.map(({ report }) => `${report.lane}: ${report.reason ?? ''}`).join(' ');
  throw new RAGError(
    'SEARCH_FAILED',
    first === undefined
      ? 'No lane can answer: the store cannot search for words, and the mode asks for nothing else. Use mode hybrid or dense.'
      : `No lane could answer. ${said} Run \`ragstone verify\` to see what is wrong with the index.`,
    { cause: first?.error },
  );
}

const isLasting = (error: unknown): error is RAGError => RAGError.isInstance(error) && !error.retryable;
