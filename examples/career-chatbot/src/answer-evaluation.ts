import { type Answer, type AnswerMode, analyzeText, type Engine } from 'ragstone';
import { sourcesOf } from './chatbot.js';
import { meanOf } from './evaluation.js';
import type { CareerQuestion } from './questions.js';

/** The document's end-to-end measures, and what explains them. Means over the questions that have an answer, but for the last two. */
export interface AnswerScores {
  /** "Answer Relevance (0-10)": the author's grade of the document that is quoted; 0 where nothing is claimed. */
  readonly relevance: number;
  /** Answers that hold half or more of the words of what the author expects. */
  readonly right: number;
  /** Questions for which something is claimed. */
  readonly answered: number;
  /** Relevant documents that the context holds, as a share. */
  readonly context_recall: number;
  /** "Context Utilization": share of the context's passages that the answer cites. */
  readonly context_utilization: number;
  /** Of the questions that nothing answers: those for which nothing is claimed. */
  readonly withheld: number;
  /**
   * "User Satisfaction: implicit feedback (regeneration rate)": all questions, by a reader who asks again unless the document that is quoted
   * has a grade of 5 or more, or rightly nothing is claimed. A rule and no person.
   */
  readonly regenerated: number;
}

type Answerable = Omit<AnswerScores, 'withheld' | 'regenerated'>;

/** Asks every question in a mode. */
export async function evaluateAnswers(
  questions: readonly CareerQuestion[],
  { engine, mode }: { readonly engine: Pick<Engine, 'ask'>; readonly mode: AnswerMode },
): Promise<AnswerScores> {
  const asked: { readonly question: CareerQuestion; readonly answer: Answer }[] = [];
  for (const question of questions)
    asked.push({ question, answer: await engine.ask({ question: question.question, mode }) });
  const answerable = asked.filter(({ question }) => question.answer !== null);
  const others = asked.filter(({ question }) => question.answer === null);
  const share = (count: number, all: readonly unknown[]): number =>
    all.length === 0 ? 0 : count / all.length;
  return {
    ...meanOf<Answerable>(answerable.map(({ question, answer }) => answerScores(answer, question))),
    withheld: share(others.filter(({ answer }) => answer.abstained).length, others),
    regenerated: share(asked.filter(({ question, answer }) => isAskedAgain(answer, question)).length, asked),
  };
}

function answerScores(
  answer: Answer,
  { answer: expected, answer_quote, relevance, relevant_doc_ids }: CareerQuestion,
): Answerable {
  const documents = sourcesOf(answer).map(({ metadata }) => String(metadata.document_id));
  const cited = new Set(answer.citations.map(({ n }) => n));
  const found = relevant_doc_ids.filter((id) => documents.includes(id)).length;
  return {
    relevance: answer.abstained ? 0 : (relevance[documents[0] ?? ''] ?? 0),
    right: Number(
      !answer.abstained && [expected, answer_quote].some((text) => holdsHalf(answer.answer, text)),
    ),
    answered: Number(!answer.abstained),
    context_recall: found / relevant_doc_ids.length,
    context_utilization: answer.sources.length === 0 ? 0 : cited.size / answer.sources.length,
  };
}

/** Whether a text holds at least half of the words of another, in whatever form. */
function holdsHalf(text: string, expected: string | null): boolean {
  const words = new Set(analyzeText(expected ?? ''));
  const held = new Set(analyzeText(text));
  return words.size > 0 && [...words].filter((word) => held.has(word)).length >= words.size / 2;
}

/** A grade from which a document answers or helps to (`data/README.md`). */
const SATISFYING = 5;

function isAskedAgain(answer: Answer, question: CareerQuestion): boolean {
  if (question.answer === null) return !answer.abstained;
  return answerScores(answer, question).relevance < SATISFYING;
}
