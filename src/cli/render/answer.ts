import type { CliContext } from '../context.js';
import type { ShownAnswer } from '../index-view.js';
import { renderCorrection } from './correction.js';
import { renderPlace } from './place.js';
import { formatDuration, oneLine, plural, withoutTabs } from './text.js';

type AnswerSource = ShownAnswer['sources'][number];
type Citation = ShownAnswer['citations'][number];
type FurtherPlace = ShownAnswer['further'][number];

const INDENT = '   ';
const QUOTE_LENGTH = 240;

/**
 * An answer for a terminal: the text, its sources as `path:line` that a terminal can open, and how sure it is. Without an answer
 * that is said on the first line.
 */
export function renderAnswer(answer: ShownAnswer, context: CliContext): string {
  const correction = renderCorrection(answer.correction, context);
  const sections =
    answer.outcome === 'answer'
      ? [...correction, ...answered(answer, context)]
      : [withheld(answer, context), ...correction, ...nearestPlaces(answer, context)];
  return [...sections, context.colours.dim(summaryOf(answer))].join('\n\n');
}

function answered(answer: ShownAnswer, context: CliContext): string[] {
  const { colours } = context;
  const { highlight } = answer;
  const text = withoutTabs(answer.answer);
  const shown = highlight === undefined ? text : emphasised(text, withoutTabs(highlight), colours.bold);
  // The text of an extracted answer is the quotation already.
  const isQuoted = answer.answerer === 'extractive';
  const cited = answer.sources.filter(({ n }) => answer.citations.some((citation) => citation.n === n));
  const sources = cited.map((source) => {
    const own = answer.citations.filter(({ n }) => n === source.n);
    const places = isQuoted ? [decidingPlace(own, highlight)] : own;
    return renderSource(source, places, { context, quote: isQuoted ? 'none' : 'line' });
  });
  const further = isQuoted ? answer.further.flatMap((place) => placeIn(answer, place, context)) : [];
  return [
    shown,
    sources.join('\n'),
    ...(further.length > 0 ? [`${colours.dim('See also')}\n${further.join('\n')}`] : []),
  ];
}

/** Where the words that decide stand: a quotation may begin with the function before the one that was asked for. */
function decidingPlace(citations: readonly Citation[], highlight: string | undefined): CitedPlace {
  const [first] = citations;
  const deciding =
    citations.find(({ quote }) => highlight !== undefined && quote.includes(highlight)) ?? first;
  const { lines = { start: 1, end: 1 }, quote = '' } = deciding ?? {};
  const before = quote.slice(0, Math.max(0, quote.indexOf(highlight ?? '')));
  return { quote, lines: { start: lines.start + before.split('\n').length - 1, end: lines.end } };
}

/** What is said instead of an answer. */
function withheld({ outcome, answer }: ShownAnswer, { colours }: CliContext): string {
  return colours.yellow(`${outcome === 'perhaps' ? 'Not sure. ' : ''}${withoutTabs(answer)}`);
}

/** The first is for reading, the others for choosing. */
function nearestPlaces(answer: ShownAnswer, context: CliContext): string[] {
  return answer.further.flatMap((place, rank) =>
    placeIn(answer, place, context, rank === 0 && answer.outcome === 'perhaps' ? 'whole' : 'line'),
  );
}

function placeIn(
  { sources }: ShownAnswer,
  place: FurtherPlace,
  context: CliContext,
  quote: QuoteForm = 'line',
): string[] {
  const source = sources.find(({ n }) => n === place.n);
  return source === undefined ? [] : [renderSource(source, [place], { context, quote })];
}

const emphasised = (text: string, part: string, style: (text: string) => string): string => {
  const at = text.indexOf(part);
  if (part === '' || at < 0) return text;
  // A style ends with its line on some terminals.
  const bold = part
    .split('\n')
    .map((line) => style(line))
    .join('\n');
  return `${text.slice(0, at)}${bold}${text.slice(at + part.length)}`;
};

type CitedPlace = Pick<Citation, 'lines' | 'quote'>;

/** What is shown of a place's words: nothing, as much as one line takes, or all with its own lines. */
type QuoteForm = 'none' | 'line' | 'whole';

interface SourceOptions {
  readonly context: CliContext;
  readonly quote: QuoteForm;
}

function renderSource(
  source: AnswerSource,
  places: readonly CitedPlace[],
  { context, quote: form }: SourceOptions,
): string {
  const { colours } = context;
  const title = [source.title, ...source.headingPath].filter((part) => part !== undefined).map(oneLine);
  const number = colours.dim(`[${source.n}]`);
  return [
    title.length > 0 ? `${number} ${colours.bold(title.join(' > '))}` : number,
    ...places.flatMap(({ lines, quote }) => [
      INDENT +
        colours.cyan(
          renderPlace({ id: source.source, origin: source.origin, lines: `${lines.start}` }, context),
        ),
      ...(form === 'line' ? [INDENT + colours.dim(shortened(oneLine(quote)))] : []),
      ...(form === 'whole' ? indented(quote) : []),
    ]),
    ...(source.flags.length > 0
      ? [INDENT + colours.yellow(`reads like an instruction to a language model: ${source.flags.join(', ')}`)]
      : []),
  ].join('\n');
}

const indented = (text: string): string[] =>
  withoutTabs(text)
    .split('\n')
    .map((line) => (line === '' ? line : INDENT + line));

/** Cut between words. */
function shortened(text: string): string {
  if (text.length <= QUOTE_LENGTH) return text;
  const cut = text.slice(0, QUOTE_LENGTH);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), QUOTE_LENGTH / 2))} …`;
}

const OUTCOMES = {
  answer: 'answer',
  perhaps: 'no sure answer, perhaps in these places',
  'not-found': 'not found',
} as const;

function summaryOf(answer: ShownAnswer): string {
  const { answerer, outcome, confidence, support, degradationLevel, tookMs, model, isPartial } = answer;
  const supported = support.filter(({ verdict }) => verdict === 'supported').length;
  const checked = support.filter(({ verdict }) => verdict !== 'not-checked').length;
  const who = { chat: model?.id ?? 'language model', extractive: 'quoted', none: OUTCOMES[outcome] }[
    answerer
  ];
  return [
    who,
    // Of no answer there is nothing to be confident of.
    ...(outcome === 'answer' ? [`confidence ${confidence.toFixed(2)}`] : []),
    ...(answerer === 'chat' ? [`${supported} of ${plural(checked, 'sentence')} supported`] : []),
    ...(isPartial ? ['not complete'] : []),
    ...(degradationLevel === 0 ? [] : [`degradation level ${degradationLevel}`]),
    formatDuration(tookMs),
  ].join(', ');
}
