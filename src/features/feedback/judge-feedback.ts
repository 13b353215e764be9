import { slicesOf } from '../../core/slices.js';
import type { GradedQuestion } from '../../evaluation/question-set.js';
import type { ScopedIndex } from '../../indexing/scoped-index.js';
import type { FeedbackJudgments, FeedbackJudgmentsRequest } from '../../operations/feedback-judgments.js';
import { FIELDS } from '../../operations/fields.js';
import { scopeCollection } from '../../stores/scoped-collection.js';
import type { FeedbackLog } from './feedback-log.js';
import { clicksByItem } from './judging/choice-model.js';
import { examinationOf, type GradedPassage, gradedPassages } from './judging/graded-passages.js';
import { type ObservedQuestion, ObservedQuestions } from './judging/observed-questions.js';

/** Passages that are read in one call. */
const PAGE = 500;
/** Type of the questions, as evaluations report them. */
const TYPE = 'feedback';

/**
 * Makes questions with graded passages of feedback. Clicks count by how likely their place was looked at, and verdicts outrank them; see
 * `fitExamination` and `gradedPassages`. Passages are those that the scope may read now.
 */
export async function judgeFeedback(
  { source, folder, minClicks = FIELDS.feedbackJudgments.minClicks.preset, signal }: FeedbackJudgmentsRequest,
  index: ScopedIndex | undefined,
  feedback: ReturnType<FeedbackLog['read']>,
): Promise<FeedbackJudgments> {
  const { questions: observed, counts } = await observe(feedback, signal);
  const examination = examinationOf(observed);
  const graded = observed.map((question) => ({
    question,
    passages: gradedPassages(question, examination, { minClicks }),
  }));
  const judged = graded.flatMap(({ question, passages }) =>
    passages === undefined ? [] : [{ question, passages }],
  );
  const relevant = judged.flatMap(({ passages }) => passages.filter(({ grade }) => grade > 0));
  const texts = await readPassages(relevant, { index, source, folder, signal });
  const questions = judged.flatMap(({ question, passages }) => questionOf(question, passages, texts) ?? []);
  const gone = new Set(relevant.flatMap(({ chunkId }) => (texts.has(chunkId) ? [] : [chunkId]))).size;
  const tooFew = graded.length - judged.length;
  const all = { ...counts, questions: observed.length, tooFew, gone };
  return { questions, examination, counts: all, notices: noticesOf(all, examination, minClicks) };
}

type ReadCounts = Omit<FeedbackJudgments['counts'], 'questions' | 'tooFew' | 'gone'>;

async function observe(
  feedback: ReturnType<FeedbackLog['read']>,
  signal: AbortSignal | undefined,
): Promise<{ readonly questions: ObservedQuestion[]; readonly counts: ReadCounts }> {
  const observed = new ObservedQuestions();
  const lines = { events: 0, unreadable: 0, withheld: 0 };
  for await (const read of feedback) {
    signal?.throwIfAborted();
    if (read.state !== 'read') {
      lines[read.state]++;
      continue;
    }
    lines.events++;
    observed.add(read.event);
  }
  const questions = [...observed];
  const sumOf = (of: (question: ObservedQuestion) => number): number =>
    questions.reduce((sum, question) => sum + of(question), 0);
  const counts = {
    ...lines,
    repeats: observed.repeats,
    clicks: sumOf((question) => clicksByItem(question).reduce((sum, clicks) => sum + clicks, 0)),
    verdicts: sumOf(({ passages }) =>
      passages.reduce((sum, { relevant, notRelevant }) => sum + relevant + notRelevant, 0),
    ),
    onTheWhole: sumOf(({ onTheWhole }) => onTheWhole),
  };
  return { questions, counts };
}

interface PassageText {
  readonly path: string;
  readonly quote: string;
}

interface PassagesWanted extends Pick<FeedbackJudgmentsRequest, 'source' | 'folder' | 'signal'> {
  readonly index: ScopedIndex | undefined;
}

async function readPassages(
  passages: readonly GradedPassage[],
  { index, source, folder, signal }: PassagesWanted,
): Promise<ReadonlyMap<string, PassageText>> {
  const texts = new Map<string, PassageText>();
  if (index === undefined) return texts;
  const scoped = scopeCollection(index.collection, index.scope, index.sealing);
  const ids = [...new Set(passages.map(({ chunkId }) => chunkId))];
  for (const page of slicesOf(ids, PAGE)) {
    for (const chunk of await scoped.get(page, signal === undefined ? {} : { signal })) {
      const path = pathWithin(String(chunk.metadata.source), folder);
      const isWanted = (source === undefined || chunk.source === source) && /\S/.test(chunk.content);
      if (isWanted && path !== undefined) texts.set(chunk.id, { path, quote: chunk.content });
    }
  }
  return texts;
}

/** A path from a folder on; undefined for what is elsewhere. */
function pathWithin(path: string, folder: string | undefined): string | undefined {
  if (folder === undefined) return path;
  const start = `${folder.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '')}/`;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

/** A question whose best passages are its gold, and whose others answer it as well, less so. */
function questionOf(
  { id, text }: ObservedQuestion,
  passages: readonly GradedPassage[],
  texts: ReadonlyMap<string, PassageText>,
): GradedQuestion | undefined {
  const quotes = passages
    .flatMap(({ chunkId, grade }) => {
      const read = grade === 0 ? undefined : texts.get(chunkId);
      return read === undefined ? [] : [{ ...read, grade }];
    })
    .sort((a, b) => b.grade - a.grade);
  const best = quotes[0]?.grade;
  if (best === undefined) return undefined;
  return {
    id,
    question: text,
    type: TYPE,
    gold: quotes.filter(({ grade }) => grade === best),
    alternates: quotes.filter(({ grade }) => grade < best),
  };
}

function noticesOf(
  { tooFew, gone, unreadable, withheld, clicks }: FeedbackJudgments['counts'],
  { from, tellingClicks, needed }: FeedbackJudgments['examination'],
  minClicks: number,
): string[] {
  return [
    ...(from === 'prior' && clicks > 0
      ? [
          `How likely people look at each rank is taken as 1 / rank: ${tellingClicks} clicks tell it here and ${needed} are needed. Only questions tell whose passages were shown at several ranks.`,
        ]
      : []),
    ...(tooFew > 0
      ? [
          `${tooFew === 1 ? '1 question has' : `${tooFew} questions have`} fewer than ${minClicks} clicks and no verdict.`,
        ]
      : []),
    ...(gone > 0
      ? [
          `${gone} passages that people called relevant are not in what is judged: changed, deleted, of another source or folder, or not for this scope.`,
        ]
      : []),
    ...(unreadable > 0 ? [`${unreadable} lines of feedback cannot be read.`] : []),
    ...(withheld > 0 ? [`${withheld} events were given by people with other rights and are left out.`] : []),
  ];
}
