import type { RetrievalMode } from '../retriever.js';

/** How much a search does. */
export interface SearchPlan {
  /** Which lanes run. */
  readonly mode: RetrievalMode;
  /** Candidates of each lane. */
  readonly candidates: number;
  /** Candidates that are reranked; 0: none. */
  readonly reranked: number;
}

/** From the one that does all to the one that does least. */
export const PLAN_NAMES = ['whole', 'few-reranked', 'not-reranked', 'few-candidates', 'words'] as const;

export type PlanName = (typeof PLAN_NAMES)[number];

/** A plan with a name for people. */
export interface NamedPlan extends SearchPlan {
  readonly name: PlanName;
  /** What the search that was asked for would do and this one does not, in words. */
  readonly leftOut: readonly string[];
}

/** A plan that does less does so by this much: less is not felt, more leaves steps that are too wide to fill a deadline. */
const SHARE = 4;
/** Fewer candidates than this save nothing. */
export const FEWEST = 10;

/** What is left out where fewer candidates are reranked, in words. */
export const rerankedAfter = (fewer: number, all: number): string =>
  `reranking of candidates after the first ${fewer} of ${all}`;

/**
 * What a search can be cut down to, the whole one first: fewer candidates reranked, none reranked, fewer candidates of each lane, words alone.
 * Each does less than the one before.
 */
export function plansUnder(whole: SearchPlan): readonly NamedPlan[] {
  const { mode, candidates, reranked } = whole;
  const fewer = Math.min(candidates, Math.max(FEWEST, Math.ceil(candidates / SHARE)));
  const fewerReranked = Math.min(reranked, Math.max(FEWEST, Math.ceil(reranked / SHARE)));
  const noReranking = reranked > 0 ? ['reranking'] : [];
  const fewCandidates =
    fewer < candidates ? [`candidates of each lane after the first ${fewer} of ${candidates}`] : [];
  const plans: readonly NamedPlan[] = [
    { ...whole, name: 'whole', leftOut: [] },
    {
      ...{ name: 'few-reranked', mode, candidates, reranked: fewerReranked },
      leftOut: [rerankedAfter(fewerReranked, reranked)],
    },
    { name: 'not-reranked', mode, candidates, reranked: 0, leftOut: noReranking },
    {
      ...{ name: 'few-candidates', mode, candidates: fewer, reranked: 0 },
      leftOut: [...noReranking, ...fewCandidates],
    },
    {
      ...{ name: 'words', mode: 'lexical', candidates: fewer, reranked: 0 },
      leftOut: [...noReranking, ...fewCandidates, 'vectors', ...(mode === 'graph' ? ['the graph'] : [])],
    },
  ];
  // A step that changes nothing is the one before it.
  return plans.filter((plan, i) => !plans.slice(0, i).some((before) => keyOf(before) === keyOf(plan)));
}

/** Equal for plans that do the same. */
export const keyOf = ({ mode, candidates, reranked }: SearchPlan): string =>
  `${mode} ${candidates} ${reranked}`;
