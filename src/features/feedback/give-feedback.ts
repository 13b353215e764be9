import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { StoredChunk } from '../../core/chunk.js';
import { FIRST_LINE, linesOf } from '../../core/chunk-metadata.js';
import { RAGError } from '../../core/errors.js';
import type { ScopedIndex } from '../../indexing/scoped-index.js';
import type {
  FeedbackPlace,
  FeedbackReceipt,
  FeedbackRequest,
  ShownPassage,
} from '../../operations/feedback-types.js';
import { scopeCollection } from '../../stores/scoped-collection.js';
import { FeedbackLog } from './feedback-log.js';

/** The log of an index. @throws RAGError `FEEDBACK_OFF` unless `rag.feedback.enabled` is true */
export function feedbackLogOf({ dataDir, rag }: ResolvedConfig): FeedbackLog {
  const { enabled, maxBytes } = rag.feedback;
  if (enabled) return new FeedbackLog(dataDir, { maxBytes });
  throw new RAGError(
    'FEEDBACK_OFF',
    'Feedback is not kept: the questions of people are personal data. Set `rag.feedback.enabled: true` to keep them in the data folder.',
  );
}

/**
 * Stores what somebody did with a list that was shown. What it showed is looked up in the index, so that nothing is stored of what the scope may
 * not read.
 *
 * @throws RAGError `FEEDBACK_OFF`, `FEEDBACK_FULL`; `FEEDBACK_UNKNOWN` where a place that it is about is no passage that the scope may read;
 *   `USAGE` for feedback that says nothing, or of a rank that was not shown
 */
export async function giveFeedback(
  request: FeedbackRequest,
  index: ScopedIndex | undefined,
  { config, signal }: { readonly config: ResolvedConfig; readonly signal?: AbortSignal | undefined },
): Promise<FeedbackReceipt> {
  const log = feedbackLogOf(config);
  const { query, shown, kind = 'search', signal: _, ...said } = request;
  const concerned = ranksOf(request);
  assertSaid(request, concerned);
  if (index === undefined) throw unknownPlace(1);
  const places = await placesOf(shown, index, signal);
  const known = new Set(places.map(({ rank }) => rank));
  const unknown = concerned.find((rank) => !known.has(rank));
  if (unknown !== undefined) throw unknownPlace(unknown);
  const gone = shown.length - places.length;
  const notices =
    gone === 0
      ? []
      : [`${gone} of ${shown.length} places are no longer in the index and are stored without them.`];
  const { id } = log.add(index.scope, { ...said, kind, question: query, places });
  return { id, notices };
}

const ranksOf = ({ clicked = [], relevant = [], notRelevant = [], rank }: FeedbackRequest): number[] => [
  ...clicked,
  ...relevant,
  ...notRelevant,
  ...(rank === undefined ? [] : [rank]),
];

function assertSaid(request: FeedbackRequest, concerned: readonly number[]): void {
  const { clicked, relevant = [], notRelevant = [], answer, helpful, rank, shown } = request;
  const isSaid =
    clicked !== undefined || answer !== undefined || helpful !== undefined || concerned.length > 0;
  if (!isSaid || (rank !== undefined && helpful === undefined))
    throw new RAGError(
      'USAGE',
      'Feedback says at least one of clicked, relevant, notRelevant, answer and helpful; rank belongs to helpful.',
    );
  const outside = concerned.find((place) => place > shown.length);
  if (outside !== undefined)
    throw new RAGError('USAGE', `There was no place ${outside}: ${shown.length} were shown.`);
  const both = relevant.find((place) => notRelevant.includes(place));
  if (both !== undefined) throw new RAGError('USAGE', `Place ${both} cannot be relevant and not relevant.`);
}

async function placesOf(
  shown: FeedbackRequest['shown'],
  { collection, sealing, scope }: ScopedIndex,
  signal: AbortSignal | undefined,
): Promise<FeedbackPlace[]> {
  const passages = shown.map((one): ShownPassage => (typeof one === 'string' ? { chunkIds: [one] } : one));
  const scoped = scopeCollection(collection, scope, sealing);
  const ids = [...new Set(passages.flatMap(({ chunkIds }) => chunkIds.slice(0, 1)))];
  const chunks = await scoped.get(ids, signal === undefined ? {} : { signal });
  const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  return passages.flatMap(({ chunkIds, score }, at) => {
    const chunk = byId.get(chunkIds[0] ?? '');
    return chunk === undefined ? [] : [placeOf(chunk, { rank: at + 1, chunkIds, score })];
  });
}

const placeOf = (
  chunk: StoredChunk,
  { rank, chunkIds, score }: ShownPassage & { readonly rank: number },
): FeedbackPlace => ({
  rank,
  documentId: chunk.documentId,
  chunkIds: [...chunkIds],
  source: String(chunk.metadata.source ?? chunk.documentId),
  lines: linesOf(chunk) ?? FIRST_LINE,
  ...(score === undefined ? {} : { score }),
});

const unknownPlace = (rank: number): RAGError =>
  new RAGError(
    'FEEDBACK_UNKNOWN',
    `Place ${rank} is no passage that may be read here, or not any more. Search again, and give the ids of these results.`,
  );
