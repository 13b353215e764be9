import type { FeedbackEvent, FeedbackJudgments, FeedbackPage } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { formatTime, oneLine, plural } from './text.js';

const QUERY_LENGTH = 60;
/** Ranks whose examination is shown. */
const SHOWN_RANKS = 10;

/** Feedback, a line each: when, what was asked, what was shown, what was said. */
export function renderFeedback(page: FeedbackPage, context: CliContext): string {
  const { feedback, unreadable, withheld, cursor } = page;
  const left = [
    ...(withheld > 0
      ? [`${withheld} of people with other rights ${withheld === 1 ? 'is' : 'are'} not shown.`]
      : []),
    ...(unreadable > 0 ? [`${plural(unreadable, 'line')} cannot be read.`] : []),
    ...(cursor === undefined ? [] : [`There is more: --cursor ${cursor}`]),
  ];
  if (feedback.length === 0) return ['There is no feedback.', ...left].join('\n');
  const rows = feedback.map((event) => [
    formatTime(event.at),
    oneLine(event.question).slice(0, QUERY_LENGTH),
    event.places.length,
    saidIn(event),
  ]);
  return [renderTable(['time', 'question', 'shown', 'said'], rows, { context, numeric: [2] }), ...left].join(
    '\n\n',
  );
}

function saidIn({ clicked, relevant, notRelevant, answer, helpful, rank, comment }: FeedbackEvent): string {
  const ranks = (what: string, places: readonly number[] = []) =>
    places.length === 0 ? [] : [`${what} ${places.join(', ')}`];
  const place = rank === undefined ? '' : ` ${rank}`;
  return [
    ...(clicked?.length === 0 ? ['nothing opened'] : ranks('opened', clicked)),
    ...ranks('relevant', relevant),
    ...ranks('not relevant', notRelevant),
    ...(answer === undefined ? [] : [`answer ${answer}`]),
    ...(helpful === undefined ? [] : [`${helpful ? 'helpful' : 'not helpful'}${place}`]),
    ...(comment === undefined ? [] : [`"${oneLine(comment).slice(0, QUERY_LENGTH)}"`]),
  ].join('; ');
}

/** What feedback makes of passages, and what that rests on. */
export function renderJudgments(judgments: FeedbackJudgments, context: CliContext): string {
  const { questions, examination, counts } = judgments;
  const { bold, dim } = context.colours;
  const quotes = questions.flatMap(({ gold, alternates }) => [...gold, ...alternates]);
  const looked = examination.byRank.slice(0, SHOWN_RANKS).map((value) => value.toFixed(2));
  const rows = questions.map(({ question, gold, alternates }) => [
    oneLine(question).slice(0, QUERY_LENGTH),
    [...gold, ...alternates].map(({ path, grade }) => `${oneLine(path)} (${grade})`).join(', '),
  ]);
  return [
    `${bold(plural(questions.length, 'question'))} with ${plural(quotes.length, 'passage')}, of ${plural(counts.events, 'event')}${repeated(counts)}: ${plural(counts.clicks, 'click')} and ${plural(counts.verdicts, 'verdict')} on passages`,
    dim(
      `Looked at, by rank: ${looked.join(' ')} (${examination.from === 'log' ? 'found in the clicks' : 'assumed: 1 / rank'})`,
    ),
    ...(rows.length === 0 ? [] : [renderTable(['question', 'passages (grade)'], rows, { context })]),
  ].join('\n\n');
}

const repeated = ({ repeats }: FeedbackJudgments['counts']): string =>
  repeats === 0 ? '' : ` (${repeats} on requests that were spoken of before)`;
