import {
  and,
  type CreateEngineOptions,
  createEngine,
  DegradationLevel,
  type Engine,
  type EngineView,
  eq,
  type Filter,
  not,
  oneOf,
  RAGError,
  type SearchResponse,
} from '../index.js';
import type {
  BacklogItem,
  ContextEnrichment,
  EnrichedPBI,
  PipelineContext,
  ScoredPBI,
} from './context-enrichment.js';
import { enrichmentOf } from './enrichment-of.js';

/** What `EnrichContextStep` asks. */
export interface EnrichContextOptions {
  /** The index to ask: an engine or a view of it (`engine.as(scope)`). It is borrowed. Without it one is opened by `open`. */
  readonly engine?: Pick<EngineView, 'search'> | undefined;
  /** How an engine is opened: configuration, data folder. @default the configuration of the folder, as `createEngine()` finds it */
  readonly open?: CreateEngineOptions | undefined;
  /** Results of each of the three searches. @default 5 */
  readonly topK?: number | undefined;
  /** What else a passage must satisfy for an item: its project, only what is older. @default nothing */
  readonly filter?: ((item: BacklogItem) => Filter) | undefined;
  /** `sourceType` of what counts as work; everything else is a page. @default {@link WORK_TYPES} */
  readonly workTypes?: readonly string[] | undefined;
}

/** Source types whose documents are items of work. */
export const WORK_TYPES: readonly string[] = Object.freeze([
  ...['pbi', 'azure_devops', 'work_item', 'user_story', 'issue', 'jira', 'ticket', 'bug', 'bug_report'],
]);

/** Items that are enriched at once. */
const AT_ONCE = 4;

/**
 * Step 4 of a backlog pipeline: each scored item gets what the index knows of it. A class of your pipeline may extend it, or hold one and
 * call `executeStep`.
 *
 * An item is never its own context: what has its id (`pbi_id`) is left out. Where no index can answer (retrieval is switched off, the search
 * fails) `enrichWithFallback` is asked, and the notices of the enrichment say why: one item that fails never stops a pipeline.
 */
export class EnrichContextStep<Router = unknown> {
  readonly #options: EnrichContextOptions;
  #own: Promise<Engine> | undefined;

  constructor(options: EnrichContextOptions = {}) {
    this.#options = options;
  }

  /** Opens the index; the first item does it where it was not done. Throws what `createEngine` throws. */
  async initialize(): Promise<void> {
    await this.#engine();
  }

  /** Closes the index that this step opened. */
  async close(): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    await (await own)?.close();
  }

  /** Fills `context.enrichedPBIs` from `context.scoredPBIs`, in their order, and gives the same context back. */
  async executeStep<Context extends PipelineContext>(
    context: Context,
    router?: Router,
  ): Promise<Context & Required<Pick<PipelineContext, 'enrichedPBIs'>>> {
    const scored = context.scoredPBIs?.scored_pbis;
    if (scored === undefined)
      throw new RAGError(
        'USAGE',
        'The context holds no `scoredPBIs.scored_pbis`: run the step that scores the items before.',
      );
    const enriched: EnrichedPBI[] = [];
    for (let start = 0; start < scored.length; start += AT_ONCE)
      enriched.push(
        ...(await Promise.all(
          scored.slice(start, start + AT_ONCE).map(async (item) => ({
            ...item,
            context: await this.#enrichOrFallBack(item, context, router),
          })),
        )),
      );
    return Object.assign(context, { enrichedPBIs: { enriched_pbis: enriched } });
  }

  /** What the index knows of one item. Throws what `search` throws. */
  async enrich(item: BacklogItem): Promise<ContextEnrichment> {
    const responses = await this.#searchAll(item);
    const [work, pages, decisions] = responses.map(({ results }) => results);
    const notices = [...new Set(responses.flatMap((response) => response.notices))];
    return {
      ...enrichmentOf({ work: work ?? [], pages: pages ?? [], decisions: decisions ?? [] }),
      degradation_level: Math.max(...responses.map(({ degradationLevel }) => degradationLevel)),
      ...(notices.length === 0 ? {} : { notices }),
    };
  }

  /** What an item gets where no index can answer. Yours may do what was done before there was an index. */
  protected enrichWithFallback(
    _item: ScoredPBI,
    _context: PipelineContext,
    _router: Router | undefined,
  ): ContextEnrichment | Promise<ContextEnrichment> {
    return { similar_work: [], past_decisions: [], technical_docs: [], risk_flags: [], suggestions: [] };
  }

  async #engine(): Promise<Pick<EngineView, 'search'>> {
    if (this.#options.engine !== undefined) return this.#options.engine;
    this.#own ??= createEngine(this.#options.open);
    try {
      return await this.#own;
    } catch (error) {
      // Tried again by the next item: a server may have been down.
      this.#own = undefined;
      throw error;
    }
  }

  async #enrichOrFallBack(
    item: ScoredPBI,
    context: PipelineContext,
    router: Router | undefined,
  ): Promise<ContextEnrichment> {
    const reason = await this.enrich(item.pbi).then(
      (enrichment) =>
        enrichment.degradation_level === DegradationLevel.DISABLED ? enrichment : { enrichment },
      (error: unknown) => ({
        notices: [`No index was asked: ${error instanceof Error ? error.message : String(error)}`],
      }),
    );
    if ('enrichment' in reason) return reason.enrichment;
    const fallback = await this.enrichWithFallback(item, context, router);
    return { ...fallback, notices: [...(reason.notices ?? []), ...(fallback.notices ?? [])] };
  }

  async #searchAll(item: BacklogItem): Promise<SearchResponse[]> {
    const engine = await this.#engine();
    const { topK = 5, workTypes = WORK_TYPES, filter } = this.#options;
    const isWork = oneOf('sourceType', workTypes);
    const always = [
      ...(item.id === undefined ? [] : [not(eq('pbi_id', item.id))]),
      ...(filter === undefined ? [] : [filter(item)]),
    ];
    const text = `${item.title} ${item.description ?? ''}`.trim();
    const search = (query: string, ...filters: Filter[]): Promise<SearchResponse> =>
      engine.search({ text: query, topK, filter: and(...filters, ...always) });
    return Promise.all([search(text, isWork), search(text, not(isWork)), search(`Decision: ${item.title}`)]);
  }
}
