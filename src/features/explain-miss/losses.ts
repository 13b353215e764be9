import type { MissRemedy } from '../../operations/miss-explanation.js';
import { laneWeightsFor, usualWeightsFor } from '../../retrieval/fusion/lane-weights.js';
import type { LaneReport } from '../../retrieval/retriever.js';
import type { Journey, Loss } from './journey.js';
import { type AskedSearch, type FollowedSearch, followSearch, type Wanted } from './ranking.js';
import {
  type DeepRanks,
  deepRanks,
  firstThatWorks,
  largerTopK,
  type Trial,
  weightTrials,
  withTrial,
} from './remedies.js';

/** A document or passage on its way through a search that lost it. */
export interface Place {
  readonly asked: AskedSearch;
  readonly wanted: Wanted;
  readonly followed: FollowedSearch;
}

/** No lane brought the document: how deep does it lie in each? */
export async function lostInLanes(journey: Journey, { asked, wanted, followed }: Place): Promise<Loss> {
  const lanes = [laneOf(followed, 'lexical'), laneOf(followed, 'vector')];
  if (!lanes.some(hasSearched)) return nothingToSearchFor(lanes);
  const ranks = await deepRanks(asked, wanted);
  const suspected = journey.suspected('failed', 'outdated', 'chunk-cut', 'truncated');
  if (suspected !== undefined) return suspected;
  const isLexical =
    ranks.lexical !== undefined && ranks.lexical <= (ranks.vector ?? Number.POSITIVE_INFINITY);
  const rank = isLexical ? ranks.lexical : ranks.vector;
  const stage = isLexical || asked.query.options?.mode === 'lexical' ? 'lexical' : 'vector';
  return {
    stage,
    reason: laneReason(ranks, asked, followed),
    remedies: rank === undefined ? [] : await deeper(rank, { asked, wanted }),
  };
}

/** What a lane had to search with. */
interface Lane {
  readonly stage: 'lexical' | 'vector';
  readonly report: LaneReport | undefined;
}

const laneOf = ({ lanes }: FollowedSearch, stage: Lane['stage']): Lane => {
  const name = stage === 'vector' ? 'dense' : stage;
  return { stage, report: lanes.find(({ lane }) => lane === name) };
};

/** A lane that ran and brought nothing for a reason had nothing to search with. */
const hasSearched = ({ report }: Lane): boolean =>
  report?.status === 'ran' || (report?.status === 'empty' && report.reason === undefined);

function nothingToSearchFor(lanes: readonly Lane[]): Loss {
  const reasons = [...new Set(lanes.flatMap(({ report }) => report?.reason ?? []))];
  return {
    stage: 'lexical',
    reason: `There is nothing to search for, so that no lane searched: ${reasons.join(' ')}`,
    remedies: [{ setting: 'the query', detail: 'Write what you are looking for in words.' }],
  };
}

function laneReason(
  { lexical, vector, depth }: DeepRanks,
  asked: AskedSearch,
  followed: FollowedSearch,
): string {
  const { candidates } = asked.resources.config.rag.retrieval.fusion;
  const mode = asked.query.options?.mode ?? 'hybrid';
  const byVector = laneOf(followed, 'vector');
  const parts = [
    ...(mode === 'dense' && !hasSearched(laneOf(followed, 'lexical'))
      ? []
      : [lexical === undefined ? 'it shares no word with the query' : `it is number ${lexical} by words`]),
    ...(mode === 'lexical' ? [] : [meaningOf(byVector, vector, depth)]),
  ];
  return `No lane brought it: ${parts.join(', and ')}; each lane brings ${candidates} candidates.`;
}

function meaningOf(lane: Lane, rank: number | undefined, depth: number): string {
  if (rank !== undefined) return `it is number ${rank} of ${depth} by meaning`;
  if (hasSearched(lane)) return `it is not among the ${depth} nearest in meaning`;
  const reason = lane.report?.reason ?? 'the lane did not run';
  return `nothing was searched for by meaning (${reason.replace(/\.$/, '')})`;
}

async function deeper(rank: number, { asked, wanted }: Omit<Place, 'followed'>): Promise<MissRemedy[]> {
  const { fusion } = asked.resources.config.rag.retrieval;
  const setting = `retrieval.fusion.candidates: ${rank}`;
  const trial: Trial = { setting, retrieval: { fusion: { ...fusion, candidates: rank } } };
  const works = await firstThatWorks(asked, wanted, [trial]);
  if (works !== undefined) return [works];
  const tried = withTrial(asked, trial);
  const followed = await followSearch(tried, wanted);
  const both = await largerTopK(tried, wanted, { followed, prefix: `${setting}, ` });
  return [
    both ?? { setting, detail: 'Its lane brings it then; it still comes after the results that are shown.' },
  ];
}

/** The lanes brought the document: which step put it behind the last result? */
export async function lostInRanking(journey: Journey, place: Place): Promise<Loss> {
  const { asked, wanted, followed } = place;
  const { rankIn, shown } = followed;
  const fused = rankIn('fusion') ?? Number.POSITIVE_INFINITY;
  const reranked = rankIn('rerank') ?? fused;
  journey.pass('fusion', `Rank ${fused} of ${followed.lengthOf('fusion')} after fusion.`);
  const isReranked = followed.lanes.some(({ lane, status }) => lane === 'rerank' && status === 'ran');
  if (isReranked) journey.pass('rerank', `Rank ${reranked} after reranking.`);
  else journey.off('rerank', 'Reranking had no part in this search.');
  const removal = await lostByRemoval(place);
  if (removal !== undefined) return removal;
  const unread = await lostUnread(place);
  if (unread !== undefined) return unread;
  const suspected = journey.suspected('failed', 'outdated', 'chunk-cut', 'truncated');
  if (suspected !== undefined && reranked > shown) return suspected;
  const larger = await largerTopK(asked, wanted, { followed });
  const widen = larger === undefined ? [] : [larger];
  // As many chunks passed on as stood before it, and it is not among them.
  const isReordered = rankIn('refine') === undefined && reranked <= followed.lengthOf('refine');
  const reordering = isReordered ? await lostByReordering(place, reranked) : undefined;
  if (reordering !== undefined) return reordering;
  if (isReranked && fused <= shown) return lostByReranker(place, { fused, reranked, widen });
  const lanes = [rankIn('dense'), rankIn('lexical')].map((rank) => rank ?? Number.POSITIVE_INFINITY);
  const bestLane = Math.min(...lanes);
  if (bestLane <= shown) return lostByFusion(place, { fused, lanes, widen });
  return {
    stage: 'top-k',
    reason: `It comes at rank ${reranked}, and ${shown} results are shown.`,
    remedies: widen,
  };
}

async function lostByRemoval({ asked, wanted, followed }: Place): Promise<Loss | undefined> {
  const [removed] = followed.removed;
  if (removed?.step === 'operator')
    return {
      stage: 'fusion',
      reason: `An operator of the query leaves it out: ${removed.detail}.`,
      remedies: [{ setting: 'the query', detail: 'Leave out the quotes, the minus sign or the star.' }],
    };
  if (removed?.step === 'collapse') {
    const remedy = await firstThatWorks(asked, wanted, [
      { setting: 'retrieval.collapse: none', options: { collapse: 'none' } },
    ]);
    if (remedy !== undefined)
      return {
        stage: 'collapse',
        reason: `It is a copy of an item that is shown once, by a better passage (${removed.detail}).`,
        remedies: [remedy],
      };
  }
  if (removed?.step === 'near-duplicate') {
    const remedy = await firstThatWorks(asked, wanted, [
      { setting: 'retrieval.nearDuplicates.enabled: false', options: { nearDuplicates: 'keep' } },
    ]);
    return {
      stage: 'near-duplicate',
      reason: `It was left out as a near-duplicate (${removed.detail}), which is among the results or before it.`,
      remedies: remedy === undefined ? [] : [remedy],
    };
  }
  if (removed?.step === 'score-fall') {
    const { adaptiveTopK } = asked.resources.config.rag.retrieval;
    const remedy = await firstThatWorks(asked, wanted, [
      {
        setting: 'retrieval.adaptiveTopK.enabled: false',
        retrieval: { adaptiveTopK: { ...adaptiveTopK, enabled: false } },
      },
    ]);
    return {
      stage: 'threshold',
      reason: `The list ends before it, where probabilities fall (${removed.detail}).`,
      remedies: remedy === undefined ? [] : [remedy],
    };
  }
  if (removed?.step !== 'threshold') return undefined;
  const least = Math.max(0, Math.floor((removed.score ?? 0) * 1000 - 1) / 1000);
  const remedy = await firstThatWorks(asked, wanted, [
    { setting: `retrieval.minSimilarity: ${least}`, options: { minSimilarity: least } },
    { setting: 'retrieval.minSimilarity: 0', options: { minSimilarity: 0 } },
  ]);
  return {
    stage: 'threshold',
    reason: `Its score is below retrieval.minSimilarity (${removed.detail}).`,
    remedies: remedy === undefined ? [] : [remedy],
  };
}

/** The vector of a passage that the model does not read says nothing: only words find it. */
async function lostUnread({ asked: { resources }, followed }: Place): Promise<Loss | undefined> {
  const { furthest, rankIn } = followed;
  if (furthest === undefined || rankIn('lexical') !== undefined || rankIn('refine') !== undefined)
    return undefined;
  const { facts } = await resources.stores.collection();
  const { embedder } = await resources.models.embedderOf(facts);
  if (embedder.reads?.(furthest.content) ?? true) return undefined;
  return {
    stage: 'vector',
    reason:
      'It is in a script that the embedding model does not read, so it is found by words alone, and it shares no word with the query.',
    remedies: [
      {
        setting: 'embedding.model',
        detail: 'Search with a word of the document, or index with a model that reads its language.',
      },
    ],
  };
}

async function lostByReordering({ asked, wanted }: Place, rank: number): Promise<Loss | undefined> {
  const recency = await firstThatWorks(asked, wanted, [
    { setting: 'retrieval.recency.enabled: false', options: { recencyHalfLifeDays: 0 } },
  ]);
  if (recency !== undefined)
    return {
      stage: 'recency',
      reason: `It is relevant enough for rank ${rank}, and its age put it behind newer documents.`,
      remedies: [recency],
    };
  const { mmr } = asked.resources.config.rag.retrieval;
  const lambda = asked.query.options?.mmrLambda ?? (mmr.enabled ? mmr.lambda : 1);
  if (lambda === 1) return undefined;
  const diversity = await firstThatWorks(asked, wanted, [
    { setting: 'retrieval.mmr.enabled: false', options: { mmrLambda: 1 } },
  ]);
  return {
    stage: 'diversity',
    reason: `It is relevant enough for rank ${rank}, and results that differ more from each other were preferred.`,
    remedies: diversity === undefined ? [] : [diversity],
  };
}

async function lostByReranker(
  { asked, wanted, followed: { shown } }: Place,
  { fused, reranked, widen }: { fused: number; reranked: number; widen: readonly MissRemedy[] },
): Promise<Loss> {
  const off = await firstThatWorks(asked, wanted, [
    { setting: 'retrieval.rerank.enabled: false', options: { rerank: false } },
  ]);
  return {
    stage: 'rerank',
    reason: `Fusion had it at rank ${fused}, the reranker put it at rank ${reranked}, and ${shown} results are shown.`,
    remedies: [...(off === undefined ? [] : [off]), ...widen],
  };
}

async function lostByFusion(
  { asked, wanted, followed: { shown } }: Place,
  { fused, lanes, widen }: { fused: number; lanes: readonly number[]; widen: readonly MissRemedy[] },
): Promise<Loss> {
  const [dense = Number.POSITIVE_INFINITY, lexical = Number.POSITIVE_INFINITY] = lanes;
  const towards = dense < lexical ? 'dense' : 'lexical';
  const { facts } = await asked.resources.stores.collection();
  const { hybrid, fusion } = asked.resources.config.rag.retrieval;
  const learned = fusion.method === 'adaptive' ? usualWeightsFor : laneWeightsFor;
  const current = hybrid.weights?.semantic ?? learned(facts.embedder).dense;
  const remedy = await firstThatWorks(asked, wanted, weightTrials(current, towards));
  return {
    stage: 'fusion',
    reason: `The ${towards} lane alone has it at rank ${Math.min(dense, lexical)}; together with the other lane it comes at rank ${fused}, and ${shown} results are shown.`,
    remedies: [...(remedy === undefined ? [] : [remedy]), ...widen],
  };
}
