import { type Command, InvalidArgumentError } from 'commander';
import { RAGError } from '../../../core/errors.js';
import type {
  EngineView,
  FeedbackEvent,
  FeedbackJudgments,
  FeedbackPage,
  FeedbackRequest,
  SearchResult,
} from '../../../index.js';
import { FIELDS } from '../../../operations/fields.js';
import type { CliContext } from '../context.js';
import { choiceOption, countOption } from '../field-options.js';
import { withTenantView } from '../open-engine.js';
import { collect, wholeNumber } from '../parse-options.js';
import { renderTable } from '../render/table.js';
import { formatTime, oneLine, plural } from '../render/text.js';
import { type ScopeOptions, withScopeOptions } from '../scope-options.js';

interface AddOptions extends ScopeOptions, Pick<FeedbackRequest, 'answer' | 'comment'> {
  readonly clicked?: readonly string[];
  readonly relevant?: readonly string[];
  readonly notRelevant?: readonly string[];
  readonly topK?: number;
}

interface ListOptions extends ScopeOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

interface JudgmentsOptions extends ScopeOptions {
  readonly out?: string;
  readonly source?: string;
  readonly folder?: string;
  readonly minClicks?: number;
}

const EXAMPLES = `
Examples:
  $ ragstone feedback add "how long are audit logs kept" --clicked 2
  $ ragstone feedback add "how long are audit logs kept" --relevant audit.md --not-relevant 1
  $ ragstone feedback list --json
  $ ragstone feedback judgments --folder docs --out judged.jsonl
  $ ragstone eval docs --questions judged.jsonl

Feedback is off unless rag.feedback.enabled is true: the questions of people are personal data.`;

/** `ragstone feedback add|list|judgments` */
export function registerFeedback(program: Command, context: CliContext): void {
  const feedback = program
    .command('feedback')
    .description('what people opened of what they were shown, and which passages that makes relevant')
    .addHelpText('after', EXAMPLES);
  const add = feedback
    .command('add')
    .description('search once more, and keep what was opened of the results or is to be said of them')
    .argument('<query>', 'as it was asked')
    .option('--clicked <place>', `that was opened: ${PLACES}`, collect)
    .option('--relevant <place>', `that is relevant: ${PLACES}`, collect)
    .option('--not-relevant <place>', `that is not: ${PLACES}`, collect)
    .addOption(choiceOption('--answer <verdict>', 'what is to be said of the answer', FIELDS.feedback.answer))
    .option('--comment <text>', 'why')
    .option('--top-k <n>', 'results that were shown (default: those of a search)', wholeNumber(1));
  withScopeOptions(add)
    .addHelpText('after', EXAMPLES)
    .action((query: string, options: AddOptions) => runAdd(context, query, options));
  const list = feedback
    .command('list')
    .description('list feedback in the order in which it came')
    .addOption(countOption('--limit <n>', 'how much of it', FIELDS.listFeedback.limit))
    .option('--cursor <cursor>', 'where the page before ended', parseCursor);
  withScopeOptions(list)
    .addHelpText('after', EXAMPLES)
    .action((options: ListOptions) => runList(context, options));
  const judgments = feedback
    .command('judgments')
    .description('make questions with graded passages of it, for "eval" and "tune"')
    .option('--out <file>', 'write the questions there, one JSON object a line')
    .option('--source <name>', 'judge passages of this source alone')
    .option('--folder <path>', 'the folder that is to be evaluated: paths of questions begin there')
    .addOption(
      countOption(
        '--min-clicks <n>',
        'clicks that a question needs without a verdict',
        FIELDS.feedbackJudgments.minClicks,
      ),
    );
  withScopeOptions(judgments)
    .addHelpText('after', EXAMPLES)
    .action((options: JudgmentsOptions) => runJudgments(context, options));
}

const PLACES = 'a rank, the id of a result, or the path of its document; may be repeated';

function parseCursor(text: string): string {
  if (/^\d{1,15}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the cursor of an earlier page.');
}

async function runAdd(
  context: CliContext,
  query: string,
  { clicked, relevant, notRelevant, answer, comment, topK, ...scope }: AddOptions,
): Promise<void> {
  const { receipt, shown } = await withTenantView(context, scope, async (view) => {
    const results = await shownAgain(view, { query, topK, context });
    const ranks = ranksIn(results);
    const request: FeedbackRequest = {
      query,
      kind: answer === undefined ? 'search' : 'answer',
      shown: results.map(({ id }) => id),
      clicked: clicked?.map(ranks),
      relevant: relevant?.map(ranks),
      notRelevant: notRelevant?.map(ranks),
      answer,
      comment,
      signal: context.signal,
    };
    return { receipt: await view.feedback(request), shown: results.length };
  });
  context.printNotices(receipt);
  context.printResult(
    { ...receipt, shown },
    () => `Kept as ${receipt.id}, with the ${shown} results that a search finds now.`,
  );
}

interface ShownSearch {
  readonly query: string;
  readonly topK: number | undefined;
  readonly context: CliContext;
}

async function shownAgain(
  view: EngineView,
  { query, topK, context }: ShownSearch,
): Promise<readonly SearchResult[]> {
  // Without permission to write, nothing waits for a search.
  await view.listFeedback({ limit: 1 });
  const { results } = await view.search({
    text: query,
    signal: context.signal,
    ...(topK === undefined ? {} : { options: { topK } }),
  });
  return results;
}

/** How places are named: the rank of one, by itself, its id, or what it is of. */
function ranksIn(results: readonly SearchResult[]): (place: string) => number {
  return (place) => {
    if (/^\d{1,4}$/.test(place)) return Number(place);
    const at = results.findIndex(
      ({ id, metadata }) => id === place || metadata.documentId === place || metadata.source === place,
    );
    if (at >= 0) return at + 1;
    throw new RAGError(
      'FEEDBACK_UNKNOWN',
      `None of the ${results.length} results is "${place}". State its rank, the id of the result, or the path of its document as "ragstone search" shows it; --top-k shows more.`,
    );
  };
}

async function runList(context: CliContext, { limit, cursor, ...scope }: ListOptions): Promise<void> {
  const page = await withTenantView(context, scope, (view) => view.listFeedback({ limit, cursor }));
  context.printResult(page, renderFeedback);
}

async function runJudgments(
  context: CliContext,
  { out, source, folder, minClicks, ...scope }: JudgmentsOptions,
): Promise<void> {
  const { signal } = context;
  const judgments = await withTenantView(context, scope, (view) =>
    view.feedbackJudgments({ source, folder, minClicks, signal }),
  );
  context.printNotices(judgments);
  if (out !== undefined) await writeQuestions(context, judgments, out);
  context.printResult({ ...judgments, ...(out === undefined ? {} : { out }) }, () =>
    renderJudgments(judgments, context),
  );
  if (out !== undefined) context.note(`The questions are in ${out}.`);
}

/** Writes the file for the user of this process alone: it holds questions and passages of the index. */
async function writeQuestions(
  { cwd }: CliContext,
  { questions }: FeedbackJudgments,
  out: string,
): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  const { resolve } = await import('node:path');
  const { formatQuestionSet } = await import('../../../index.js');
  await writeFile(resolve(cwd, out), formatQuestionSet(questions), { mode: 0o600 });
}

const QUERY_LENGTH = 60;
/** Ranks whose examination is shown. */
const SHOWN_RANKS = 10;

/** Feedback, a line each: when, what was asked, what was shown, what was said. */
function renderFeedback(page: FeedbackPage, context: CliContext): string {
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
function renderJudgments(judgments: FeedbackJudgments, context: CliContext): string {
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
