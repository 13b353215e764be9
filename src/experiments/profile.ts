import { resolve } from 'node:path';
import type { Environment } from '../config/expand-variables.js';
import { loadConfig } from '../config/load-config.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { DATA_FILES } from '../core/data-folder.js';
import { RAGError, throwIfAborted } from '../core/errors.js';
import { percentile } from '../core/percentile.js';
import { isoNow } from '../core/runtime.js';
import { LOCAL_SCOPE, type Scope, type ScopeInput, scopeOf } from '../core/scope.js';
import { engineOver } from '../engine/create-engine.js';
import { mean } from '../evaluation/metrics.js';
import { isAnswerable, type Question, readQuestionSet } from '../evaluation/question-set.js';
import { scoreQuestion } from '../evaluation/score-questions.js';
import type { EngineView } from '../operations/engine.js';
import { EngineResources } from '../resources/engine-resources.js';
import { type NamedPlan, plansUnder } from '../retrieval/planning/search-plan.js';
import { ProfileFile, type SearchProfile } from '../retrieval/planning/search-profile.js';
import { findPassages } from '../searching/find-passages.js';
import { wholePlan } from '../searching/plan-search.js';
import type { EvaluateProgress } from './experiment-types.js';

/** What is profiled, and by which questions. */
export interface ProfileOptions {
  /** Questions with gold quotes about what is indexed, relative to `cwd`. @default titles of documents, held against the whole search */
  readonly questions?: string;
  /** Most questions that are asked. @default 100 */
  readonly max?: number;
  /** @default the local scope */
  readonly scope?: ScopeInput;
  readonly configFile?: string;
  readonly dataDir?: string;
  readonly cwd?: string;
  /** Variables for `${NAME}`. @default process.env */
  readonly env?: Environment | undefined;
  readonly overrides?: RAGSettingsInput;
  readonly onProgress?: (progress: EvaluateProgress) => void;
  readonly signal?: AbortSignal;
}

/** What was measured, and where it is kept. */
export interface ProfileReport extends SearchProfile {
  /** Absolute path. */
  readonly file: string;
}

/** A question, and how good passages are for it. */
interface Asked {
  readonly text: string;
  /** In [0, 1]. @param whole what the whole search finds */
  readonly score: (found: readonly Passage[], whole: readonly Passage[]) => number;
}

interface Passage {
  readonly id: string;
  readonly path: string;
  readonly content: string;
}

const DEPTH = 10;
const CUTOFFS = Array.from({ length: DEPTH }, (_, i) => i + 1);
const USUAL_QUESTIONS = 100;
/** Of the deadline of a search that is timed: it must never be cut. */
const NO_DEADLINE_MS = 600_000;
/** Searches before the first that counts: they load what all need. */
const WARM_UP = 5;

/**
 * Measures over the user's own index what each plan of a search with a deadline is worth and how long it takes, and keeps that in the data
 * folder, where searches with a deadline look.
 *
 * @throws RAGError `INDEX_EMPTY` where nothing is indexed, `USAGE` where there is nothing to ask
 */
export async function profileSearches(options: ProfileOptions = {}): Promise<ProfileReport> {
  const { cwd = process.cwd(), env, configFile, dataDir, overrides, signal, onProgress } = options;
  const config = await loadConfig({
    cwd,
    env,
    file: configFile,
    dataDir,
    overrides,
  });
  const resources = new EngineResources(config);
  const engine = engineOver(resources, cwd);
  try {
    const scope = scopeOf(options.scope ?? LOCAL_SCOPE);
    const view = engine.as(scope);
    const { chunks, embedder } = await view.status();
    const { asked, metric } = await questionsFor(options, view);
    const plans = plansUnder(wholePlan({ mode: 'hybrid', rerank: undefined }, config));
    const measured = await measurePlans(plans, asked, { resources, scope, signal, onProgress });
    const profile: SearchProfile = {
      ...{ version: 1, at: isoNow() },
      ...{ metric, questions: asked.length, chunks, embedder, plans: measured },
    };
    const file = resolve(config.dataDir, DATA_FILES.searchProfile);
    await new ProfileFile(file).write(profile);
    return { ...profile, file };
  } finally {
    await engine.close();
  }
}

async function questionsFor(
  { questions, max = USUAL_QUESTIONS, cwd = '.' }: ProfileOptions,
  view: EngineView,
): Promise<{ readonly asked: readonly Asked[]; readonly metric: string }> {
  const labelled =
    questions === undefined
      ? undefined
      : (await readQuestionSet(resolve(cwd, questions))).filter(isAnswerable);
  const asked = labelled === undefined ? await titlesOf(view, max) : spread(labelled, max).map(judged);
  if (asked.length === 0)
    throw new RAGError(
      'USAGE',
      questions === undefined
        ? 'No document that is indexed has a title to ask for. Name questions with --questions.'
        : `${questions} has no question with an answer.`,
    );
  const metric = labelled === undefined ? `overlap@${DEPTH} with the whole search` : `ndcg@${DEPTH}`;
  return { asked, metric };
}

const judged = (question: Question): Asked => ({
  text: question.question,
  score: (found) => discountedGain(scoreQuestion(question, found, CUTOFFS).hit),
});

/** nDCG of a question with one answer: 1 at the first place, 1 / log2(1 + place) at another (Järvelin and Kekäläinen 2002). */
function discountedGain(hit: Readonly<Record<number, number>>): number {
  return CUTOFFS.reduce((sum, k) => sum + ((hit[k] ?? 0) - (hit[k - 1] ?? 0)) / Math.log2(k + 1), 0);
}

async function titlesOf(view: EngineView, max: number): Promise<Asked[]> {
  const titles = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const page = await view.list({ limit: 1_000, cursor });
    for (const { title } of page.documents) if (title !== undefined && title !== '') titles.add(title);
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  return spread([...titles], max).map((text) => ({ text, score: overlap }));
}

function overlap(found: readonly Passage[], whole: readonly Passage[]): number {
  if (whole.length === 0) return 1;
  const ids = new Set(whole.map(({ id }) => id));
  return found.filter(({ id }) => ids.has(id)).length / whole.length;
}

/** At most so many, from all over the list. */
const spread = <T>(list: readonly T[], max: number): T[] =>
  list.filter((_, i) => Math.floor((i * max) / list.length) !== Math.floor(((i - 1) * max) / list.length));

interface Measuring {
  readonly resources: EngineResources;
  readonly scope: Scope;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ProfileOptions['onProgress'];
}

/** Question by question, all plans of each: what else the machine does meanwhile slows them alike. */
async function measurePlans(
  plans: readonly NamedPlan[],
  asked: readonly Asked[],
  { resources, scope, signal, onProgress }: Measuring,
): Promise<SearchProfile['plans']> {
  const search = searcher({ resources, scope, signal });
  const [whole] = plans;
  if (whole === undefined) throw new RAGError('INTERNAL', 'There is no plan.');
  for (const { text } of asked.slice(0, WARM_UP)) for (const plan of plans) await search(text, plan);
  const found = plans.map(() => ({ ms: [] as number[], scores: [] as number[] }));
  for (const [done, { text, score }] of asked.entries()) {
    throwIfAborted(signal);
    let best: readonly Passage[] = [];
    for (const [i, plan] of plans.entries()) {
      const { passages, tookMs } = await search(text, plan);
      if (plan === whole) best = passages;
      found[i]?.ms.push(tookMs);
      found[i]?.scores.push(score(passages, best));
    }
    onProgress?.({ stage: 'searching', done: done + 1, total: asked.length });
  }
  return plans.map(({ name, mode, candidates, reranked }, i) => ({
    ...{ name, mode, candidates, reranked },
    quality: mean(found[i]?.scores ?? []),
    p50Ms: percentile(found[i]?.ms ?? [], 0.5),
    p95Ms: percentile(found[i]?.ms ?? [], 0.95),
  }));
}

const searcher =
  ({ resources, scope, signal }: Pick<Measuring, 'resources' | 'scope' | 'signal'>) =>
  async (text: string, plan: NamedPlan) => {
    const options = { topK: DEPTH, deadlineMs: NO_DEADLINE_MS, minSimilarity: 0 };
    const { passages, tookMs } = await findPassages(
      { text, options, ...(signal === undefined ? {} : { signal }) },
      scope,
      { resources, isCached: false, plan },
    );
    return {
      tookMs,
      passages: passages.map(({ chunk }) => ({
        id: chunk.id,
        path: typeof chunk.metadata.source === 'string' ? chunk.metadata.source : '',
        content: chunk.content,
      })),
    };
  };
