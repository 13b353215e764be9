import type { ScoredChunk } from '../core/chunk.js';
import { distinctNotices, type Notice, statedNotices, toldNotices } from '../core/notice.js';
import type { Retrieve, Retrieved, RetrieveOptions } from './answer-request.js';
import type { StandaloneQuestion } from './follow-up.js';

/** Where nothing was found, look at ten and keep three. */
const WIDENED_TOP_K = 10;
const WIDENED_KEPT = 3;

type SearchOptions = Omit<RetrieveOptions, 'isWidened'>;

/**
 * Passages for a question, best first. A follow-up that rules made to stand on its own is searched for twice, as it was
 * asked and with the words that were added, and the scores are added up: neither wording alone is trusted. Where nothing
 * reached the threshold of relevance, the nearest passages of a wider search are taken.
 */
export async function searchPassages(
  standalone: StandaloneQuestion,
  retrieve: Retrieve,
  options: SearchOptions,
): Promise<Retrieved> {
  const first = await (standalone.by === 'rules'
    ? searchBoth(standalone, retrieve, options)
    : retrieve(standalone.query, { ...options, isWidened: false }));
  if (first.ranked.length > 0) return first;
  const wide = await retrieve(standalone.query, { ...options, topK: WIDENED_TOP_K, isWidened: true });
  const ranked = wide.ranked.slice(0, WIDENED_KEPT);
  const notice: Notice = {
    kind: 'search-widened',
    text:
      ranked.length > 0
        ? 'Nothing reached the threshold of relevance; the search was widened.'
        : 'Nothing was found, not even with a wider search.',
  };
  // What the threshold took is shown after all.
  const isTrue = ({ kind }: Notice): boolean => ranked.length === 0 || kind !== 'below-threshold';
  const before = statedNotices(first).filter(isTrue);
  return { ...wide, ranked, ...together([...before, ...statedNotices(wide), notice]) };
}

const together = (notices: readonly Notice[]) => toldNotices(distinctNotices(notices));

/** Share of the question as asked, beside 1 for the rewritten one; chosen on one half of MTRAG-UN (docs/answering.md). */
const ASKED_SHARE = 0.5;
/** Passages of each search whose scores are added, for one that is asked for. */
const DEPTH = 4;

async function searchBoth(
  { asked, query }: StandaloneQuestion,
  retrieve: Retrieve,
  options: SearchOptions,
): Promise<Retrieved> {
  const deep = { ...options, topK: DEPTH * options.topK, isWidened: false };
  const [rewritten, plain] = await Promise.all([retrieve(query, deep), retrieve(asked, deep)]);
  const fused = addScores([
    { ranked: rewritten.ranked, share: 1 },
    { ranked: plain.ranked, share: ASKED_SHARE },
  ]);
  return {
    ...rewritten,
    ranked: fused.slice(0, options.topK),
    degradationLevel: Math.max(rewritten.degradationLevel, plain.degradationLevel),
    ...together([...statedNotices(rewritten), ...statedNotices(plain)]),
  };
}

/** Ordered by the weighted sum; the score that is shown is the best one that a search gave. */
function addScores(
  lists: readonly { readonly ranked: readonly ScoredChunk[]; readonly share: number }[],
): ScoredChunk[] {
  const found = new Map<string, { scored: ScoredChunk; sum: number }>();
  for (const { ranked, share } of lists) {
    for (const scored of ranked) {
      const before = found.get(scored.chunk.id);
      const best = before !== undefined && before.scored.score >= scored.score ? before.scored : scored;
      found.set(scored.chunk.id, { scored: best, sum: (before?.sum ?? 0) + share * scored.score });
    }
  }
  return [...found.values()].sort((a, b) => b.sum - a.sum).map(({ scored }) => scored);
}
