import type { ContextPack } from '../context/context-pack.js';
import { neutraliseAnswer } from '../context/neutralise.js';
import { DegradationLevel } from '../core/degradation.js';
import type { Abstention, Answer, AnswerFallback, AnswerMode } from './answer.js';
import type { AnswerRequest } from './answer-request.js';
import { sourceOf, supportOfDraft } from './answer-sources.js';
import type { ChatOutcome } from './chat-answer.js';
import { extractAnswer, type RankedSentence } from './extractive-answer.js';
import type { StandaloneQuestion } from './follow-up.js';
import { checkWithModel, type ModelSupportOptions } from './model-support-check.js';
import { NO_ANSWER } from './prompts/answer-prompt.js';
import { type UnsupportedPolicy, type VerifiedAnswer, verifyAnswer } from './verify-answer.js';

/** Everything that is known before an answer is written. */
export interface Findings {
  readonly request: AnswerRequest;
  readonly mode: AnswerMode;
  readonly standalone: StandaloneQuestion;
  readonly pack: ContextPack;
  /** Sentences of the passages, most likely to answer first. */
  readonly sentences: readonly RankedSentence[];
  readonly confidence: number;
  readonly degradationLevel: DegradationLevel;
  readonly notices: readonly string[];
}

/** What every answer says, whoever wrote it. */
function common(findings: Findings): Omit<Answer, 'answer' | 'answerer'> {
  const { request, mode, standalone, pack, confidence, degradationLevel, notices } = findings;
  const { used, budget, counter } = pack.tokens;
  return {
    question: request.question,
    standaloneQuestion: standalone.text,
    mode,
    abstained: false,
    confidence,
    sources: pack.entries.map(sourceOf),
    citations: [],
    support: [],
    isPartial: false,
    degradationLevel,
    context: { tokens: { used, budget, counter }, omitted: pack.omitted },
    notices,
    tookMs: 0,
  };
}

const NOTHING: Abstention = {
  reason: 'nothing-found',
  detail: 'Nothing in the index matches the question.',
};
const THIN: Abstention = {
  reason: 'thin-evidence',
  detail: 'The passages found do not seem to answer the question.',
};

/** No answer, the reason, and the nearest passages as `sources`. */
export function abstain(findings: Findings, abstention?: Abstention): Answer {
  const why = abstention ?? (findings.pack.isFallback ? NOTHING : THIN);
  const nearest = findings.pack.entries.length > 0 ? ' The nearest passages are listed.' : '';
  return {
    ...common(findings),
    answer: `${why.detail}${nearest}`,
    answerer: 'none',
    abstained: true,
    abstention: why,
  };
}

/** The best sentences of the passages. `failure` says why no model wrote, where one was asked for. */
export function answerFromSentences(findings: Findings, failure?: AnswerFallback): Answer {
  const base = common(findings);
  const draft = extractAnswer(findings.sentences);
  const degraded: Partial<Answer> =
    failure === undefined
      ? {}
      : {
          fallback: failure,
          // As with a missing reranker: everything is there but what a model would have added.
          degradationLevel: Math.max(base.degradationLevel, DegradationLevel.NO_RERANKING),
          notices: [
            ...base.notices,
            `The answer was extracted without the language model: ${failure.detail}`,
          ],
        };
  if (draft === undefined) return { ...abstain(findings), ...degraded };
  return { ...base, ...supportOfDraft(draft), answer: draft.text, answerer: 'extractive', ...degraded };
}

export interface CheckOptions {
  readonly unsupported: UnsupportedPolicy;
  /** A language model that checks what the lexical check lets pass; none where that is off. */
  readonly checker?: ModelSupportOptions;
}

/**
 * A model's answer, checked; or why it cannot stand.
 *
 * @throws RAGError `ABORTED`.
 */
export async function answerFromChat(
  findings: Findings,
  outcome: ChatOutcome,
  options: CheckOptions,
): Promise<{ readonly answer: Answer } | { readonly failure: AnswerFallback }> {
  const base = { ...common(findings), model: outcome.model, notices: outcome.notices };
  if (isRefusal(outcome.text)) return { answer: { ...abstain(findings), ...base, abstained: true } };
  const verified = await verify(findings, outcome, options);
  if (!verified.support.some(({ verdict }) => verdict === 'supported'))
    return {
      failure: {
        reason: 'UNSUPPORTED_ANSWER',
        detail: "No sentence of the model's answer is supported by the sources.",
      },
    };
  return {
    answer: {
      ...base,
      answer: verified.text,
      answerer: 'chat',
      support: verified.support,
      citations: verified.citations,
      isPartial: outcome.isPartial,
      notices: [...base.notices, ...verified.notices],
    },
  };
}

async function verify(
  { pack: { entries } }: Findings,
  outcome: ChatOutcome,
  { unsupported, checker }: CheckOptions,
): Promise<VerifiedAnswer> {
  const text = neutraliseAnswer(outcome.text);
  if (checker === undefined) return verifyAnswer(text, entries, { unsupported });
  const lexical = verifyAnswer(text, entries, { unsupported: 'mark' });
  const { refuted, notices } = await checkWithModel(lexical.support, entries, checker);
  const verified = verifyAnswer(text, entries, { unsupported, refuted });
  return { ...verified, notices: [...verified.notices, ...notices] };
}

/** The word that the prompt asks for, alone or with a remark. */
const isRefusal = (text: string): boolean =>
  text
    .trim()
    .slice(0, NO_ANSWER.length + 2)
    .includes(NO_ANSWER);
