import { resolve } from 'node:path';
import type { Answer } from '../answering/answer.js';
import { RAGError, throwIfAborted, toRAGError } from '../core/errors.js';
import { loadTextMeaning } from '../embedding/static/text-meaning.js';
import {
  type AnswerValues,
  answerValues,
  type GoldAnswer,
  meanValues,
} from '../evaluation/answers/answer-metrics.js';
import { readGoldAnswers } from '../evaluation/answers/gold-answers.js';
import { judgeAnswer } from '../evaluation/answers/judge.js';
import type { EvaluateOptions } from './experiment-types.js';
import type { EvaluationSession } from './session.js';
import { openEvaluation } from './session.js';

/** Which answers are measured, and by whom they are judged. */
export interface EvaluateAnswersOptions
  extends Pick<
    EvaluateOptions,
    | 'target'
    | 'questions'
    | 'split'
    | 'embedder'
    | 'rerank'
    | 'configFile'
    | 'overrides'
    | 'dataDir'
    | 'cwd'
    | 'env'
    | 'onProgress'
    | 'signal'
  > {
  /** Asks the language model of `rag.chat` for its opinion of each answer too. @default false */
  readonly judge?: boolean;
}

/** How good the answers to a data set are. */
export interface AnswersReport {
  readonly dataset: string;
  readonly questions: number;
  /** Means over the questions that have a value; see docs/answering.md. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly latencyMs: { readonly p50: number; readonly p95: number };
  /** How many answers came from whom. */
  readonly answerers: Readonly<Record<Answer['answerer'], number>>;
  readonly documents: number;
  readonly chunks: number;
  readonly notices: readonly string[];
}

interface GoldQuestion {
  readonly question: string;
  readonly gold: GoldAnswer;
}

/**
 * Measures answers through the whole engine: a data set with `answers.jsonl`, or a folder with questions whose gold quotes
 * are the answers.
 *
 * @throws RAGError `DATASET_INVALID`; `USAGE` for a judge without a language model.
 */
export async function evaluateAnswers(options: EvaluateAnswersOptions): Promise<AnswersReport> {
  const session = await openEvaluation(options);
  try {
    const judge = options.judge === true ? await openJudge(session) : undefined;
    const questions = await goldQuestions(session, options);
    const meaning = await loadTextMeaning();
    const values: AnswerValues[] = [];
    const answers: Answer[] = [];
    for (const [index, { question, gold }] of questions.entries()) {
      const answer = await session.engine.ask({
        question,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
      answers.push(answer);
      values.push({
        ...answerValues(answer, gold, meaning),
        ...(judge === undefined || answer.abstained ? {} : await judge.opinionOf(answer, options.signal)),
      });
      options.onProgress?.({ stage: 'searching', done: index + 1, total: questions.length });
    }
    const { documents, chunks } = await session.engine.status();
    return {
      dataset:
        resolve(options.cwd ?? '.', options.target)
          .split(/[/\\]/)
          .at(-1) ?? options.target,
      questions: questions.length,
      metrics: meanValues(values),
      latencyMs: latencies(answers),
      answerers: countAnswerers(answers),
      documents,
      chunks,
      notices: [...session.notices, ...(judge?.notices() ?? [])],
    };
  } finally {
    await session.close();
  }
}

interface Judge {
  /** Nothing where the model fails on this answer: one late reply does not end a long run. */
  opinionOf(answer: Answer, signal: AbortSignal | undefined): Promise<AnswerValues>;
  notices(): string[];
}

async function openJudge({ resources }: EvaluationSession): Promise<Judge> {
  const model = await resources.models.chatModel.open();
  if (model === undefined) throw new RAGError('USAGE', '--judge needs a language model: set rag.chat.model.');
  const failures: string[] = [];
  return {
    opinionOf: async (answer, signal) => {
      try {
        return await judgeAnswer(answer, model, signal);
      } catch (error) {
        throwIfAborted(signal);
        failures.push(toRAGError(error, 'CHAT_UNAVAILABLE', 'The language model failed.').message);
        return {};
      }
    },
    notices: () => {
      const [first] = failures;
      if (first === undefined) return [];
      return [
        `The judge failed on ${failures.length} answers, which the judged measures leave out. The first: ${first}`,
      ];
    },
  };
}

async function goldQuestions(
  { task }: EvaluationSession,
  { cwd = '.', target }: EvaluateAnswersOptions,
): Promise<GoldQuestion[]> {
  if (task.kind === 'questions')
    return task.questions.map(({ question, gold, alternates }) => ({
      question,
      gold: { spans: gold.length === 0 ? [] : [...gold, ...alternates].map(({ quote }) => quote) },
    }));
  const answers = await readGoldAnswers(resolve(cwd, target));
  return task.dataset.queries.flatMap(({ id, text }) => {
    const gold = answers.get(id);
    return gold === undefined ? [] : [{ question: text, gold }];
  });
}

function latencies(answers: readonly Answer[]): AnswersReport['latencyMs'] {
  const sorted = answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

function countAnswerers(answers: readonly Answer[]): AnswersReport['answerers'] {
  const count = (who: Answer['answerer']): number =>
    answers.filter(({ answerer }) => answerer === who).length;
  return { chat: count('chat'), extractive: count('extractive'), none: count('none') };
}
