import type { Answer, AnswerMode } from '../answering/answer.js';
import { toldNotices } from '../core/notice.js';
import { toldDegradation } from '../platform/degradation/degradation-report.js';
import type { FoundPassages } from '../resources/found-passages.js';

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
