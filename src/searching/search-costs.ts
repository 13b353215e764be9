import { RAGError } from '../core/errors.js';
import type { SearchPlanReport } from '../retrieval/planning/plan-report.js';
import { SearchBudget } from '../retrieval/planning/search-budget.js';
import { FEWEST, rerankedAfter } from '../retrieval/planning/search-plan.js';
import type { RetrievalRequest, RetrievalSettings } from '../retrieval/retriever.js';
import type { EmbedQuery } from '../retrieval/run-lanes.js';
import type { QueryModel } from './query-model.js';
import type { FindResources } from './searched-index.js';

/** What a search that may cost so much does otherwise. */
export interface LimitedSearch {
  readonly model: QueryModel;
  readonly settings: RetrievalSettings;
  /** What is asked of the retriever for this text: without vectors and with as much reranking as can be paid. */
  readonly limit: (request: RetrievalRequest) => Promise<RetrievalRequest>;
  /** The plan of the search, with what it cost and what was left out for that. */
  readonly reported: (plan: SearchPlanReport | undefined) => SearchPlanReport;
}

interface Limited {
  readonly maxCost: number;
  readonly request: RetrievalRequest;
  readonly model: QueryModel;
  readonly settings: RetrievalSettings;
  readonly resources: Pick<FindResources, 'models'>;
}

const LANGUAGE_MODEL: ReadonlySet<string> = new Set(['rewrite', 'hyde', 'multi-query']);

/**
 * Lets a search spend no more than `maxCost` on the models that it asks: the vector of the query first, reranking of as much as the rest pays
 * for. Expansions by a language model that has a price are left out. What a store with a server costs is not counted.
 *
 * @throws RAGError `QUERY_INVALID` for a limit that is none, and where the price of a paid model is not known, before anything is asked
 */
export async function limitCosts({
  maxCost,
  request,
  model,
  settings,
  resources,
}: Limited): Promise<LimitedSearch> {
  if (!(maxCost >= 0 && Number.isFinite(maxCost)))
    throw new RAGError('QUERY_INVALID', `maxCost must be a number of US dollars from 0 up, not ${maxCost}.`);
  const budget = new SearchBudget(maxCost);
  const asksForVectors = request.mode !== 'lexical' && model.costOf !== undefined;
  if (asksForVectors && (await model.costOf?.(request.text)) === undefined)
    throw unknownPrice('the embedding model', 'rag.embedding.price');
  if (request.rerank ?? settings.rerank.enabled) {
    // One that cannot be opened fails where it is asked.
    const reranker = await resources.models.reranker.open().catch(() => undefined);
    if (reranker?.costOf !== undefined && reranker.costOf(request.text, []) === undefined)
      throw unknownPrice(
        `the reranker ${reranker.name}`,
        reranker.name.startsWith('llm:') ? 'rag.chat.price' : 'rag.retrieval.rerank.price',
      );
  }
  const vectors = new Map<string, Promise<Float32Array>>();
  /** A text is paid for once in a search. */
  const paying =
    (embed: EmbedQuery, kind: string): EmbedQuery =>
    async (text, signal) => {
      const key = `${kind} ${text}`;
      const known = vectors.get(key);
      if (known !== undefined) return known;
      const cost = (await model.costOf?.(text)) ?? 0;
      if (!budget.canPay(cost))
        throw new RAGError('SPEND_LIMIT_REACHED', 'The vector would cost more than the search may.');
      budget.pay(cost);
      const vector = embed(text, signal);
      vectors.set(key, vector);
      return vector;
    };
  return {
    model: {
      ...model,
      embedQuery: paying(model.embedQuery, 'query'),
      embedPassage: paying(model.embedPassage, 'passage'),
    },
    settings: await withoutPaidExpansions(settings, budget, resources),
    limit: async (asked) => {
      const isPayable = asked.mode === 'lexical' || budget.canPay((await model.costOf?.(asked.text)) ?? 0);
      if (!isPayable) budget.leaveOut('vectors');
      return {
        ...asked,
        ...(isPayable ? {} : { mode: 'lexical' as const }),
        affordable: affordableWithin(budget),
      };
    },
    reported: (plan) => ({
      ...(plan ?? { name: 'whole' }),
      leftOut: [...new Set([...(plan?.leftOut ?? []), ...budget.leftOut])],
      maxCost,
      cost: budget.spent,
    }),
  };
}

async function withoutPaidExpansions(
  settings: RetrievalSettings,
  budget: SearchBudget,
  resources: Pick<FindResources, 'models'>,
): Promise<RetrievalSettings> {
  const { expansion } = settings;
  const kinds = expansion.kinds.filter((kind) => !LANGUAGE_MODEL.has(kind));
  if (kinds.length === expansion.kinds.length) return settings;
  const model = await resources.models.chatModel?.open();
  const isFree = model?.priceOf === undefined || model.priceOf({ inputTokens: 1, outputTokens: 1 }) === 0;
  if (isFree) return settings;
  budget.leaveOut('expansions by the language model');
  return { ...settings, expansion: { ...expansion, kinds } };
}

/** As many of the first candidates as can be paid; few are not worth a call. */
const affordableWithin =
  (budget: SearchBudget): NonNullable<RetrievalRequest['affordable']> =>
  (reranker, query, candidates) => {
    const all = candidates.length;
    const costOf = (count: number): number => reranker.costOf?.(query, candidates.slice(0, count)) ?? 0;
    let [count, tooMany] = [0, all + 1];
    while (tooMany - count > 1) {
      const middle = (count + tooMany) >> 1;
      if (budget.canPay(costOf(middle))) count = middle;
      else tooMany = middle;
    }
    if (count < Math.min(FEWEST, all)) count = 0;
    if (count < all) budget.leaveOut(count === 0 ? 'reranking' : rerankedAfter(count, all));
    budget.pay(count === 0 ? 0 : costOf(count));
    return count;
  };

const unknownPrice = (what: string, key: string): RAGError =>
  new RAGError(
    'QUERY_INVALID',
    `What ${what} costs is not known, so that \`maxCost\` could not be kept. Set ${key}, or leave the limit out.`,
    { details: { key } },
  );
