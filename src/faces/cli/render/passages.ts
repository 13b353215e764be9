// Passages of a service are shown without loading the library.
import { analyzeQuery, analyzeText } from '../../../core/analysis/lexical-analyzer.js';
import type { LaneStatus, MorePassages, QueryReading, SearchResponse, SearchResult } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderCorrection } from './correction.js';
import { degradationOf, renderStatic } from './degradation.js';
import { renderPlace } from './place.js';
import { shortExplanation, wholeExplanation } from './score-explanation.js';
import { shownPages } from './shown-pages.js';
import { bestSnippet, type Snippet } from './snippet.js';
import { renderStages } from './stages.js';
import { renderTable } from './table.js';
import { formatDuration, oneLine, plural, withoutTabs } from './text.js';

interface PassageOptions {
  readonly context: CliContext;
  /** Show every part of each score, and how each lane did. */
  readonly explain: boolean;
}

const SNIPPET_LENGTH = 320;
const INDENT = '   ';

/** Ranked passages: title, how well each matches, place, headings, marked snippet and why. */
export function renderPassages(response: SearchResponse, options: PassageOptions): string {
  const { context, explain } = options;
  const { correction } = response;
  const terms = new Set(analyzeQuery(correction?.searchedFor ?? response.query).terms);
  const passages = response.results.map((result, index) => renderPassage(result, index + 1, terms, options));
  const said = renderStatic(response.staticResponses ?? []);
  const isBelow = response.noticeKinds.includes('below-threshold');
  const nothing =
    said.length > 0 ? said : [isBelow ? 'Nothing reaches the threshold.' : 'Nothing was found.'];
  const found = passages.length > 0 ? passages : nothing;
  const isWeak = passages.length > 0 && response.results.every(({ match }) => match === 'weak');
  const parts = [...renderCorrection(correction, context), ...(isWeak ? [ONLY_WEAK] : []), ...found];
  if (explain)
    parts.push(
      ...renderReading(response.understanding),
      renderLanes(response.lanes, context),
      context.colours.dim(renderStages(response.stages)),
    );
  parts.push(context.colours.dim(summaryOf(response)));
  return parts.join('\n\n');
}

const ONLY_WEAK = 'Only weak matches: the passages may not tell of this.';

const UNREAD = 'not all candidates were read in time: the same search may order them better';

function summaryOf(response: SearchResponse): string {
  const { results, tookMs } = response;
  const found = `${plural(results.length, 'result')} in ${formatDuration(tookMs)}`;
  const isRead = response.lanes.every(({ unfinished }) => unfinished !== true);
  return [found, ...degradationOf(response), ...planOf(response), ...(isRead ? [] : [UNREAD])].join(', ');
}

/** What was left out for a deadline or a limit of costs, whether that helped, and what was spent. */
function planOf({ plan }: SearchResponse): string[] {
  if (plan === undefined) return [];
  const { leftOut, deadlineMs, isInTime, maxCost, cost = 0 } = plan;
  const limits = [
    ...(deadlineMs === undefined ? [] : [`${deadlineMs} ms`]),
    ...(maxCost === undefined ? [] : [`$${maxCost}`]),
  ].join(' and ');
  return [
    ...(leftOut.length === 0 ? [] : [`for ${limits} without ${leftOut.join(', ')}`]),
    ...(isInTime === false ? [`later than the ${deadlineMs} ms that were given`] : []),
    ...(maxCost === undefined ? [] : [`for about $${Number(cost.toPrecision(3))}`]),
  ];
}

function renderPassage(
  result: SearchResult,
  rank: number,
  terms: ReadonlySet<string>,
  { context, explain }: PassageOptions,
): string {
  const { colours } = context;
  const { title, headingPath, url } = result.metadata;
  const snippet = bestSnippet(result.content, { terms, termsOf: analyzeText, maxLength: SNIPPET_LENGTH });
  const lines = [
    `${colours.dim(`${rank}.`)} ${colours.bold(oneLine(title ?? result.metadata.source))}  ${matchOf(result, { context, explain })}`,
    INDENT + colours.cyan(placeOf(result, snippet, context)),
  ];
  if (url !== undefined) lines.push(INDENT + colours.dim(oneLine(url)));
  if (headingPath.length > 0) lines.push(INDENT + colours.dim(headingPath.map(oneLine).join(' > ')));
  lines.push(renderSnippet(snippet, context));
  if (result.more !== undefined) lines.push(INDENT + colours.dim(moreOf(result.more)));
  if (result.explanation !== undefined) {
    const why = explain ? wholeExplanation(result.explanation) : [shortExplanation(result.explanation)];
    lines.push(...why.map((line) => INDENT + colours.dim(line)));
  }
  return lines.join('\n');
}

function moreOf({ passages, copies, alike = 0 }: MorePassages): string {
  const found = `${passages} more ${passages === 1 ? 'passage' : 'passages'} of this document`;
  const copied = copies === 0 ? found : `${found} and ${copies === 1 ? 'a copy' : `${copies} copies`} of it`;
  if (alike === 0) return copied;
  return passages === 0 ? `and ${alike} like it` : `${copied}, and ${alike} like it`;
}

const COLOURS = { strong: 'green', possible: 'yellow', weak: 'dim' } as const;

/** A word for people, figures for who wants to know. */
function matchOf(
  { match, score, probability, movedBy }: SearchResult,
  { context, explain }: PassageOptions,
): string {
  const word = context.colours[COLOURS[match]](match);
  const figures = explain ? ` ${score.toFixed(3)}, probability ${probability.toFixed(3)}` : '';
  return word + figures + (movedBy === undefined ? '' : ', moved for variety');
}

function placeOf(result: SearchResult, snippet: Snippet, context: CliContext): string {
  const { origin, metadata } = result;
  const { start, end } = metadata.lines;
  const lines = start === end ? `${start}` : `${start}-${end}`;
  return renderPlace({ id: metadata.source, origin, lines, pages: shownPages(result, snippet) }, context);
}

function renderSnippet(snippet: Snippet, { colours }: CliContext): string {
  let marked = '';
  let at = 0;
  for (const { start, end } of snippet.matches) {
    marked += withoutTabs(snippet.text.slice(at, start));
    marked += colours.bold(colours.yellow(withoutTabs(snippet.text.slice(start, end))));
    at = end;
  }
  marked += withoutTabs(snippet.text.slice(at));
  const whole = `${snippet.isCutBefore ? '… ' : ''}${marked.trim()}${snippet.isCutAfter ? ' …' : ''}`;
  return whole
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => INDENT + line.trimEnd())
    .join('\n');
}

function renderReading(reading: QueryReading | undefined): string[] {
  if (reading === undefined) return [];
  const { intent, keywords, parts = [], expansions } = reading;
  const added = expansions.map(
    ({ kind, text, reason }) => `${INDENT}+ ${oneLine(text)} (${kind}): ${oneLine(reason)}`,
  );
  const asked = parts.map((part) => `${INDENT}? ${oneLine(part)}`);
  return [[`Query read as ${intent}: ${keywords.map(oneLine).join(', ')}`, ...asked, ...added].join('\n')];
}

function renderLanes(lanes: readonly LaneStatus[], context: CliContext): string {
  return renderTable(
    ['lane', 'status', 'candidates', 'weight', 'time', ''],
    lanes.map(({ lane, status, candidates, weight, tookMs, reason }) => [
      lane,
      status,
      candidates,
      weight?.toFixed(2) ?? '',
      formatDuration(tookMs),
      reason ?? '',
    ]),
    { context, numeric: [2, 3, 4] },
  );
}
