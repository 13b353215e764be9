import type { Answer, AnswerMode } from '../answering/answer.js';
import { DegradationLevel } from '../core/degradation.js';
import { toldNotices } from '../core/notice.js';
import { toldDegradation } from '../platform/degradation/degradation-report.js';
import { isOutage } from '../platform/degradation/outage.js';
import { staticResponsesFor } from '../platform/degradation/static-responses.js';
import type { FoundPassages } from '../resources/found-passages.js';
import type { Found } from './remembered-passages.js';
import type { FindResources } from './searched-index.js';

/** What the configuration has to say to a question in place of an error; undefined where it has nothing, or nothing is out. */
export function saidInOutage(
  question: string,
  error: unknown,
  { config }: Pick<FindResources, 'config'>,
): Found | undefined {
  const staticResponses = staticResponsesFor(question, config.rag.degradation.static);
  if (!isOutage(error) || staticResponses.length === 0) return undefined;
  const text = `Nothing can be searched now, so only what \`rag.degradation.static\` holds is said: ${error.message}`;
  return {
    passages: [],
    limit: 0,
    lanes: [],
    removed: [],
    degradationLevel: DegradationLevel.STATIC_ONLY,
    staticResponses,
    notices: [{ kind: 'static-response', text }],
  };
}

/** What is said to a question while nothing can be searched: texts of the configuration, and no answer. */
export function staticAnswer(
  question: string,
  mode: AnswerMode,
  found: Pick<FoundPassages, 'degradationLevel' | 'outages' | 'staticResponses' | 'notices'>,
): Answer {
  return {
    question,
    standaloneQuestion: question,
    outcome: 'not-found',
    answer: (found.staticResponses ?? []).map(({ text }) => text).join('\n\n'),
    further: [],
    answerer: 'none',
    mode,
    abstained: true,
    abstention: { reason: 'nothing-found', detail: 'Nothing can be searched now.' },
    confidence: 0,
    sources: [],
    citations: [],
    support: [],
    isPartial: false,
    ...toldDegradation(found),
    context: { tokens: { used: 0, budget: 0, counter: 'none' }, omitted: [] },
    ...toldNotices(found.notices),
    stages: {},
    tookMs: 0,
  };
}
