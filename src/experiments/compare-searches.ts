import { compareScores, type ScoreComparison } from '../evaluation/compare-scores.js';
import type { QueryScores } from '../evaluation/query-scores.js';
import { isAnswerable, type Question } from '../evaluation/question-set.js';
import { scoreQuestion } from '../evaluation/score-questions.js';
import type { EngineView, SearchQuery, SearchResult } from '../operations/engine.js';

/** How one side searches; what is left out is as the index is set. */
export type SearchSettings = NonNullable<SearchQuery['options']>;

/** A question that both sides are asked; one with gold quotes counts for the scores. */
export interface AskedQuestion extends Pick<Question, 'id' | 'question'> {
  /** @default 'single': one gold quote is enough */
  readonly type?: string | undefined;
  readonly gold?: Question['gold'] | undefined;
  readonly alternates?: Question['alternates'] | undefined;
}

/** What is asked, and how either side searches. */
export interface CompareSearchesRequest extends Pick<SearchQuery, 'filters' | 'filter' | 'signal'> {
  readonly questions: readonly AskedQuestion[];
  readonly a: SearchSettings;
  readonly b: SearchSettings;
}

/** What one side found. */
export interface ComparedSide {
  readonly results: readonly SearchResult[];
  /** Milliseconds. */
  readonly tookMs: number;
  readonly notices: readonly string[];
}

/** A passage whose rank differs. */
export interface RankMove {
  /** Of the chunk. */
  readonly id: string;
  /** From 1; absent where only `b` shows it. */
  readonly from?: number;
  /** From 1; absent where only `a` shows it. */
  readonly to?: number;
}

/** A question and what both sides found. */
export interface ComparedSearch {
  readonly id: string;
  readonly question: string;
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  /** Gained and moved ones by their rank in `b`, then lost ones. */
  readonly moves: readonly RankMove[];
}

/** Two ways of searching one index, question by question. */
export interface SearchComparison {
  readonly searches: readonly ComparedSearch[];
  /** Of the questions with gold quotes: means, paired tests, and each question that changed; absent where there is none. */
  readonly scores?: Pick<ScoreComparison, 'metrics' | 'changes'>;
}

const CUTOFFS = [1, 5, 10];

/**
 * Asks an index the same questions in two ways. Unlike `compareConfigurations` nothing is indexed: both search what the view sees, so that
 * settings of a search are compared and not those of the index.
 *
 * @throws RAGError what a search throws, `ABORTED`
 */
export async function compareSearches(
  view: Pick<EngineView, 'search'>,
  { questions, a, b, ...asked }: CompareSearchesRequest,
): Promise<SearchComparison> {
  const searches: ComparedSearch[] = [];
  for (const { id, question } of questions) {
    asked.signal?.throwIfAborted();
    const ofA = await sideOf(view, { ...asked, text: question, options: a });
    const ofB = await sideOf(view, { ...asked, text: question, options: b });
    searches.push({ id, question, a: ofA, b: ofB, moves: movesBetween(ofA.results, ofB.results) });
  }
  const judged = questions.flatMap((question, at) => {
    const { type = 'single', gold = [], alternates = [] } = question;
    const search = searches[at];
    return search !== undefined && isAnswerable({ gold })
      ? [{ search, question: { ...question, type, gold, alternates } }]
      : [];
  });
  if (judged.length === 0) return { searches };
  const scoresOf = (side: 'a' | 'b'): QueryScores => {
    const scored = judged.map(({ search, question }) =>
      scoreQuestion(
        question,
        search[side].results.map(({ content, metadata }) => ({ path: metadata.source, content })),
        CUTOFFS,
      ),
    );
    return {
      queries: judged.map(({ question: { id, question } }) => ({ id, text: question })),
      values: Object.fromEntries(
        (['hit', 'file'] as const).flatMap((kind) =>
          CUTOFFS.map((k) => [`${kind}@${k}`, scored.map((score) => score[kind][k] ?? 0)] as const),
        ),
      ),
    };
  };
  const { metrics, changes } = compareScores(scoresOf('a'), scoresOf('b'));
  return { searches, scores: { metrics, changes } };
}

async function sideOf(view: Pick<EngineView, 'search'>, query: SearchQuery): Promise<ComparedSide> {
  const { results, tookMs, notices } = await view.search(query);
  return { results, tookMs, notices };
}

function movesBetween(a: readonly SearchResult[], b: readonly SearchResult[]): RankMove[] {
  const ranksOf = (results: readonly SearchResult[]) => new Map(results.map(({ id }, at) => [id, at + 1]));
  const [before, after] = [ranksOf(a), ranksOf(b)];
  const lost = [...before].flatMap(([id, from]) => (after.has(id) ? [] : [{ id, from }]));
  const others = [...after].flatMap(([id, to]) => {
    const from = before.get(id);
    if (from === to) return [];
    return [from === undefined ? { id, to } : { id, from, to }];
  });
  return [...others, ...lost];
}
