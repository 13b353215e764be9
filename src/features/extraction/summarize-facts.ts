import type { ChatModel } from '../../core/chat-model.js';
import { type RAGError, throwIfAborted, toRAGError } from '../../core/errors.js';
import { isoNow, runtime } from '../../core/runtime.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import type {
  CallEstimate,
  ExtractionStop,
  SummarizeRequest,
  SummarizeResult,
} from '../../operations/extraction-types.js';
import type { CommunitySummary, FactRecord } from '../../relations/graph/facts.js';
import { type AskingRun, askAlone, inParallel } from './ask-alone.js';
import { askModel, promptTokens } from './ask-model.js';
import { documentWork } from './chunk-work.js';
import { type Audience, communitiesIn } from './communities.js';
import { estimateCalls } from './estimate-calls.js';
import { type FactHost, type ReadFacts, writeFacts } from './fact-host.js';
import { Pace } from './pace.js';
import { summariesIn } from './summary-pages.js';
import { checkSummary, type SummaryWork, summaryReplySchema, summaryWork } from './summary-prompt.js';

const ASSUMED_OUTPUT = 350;

/**
 * Has the language model summarise entities that hang together, out of documents that the very same people may read. A community whose facts
 * are those of its summary is left alone; a summary whose facts are others now is removed.
 *
 * @throws RAGError as `askAlone`
 */
export const summarizeFacts = (request: SummarizeRequest, host: FactHost): Promise<SummarizeResult> =>
  askAlone(request, host, {
    command: 'ragstone graph summarize',
    work: (run) => summarize(request, run),
  });

async function summarize(
  { dryRun = false, concurrency, onProgress }: SummarizeRequest,
  { host, read, model, budget }: AskingRun,
): Promise<SummarizeResult> {
  const since = runtime().elapsed();
  const { scope, signal, config } = host;
  const plan = await planSummaries(read, host);
  const counts = { written: 0, failed: 0 };
  let stopped: ExtractionStop | undefined;
  let outage: RAGError | undefined;
  const parallel = concurrency ?? config.rag.graph.extraction.concurrency;
  if (!dryRun) {
    if (plan.outdated.length > 0)
      await writeFacts(host, (facts) => facts.forgetSummaries(scope.tenant, plan.outdated));
    const pace = new Pace('summarizing', plan.missing.length, onProgress);
    const waiting = [...plan.missing];
    const worker = async (): Promise<void> => {
      for (let work = waiting.shift(); work !== undefined && stopped === undefined; work = waiting.shift()) {
        const done = await write(work);
        if (done === 'stopped') return;
        counts[done]++;
        pace.add();
      }
    };
    await inParallel(parallel, worker, signal);
  }
  return {
    model: model.id,
    communities: plan.communities,
    ...counts,
    unchanged: plan.unchanged,
    removed: dryRun ? 0 : plan.outdated.length,
    left: plan.missing.length - counts.written - counts.failed,
    alone: plan.alone,
    audiences: plan.audiences,
    ...(dryRun ? { estimate: estimateSummaries(plan, { model, concurrency: parallel }) } : {}),
    spent: budget.spent,
    ...withoutUndefined({ stopped }),
    tookMs: Math.round(runtime().elapsed() - since),
    notices: outage === undefined ? [] : [`The language model was given up: ${outage.message}`],
  };

  async function write(work: SummaryWork): Promise<'written' | 'failed' | 'stopped'> {
    try {
      const { maxOutputTokens } = config.rag.graph.extraction;
      const asked = await askModel(
        { messages: work.messages, schema: summaryReplySchema },
        { model, budget, maxOutputTokens, signal },
      );
      if ('stop' in asked) {
        stopped ??= asked.stop;
        return 'stopped';
      }
      const { reply, ...took } = asked;
      const checked = 'value' in reply ? checkSummary(reply.value, work) : undefined;
      if (checked === undefined) return 'failed';
      const summary: CommunitySummary = {
        id: work.id,
        model: model.id,
        ...withoutUndefined({ project: work.community.audience.project }),
        ...checked,
        entities: work.entities,
        sources: work.sources.map(({ documentId, chunkId }) => ({ documentId, chunkId })),
        ...took,
        at: isoNow(),
      };
      // A source that has changed meanwhile makes it none; the next run sees other facts.
      return (await writeFacts(host, (facts) => facts.saveSummary(scope.tenant, summary)))
        ? 'written'
        : 'failed';
    } catch (error) {
      throwIfAborted(signal);
      stopped ??= 'model';
      outage ??= toRAGError(error, 'CHAT_UNAVAILABLE', 'The language model failed.');
      return 'stopped';
    }
  }
}

interface SummaryPlan {
  readonly communities: number;
  readonly missing: readonly SummaryWork[];
  readonly unchanged: number;
  /** Ids of summaries whose facts are others now. */
  readonly outdated: readonly string[];
  readonly alone: number;
  readonly audiences: number;
  readonly known: readonly CommunitySummary[];
}

/** What calls for the summaries that are missing would take. */
export async function summaryCalls(
  read: ReadFacts,
  host: FactHost,
  model: ChatModel | undefined,
): Promise<CallEstimate> {
  const { concurrency } = host.config.rag.graph.extraction;
  return estimateSummaries(await planSummaries(read, host), { model, concurrency });
}

function estimateSummaries(
  { missing, known }: SummaryPlan,
  { model, concurrency }: { readonly model: ChatModel | undefined; readonly concurrency: number },
): CallEstimate {
  const own = known.filter((summary) => summary.model === model?.id);
  return estimateCalls(
    {
      calls: missing.length,
      inputTokens: missing.reduce((sum, { messages }) => sum + promptTokens(messages), 0),
    },
    {
      model,
      measured: {
        calls: own.length,
        outputTokens: own.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
        ms: own.reduce((sum, { ms }) => sum + ms, 0),
      },
      assumedOutput: ASSUMED_OUTPUT,
      concurrency,
    },
  );
}

async function planSummaries(read: ReadFacts, host: FactHost): Promise<SummaryPlan> {
  const { tenant, project } = host.scope;
  const { communitiesOf } = await import('./louvain.js');
  const audiences = await audiencesOf(read, host);
  const found = audiences.map((audience) => communitiesIn(audience, communitiesOf));
  const work = found
    .flatMap(({ communities }) => communities)
    .filter(({ records }) => records.length > 0)
    .map((community) => summaryWork(tenant, community));
  const known = await summariesIn(read.facts, { tenant, project });
  const kept = new Set(known.map(({ id }) => id));
  const wanted = new Set(work.map(({ id }) => id));
  const missing = work.filter(({ id }) => !kept.has(id));
  return {
    communities: work.length,
    missing,
    unchanged: work.length - missing.length,
    outdated: known.flatMap(({ id }) => (wanted.has(id) ? [] : [id])),
    alone: found.reduce((sum, { alone }) => sum + alone, 0),
    audiences: audiences.length,
    known,
  };
}

/** Facts by who may read their documents, as the store says now: all chunks of a revision have one access. */
async function audiencesOf(read: ReadFacts, { scope, signal }: FactHost): Promise<Audience[]> {
  const found = new Map<string, { readonly project: string | undefined; readonly records: FactRecord[] }>();
  for await (const { document, known } of documentWork(read, scope, signal)) {
    const records = [...known.values()].filter(({ outcome }) => outcome === 'read');
    const [first] = records;
    if (first === undefined) continue;
    const [chunk] = await read.collection.get([first.chunkId], { signal });
    if (chunk === undefined) continue;
    const { groups, level } = chunk.access;
    // What nobody may read is summarised for nobody.
    if (groups.length === 0) continue;
    const key = JSON.stringify([document.project ?? null, level, [...new Set(groups)].sort()]);
    const audience = found.get(key);
    if (audience === undefined) found.set(key, { project: document.project, records });
    else audience.records.push(...records);
  }
  return [...found].map(([key, audience]) => ({ key, ...audience }));
}
