import type {
  CallEstimate,
  EntityReport,
  ExtractionEstimate,
  ExtractionFailure,
  ExtractionResult,
  ExtractionSpent,
  ExtractionStop,
  FactPlace,
  FactStatus,
  SummarizeResult,
  SummaryPage,
} from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { formatCount, formatDuration, oneLine, plural } from './text.js';

/** What reading would take, before anything is sent. */
export function renderEstimate(estimate: ExtractionEstimate): string {
  const { model, documents, chunks, read, readByOthers, skipped, givenUp, extraction, summaries } = estimate;
  const known = [
    `${formatCount(read)} read already`,
    ...(readByOthers === 0
      ? []
      : [`${formatCount(readByOthers)} of them by another model or prompt (--renew)`]),
    ...(skipped === 0 ? [] : [`${formatCount(skipped)} too short to be read`]),
    ...(givenUp === 0 ? [] : [`${formatCount(givenUp)} failed too often (--retry-failed)`]),
  ];
  return [
    `${plural(chunks, 'chunk')} of ${plural(documents, 'document')}: ${known.join(', ')}.`,
    `Extraction${model === undefined ? '' : ` with ${oneLine(model)}`}: ${describeCalls(extraction)}.`,
    `Summaries of what was read until now: ${describeCalls(summaries)}.`,
    'Nothing was sent.',
  ].join('\n');
}

function describeCalls({ calls, inputTokens, outputTokens, outputBasis, cost, ms }: CallEstimate): string {
  if (calls === 0) return 'no calls';
  const basis = outputBasis === 'measured' ? 'as measured' : 'assumed';
  const time = ms === undefined ? '' : `, about ${formatDuration(ms)}`;
  return `${plural(calls, 'call')}, at most ${formatCount(inputTokens)} tokens in, about ${formatCount(outputTokens)} out (${basis}), ${money(cost)}${time}`;
}

const money = (cost: number | undefined): string =>
  cost === undefined ? 'price unknown (rag.chat.price)' : `$${cost.toFixed(4)}`;

/** What was read, what it cost, and what is left. */
export function renderExtraction(result: ExtractionResult, context: CliContext): string {
  const { model, read, reused, failed, skipped, left, entities, relations, refused, spent } = result;
  const others = [
    ...(reused === 0 ? [] : [`${formatCount(reused)} known from the same text`]),
    ...(skipped === 0 ? [] : [`${formatCount(skipped)} too short`]),
    ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
  ];
  return [
    `${plural(read, 'chunk')} read with ${oneLine(model)}${others.map((part) => `, ${part}`).join('')}.`,
    `${plural(entities, 'entity', 'entities')} and ${plural(relations, 'relation')} kept; ${formatCount(refused)} refused that the text does not bear out.`,
    describeSpent(spent, result.tookMs),
    ...describeEnd(result.stopped, left, 'chunk'),
    ...renderFailures(result.failures, context),
  ].join('\n');
}

/** What was summarised, or would be. */
export function renderSummarizing(result: SummarizeResult, context: CliContext): string {
  const { model, communities, written, unchanged, removed, failed, alone, audiences, estimate } = result;
  const head = `${plural(communities, 'group')} of entities hang together, in ${plural(audiences, 'set')} of documents with the same readers; ${formatCount(alone)} entities are in none.`;
  if (estimate !== undefined)
    return `${head}\nSummaries with ${oneLine(model)}: ${describeCalls(estimate)}.\nNothing was sent.`;
  const { dim } = context.colours;
  return [
    head,
    `${formatCount(written)} summarised with ${oneLine(model)}, ${formatCount(unchanged)} unchanged, ${formatCount(removed)} removed${failed === 0 ? '' : `, ${formatCount(failed)} failed`}.`,
    describeSpent(result.spent, result.tookMs),
    ...describeEnd(result.stopped, result.left, 'group'),
    dim(`Show them: ${context.command} graph summaries`),
  ].join('\n');
}

const describeSpent = ({ calls, inputTokens, outputTokens, cost }: ExtractionSpent, ms: number): string =>
  `${plural(calls, 'call')}: ${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out, ${money(cost)}, ${formatDuration(ms)}.`;

const REASONS: Readonly<Record<ExtractionStop, string>> = {
  maxCost: 'the next call would pass --max-cost',
  maxTokens: 'the next call would pass --max-tokens',
  deadlineMs: 'the time is over',
  model: 'the language model cannot be asked',
};

function describeEnd(stopped: ExtractionStop | undefined, left: number, what: string): string[] {
  if (stopped !== undefined)
    return [`Stopped: ${REASONS[stopped]}. ${plural(left, what)} left; the same command goes on.`];
  return left === 0 ? [] : [`${plural(left, what)} left; the same command goes on.`];
}

function renderFailures(failures: readonly ExtractionFailure[], context: CliContext): string[] {
  if (failures.length === 0) return [];
  const rows = failures.map(({ externalId, attempts, problem }) => [
    oneLine(externalId),
    `${attempts}`,
    oneLine(problem),
  ]);
  return ['', renderTable(['failed in', 'attempts', 'the answer'], rows, { context, numeric: [1] })];
}

/** What was read of the documents. */
export function renderFactStatus(status: FactStatus, context: CliContext): string {
  const { documents, chunks, read, readByOthers, unread, failed, entities, relations, refused } = status;
  const models = Object.entries(status.models).map(
    ([model, count]) => `${oneLine(model)} (${plural(count, 'chunk')})`,
  );
  return [
    `${plural(chunks, 'chunk')} of ${plural(documents, 'document')}: ${formatCount(read)} read, ${formatCount(unread)} not read, ${formatCount(failed)} failed.`,
    ...(models.length === 0 ? [] : [`Read by ${models.join(', ')}.`]),
    ...(readByOthers === 0
      ? []
      : [`${formatCount(readByOthers)} by another model or prompt than now (graph extract --renew).`]),
    `${plural(entities, 'entity', 'entities')}, ${plural(relations, 'relation')}, ${plural(status.summaries, 'summary', 'summaries')}; ${formatCount(refused)} refused.`,
    `${formatCount(status.inputTokens)} tokens in, ${formatCount(status.outputTokens)} out.`,
    ...renderFailures(status.failures, context),
  ].join('\n');
}

export function renderSummaries({ summaries, cursor }: SummaryPage, context: CliContext): string {
  const { bold, dim } = context.colours;
  if (summaries.length === 0) return 'There is no summary that may be read.';
  const shown = summaries.map(({ title, sentences, entities }) =>
    [
      bold(oneLine(title)),
      ...sentences.map(({ text, documents }) => `${oneLine(text)} ${dim(`[${placesOf(documents)}]`)}`),
      dim(oneLine(entities.join(', '))),
    ].join('\n'),
  );
  return [...shown, ...(cursor === undefined ? [] : [dim(`More: --cursor ${cursor}`)])].join('\n\n');
}

const placesOf = (places: readonly FactPlace[]): string =>
  places.map(({ externalId }) => oneLine(externalId)).join(', ');

export function renderEntity(name: string, report: EntityReport | undefined, context: CliContext): string {
  const { bold, dim } = context.colours;
  if (report === undefined) return `No document that may be read names "${oneLine(name)}".`;
  const { names, types, mentions, relations, isCut } = report;
  const [first = name, ...others] = names;
  return [
    `${bold(oneLine(first))} ${dim(`(${types.map(oneLine).join(', ')})`)}${others.length === 0 ? '' : `  also ${others.map(oneLine).join(', ')}`}`,
    ...mentions.map(
      ({ externalId, description, evidence }) =>
        `${oneLine(externalId)}: ${oneLine(description)}\n  ${dim(oneLine(evidence))}`,
    ),
    ...relations.map(
      ({ from, label, to, evidence, externalId }) =>
        `${oneLine(from)} ${oneLine(label)} ${oneLine(to)}  ${dim(`"${oneLine(evidence)}" (${oneLine(externalId)})`)}`,
    ),
    ...(isCut ? [dim('More documents name it.')] : []),
  ].join('\n');
}
