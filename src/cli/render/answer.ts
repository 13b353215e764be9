import type { Answer, AnswerSource, Citation } from '../../index.js';
import type { CliContext } from '../context.js';
import { renderPlace } from './place.js';
import { formatDuration, oneLine, plural, withoutControls } from './text.js';

const INDENT = '   ';
const QUOTE_LENGTH = 160;

/** An answer for a terminal: the text, its sources as `path:line` that a terminal can open, and how sure it is. */
export function renderAnswer(answer: Answer, context: CliContext): string {
  const { colours } = context;
  const text = withoutControls(answer.answer);
  const cited = new Set(answer.citations.map(({ n }) => n));
  // Where nothing is cited, the nearest passages are all that there is to show.
  const shown = answer.sources.filter(({ n }) => answer.abstained || cited.has(n));
  const sources = shown.map((source) => renderSource(source, answer.citations, context));
  return [
    answer.abstained ? colours.yellow(text) : text,
    ...(sources.length > 0 ? [sources.join('\n')] : []),
    colours.dim(summaryOf(answer)),
  ].join('\n\n');
}

function renderSource(source: AnswerSource, citations: readonly Citation[], context: CliContext): string {
  const { colours } = context;
  const own = citations.filter(({ n }) => n === source.n);
  const places = own.length > 0 ? own : [{ lines: source.lines, quote: source.chunk_text }];
  const title = [source.title, ...source.headingPath].filter((part) => part !== undefined).map(oneLine);
  const head = `${colours.dim(`[${source.n}]`)} ${colours.bold(title.join(' > '))}`;
  return [
    title.length > 0 ? head : `${colours.dim(`[${source.n}]`)}`,
    ...places.flatMap(({ lines, quote }) => [
      INDENT +
        colours.cyan(
          renderPlace({ id: source.source, origin: source.origin, lines: `${lines.start}` }, context),
        ),
      INDENT + colours.dim(shortened(oneLine(quote))),
    ]),
    ...(source.flags.length > 0
      ? [INDENT + colours.yellow(`speaks to language models: ${source.flags.join(', ')}`)]
      : []),
  ].join('\n');
}

const shortened = (text: string): string =>
  text.length > QUOTE_LENGTH ? `${text.slice(0, QUOTE_LENGTH)} …` : text;

function summaryOf(answer: Answer): string {
  const { answerer, confidence, support, degradationLevel, tookMs, model, isPartial } = answer;
  const supported = support.filter(({ verdict }) => verdict === 'supported').length;
  const checked = support.filter(({ verdict }) => verdict !== 'not-checked').length;
  const who = { chat: model?.id ?? 'language model', extractive: 'extracted', none: 'no answer' }[answerer];
  return [
    who,
    `confidence ${confidence.toFixed(2)}`,
    ...(answerer === 'chat' ? [`${supported} of ${plural(checked, 'sentence')} supported`] : []),
    ...(isPartial ? ['not complete'] : []),
    ...(degradationLevel === 0 ? [] : [`degradation level ${degradationLevel}`]),
    formatDuration(tookMs),
  ].join(', ');
}
