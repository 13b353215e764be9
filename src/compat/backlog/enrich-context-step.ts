import { messageOf } from '../../core/errors.js';
import {
  and,
  type CreateEngineOptions,
  createEngine,
  DegradationLevel,
  type Engine,
  type EngineView,
  type Filter,
  not,
  oneOf,
  RAGError,
  type RolledOut,
  Rollout,
  type SearchResponse,
} from '../../index.js';
import type {
  BacklogItem,
  ContextEnrichment,
  EnrichedPBI,
  PipelineContext,
  ScoredPBI,
} from './context-enrichment.js';
import { enrichmentOf, isCalled, tooWeakNotices } from './enrichment-of.js';

/** What the step asks of an engine. Without `rollout` every item is enriched from it. */
type AskedEngine = Pick<EngineView, 'search'> & Partial<Pick<EngineView, 'rollout'>>;

/** What `EnrichContextStep` asks. */
export interface EnrichContextOptions {
  /** The index to ask: an engine or a view of it (`engine.as(scope)`). It is borrowed. Without it one is opened by `open`. */
  readonly engine?: AskedEngine | undefined;
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
 * An item is never its own context: what is called by its id is left out (`pbi_id`, `workItemId`, `bug_id`, the id of a document). Where no index can answer (retrieval is switched off, the search
 * fails) `enrichWithFallback` is asked, and the notices of the enrichment say why: one item that fails never stops a pipeline. It is asked, too, for
 * items that are not rolled out yet (`rag.rollout`), which `executeStep` decides by their ids, or their titles where they have none.
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
            context: await this.#enrichOnItsSide(item, () => this.enrichWithFallback(item, context, router)),
          })),
        )),
      );
    return Object.assign(context, { enrichedPBIs: { enriched_pbis: enriched } });
  }

  /** What the index knows of one item, whichever side of a rollout it is on. Throws what `search` throws. */
  async enrich(item: BacklogItem): Promise<ContextEnrichment> {
    const responses = await this.#searchAll(item);
    const [work = [], pages = [], decisions = []] = responses.map(({ results }) => results);
    const found = { work, pages, decisions };
    const notices = [
      ...new Set([...responses.flatMap((response) => response.notices), ...tooWeakNotices(found)]),
    ];
    return {
      ...enrichmentOf(found),
      degradation_level: Math.max(...responses.map(({ degradationLevel }) => degradationLevel)),
      ...(notices.length === 0 ? {} : { notices }),
    };
  }

  /** What an item gets where no index can answer, or it is not rolled out yet. Yours may do what was done before there was an index. */
  protected enrichWithFallback(
    _item: ScoredPBI,
    _context: PipelineContext,
    _router: Router | undefined,
  ): ContextEnrichment | Promise<ContextEnrichment> {
    return { similar_work: [], past_decisions: [], technical_docs: [], risk_flags: [], suggestions: [] };
  }

  async #engine(): Promise<AskedEngine> {
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

  /** That of the index. Of one that cannot be asked nobody knows what is rolled out: then its items are done as after a failure. */
  async #rollout(): Promise<{ readonly rollout: Rollout; readonly failure?: { readonly error: unknown } }> {
    try {
      const engine = await this.#engine();
      return { rollout: (await engine.rollout?.()) ?? new Rollout() };
    } catch (error) {
      return { rollout: new Rollout(), failure: { error } };
    }
  }

  async #enrichOnItsSide(
    item: ScoredPBI,
    legacy: () => ContextEnrichment | Promise<ContextEnrichment>,
  ): Promise<ContextEnrichment> {
    const { rollout, failure } = await this.#rollout();
    let asked: ContextEnrichment | undefined;
    const done = await rollout.run<ContextEnrichment>({
      id: item.pbi.id ?? item.pbi.title,
      rag: async () => {
        if (failure !== undefined) throw failure.error;
        asked = await this.enrich(item.pbi);
        return asked;
      },
      legacy,
      isOff: ({ degradation_level }) => degradation_level === DegradationLevel.DISABLED,
      found: refsOf,
    });
    const { answer, outcome } = done;
    const isLegacy = outcome.side === 'legacy';
    const notices = [
      ...(outcome.reason === 'disabled' ? (asked?.notices ?? []) : []),
      ...problemsOf(done),
      ...(answer.notices ?? []),
    ];
    return {
      ...(isLegacy ? { degradation_level: DegradationLevel.DISABLED } : {}),
      ...answer,
      ...(isLegacy || rollout.settings !== undefined ? { rollout: outcome } : {}),
      ...(notices.length === 0 ? {} : { notices }),
    };
  }

  async #searchAll(item: BacklogItem): Promise<SearchResponse[]> {
    const engine = await this.#engine();
    const { topK = 5, workTypes = WORK_TYPES, filter } = this.#options;
    const isWork = oneOf('sourceType', workTypes);
    const always = [
      ...(item.id === undefined ? [] : [not(isCalled(item.id))]),
      ...(filter === undefined ? [] : [filter(item)]),
    ];
    const text = `${item.title} ${item.description ?? ''}`.trim();
    const search = (query: string, ...filters: Filter[]): Promise<SearchResponse> =>
      engine.search({ text: query, topK, filter: and(...filters, ...always) });
    return Promise.all([search(text, isWork), search(text, not(isWork)), search(`Decision: ${item.title}`)]);
  }
}

/** What an enrichment names, by which the two ways are compared. */
const refsOf = ({ similar_work, past_decisions, technical_docs }: ContextEnrichment): string[] => [
  ...similar_work.map(({ ref }) => `work ${ref}`),
  ...past_decisions.map(({ ref }) => `decision ${ref}`),
  ...technical_docs.map(({ ref }) => `page ${ref}`),
];

function problemsOf({ outcome, error, uncounted }: RolledOut<unknown>): string[] {
  const failed = outcome.reason === 'shadow' ? 'The index failed in shadow' : 'No index was asked';
  return [
    ...(error === undefined ? [] : [`${failed}: ${messageOf(error)}`]),
    ...(uncounted === undefined ? [] : [messageOf(uncounted)]),
  ];
}
